import { type Decimal, formatDecimal, type Money, toDecimal } from "@exchange/money";
import Big from "big.js";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../domain/catalogue/operation.ts";
import type { Pricing } from "../../domain/quotes/price.ts";
import type { Terms } from "../../domain/rules/terms.ts";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { amountAt, describeWay, everyWay, mustPrice, spending } from "../../testing/exchanges.ts";

const CASES = 10_000;
const MOMENTS = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2030, 0, 1) });
/** The position of an amount within the limits. Both ends occur often. */
const POSITIONS = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));

let ways: readonly Terms[];
beforeAll(async () => {
  ways = everyWay(await shippedCatalogue());
}, 60_000);

const asBig = (value: Decimal): Big => new Big(formatDecimal(value));

/** The identity of a quote, computed again by another library. */
function identityHolds(terms: Terms, pricing: Pricing): boolean {
  const { spend, receive, rate, transactionFee, deliveryFee } = pricing;
  const gross = asBig(toDecimal(spend))
    .times(asBig(rate))
    .round(terms.receive.publishedDecimals, Big.roundDown);
  const parts = [receive, transactionFee, deliveryFee].map((part) => asBig(toDecimal(part)));
  return parts.reduce((sum, part) => sum.minus(part), gross).eq(0);
}

/** The other guarantees of a quote, by plain integers and text. */
function brokenPromise({ receive, fees, transactionFee, spread, ...rest }: Pricing) {
  const sum = fees.reduce((total, { amount }) => total + amount.units, 0n);
  if (sum !== transactionFee.units) return "the fees do not add up";
  if (receive.units <= 0n) return "nothing is received";
  if (spread.units < 0n) return "the rate is better than the mid rate";
  if (significantDigits(rest.rate) > 12) return "the rate has too many digits";
  const amounts = [rest.spend, receive, transactionFee, rest.deliveryFee];
  return amounts.every(fitsTheWire) ? undefined : "an amount does not survive a double";
}

const significantDigits = (value: Decimal): number =>
  formatDecimal(value).replace(".", "").replace(/^0+/, "").replace(/0+$/, "").length;

const fitsTheWire = (amount: Money): boolean => {
  const text = formatDecimal(toDecimal(amount));
  const decimals = text.split(".")[1]?.length ?? 0;
  return decimals <= 8 && text.replace(".", "").replace(/^0+/, "").length <= 15;
};

test("a quote of every way on offer keeps its promises at both ends of its limits", () => {
  expect(new Set(ways.map(({ operation }) => operation)).size).toBe(OPERATIONS.length);
  for (const [index, terms] of ways.entries()) {
    for (const position of [0, 1]) {
      const pricing = mustPrice(terms, spending(amountAt(terms, position)), 1.75e12 + index * 991);
      const broken = brokenPromise(pricing);
      if (broken) expect.fail(`${describeWay(terms)}: ${broken}`);
    }
  }
});

test(`spend × rate is receive and both fees, in ${CASES} cases against big.js`, () => {
  fc.assert(
    fc.property(fc.nat(), POSITIONS, MOMENTS, (way, position, momentMs) => {
      const terms = found(ways[way % ways.length]);
      const pricing = mustPrice(terms, spending(amountAt(terms, position)), momentMs);
      if (!identityHolds(terms, pricing)) throw new Error(describeWay(terms));
    }),
    { numRuns: CASES },
  );
});
