import { compareDecimals, type Money, money } from "@exchange/money";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Currency } from "../../domain/catalogue/currency.ts";
import { priceExchange } from "../../domain/quotes/price.ts";
import { ratesOf } from "../../domain/quotes/rates.ts";
import { publishedStep } from "../../domain/rules/published-step.ts";
import type { Terms } from "../../domain/rules/terms.ts";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import {
  amountAt,
  describeWay,
  everyWay,
  mustPrice,
  pricedAt,
  receiving,
  spending,
  testRates,
} from "../../testing/exchanges.ts";

const CASES = 10_000;
const MOMENT_MS = 1.76e12;
const POSITIONS = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));

let ways: readonly Terms[];
let currencies: readonly Currency[];
beforeAll(async () => {
  const catalogue = await shippedCatalogue();
  ways = everyWay(catalogue);
  currencies = catalogue.currencies;
}, 60_000);

const wayOf = (index: number): Terms => found(ways[index % ways.length]);
const stepMore = (amount: Money, steps: bigint): Money =>
  money(amount.asset, amount.units + steps * publishedStep(amount.asset));

describe("limits", () => {
  test("hold to the step: the ends are quoted, one step beyond is refused with the same figures", () => {
    fc.assert(
      fc.property(fc.nat(), (index) => {
        const terms = wayOf(index);
        const { min, max } = terms.limits;
        expect(pricedAt(terms, spending(min), MOMENT_MS).ok, describeWay(terms)).toBe(true);
        expect(pricedAt(terms, spending(max), MOMENT_MS).ok, describeWay(terms)).toBe(true);
        expect(pricedAt(terms, spending(stepMore(min, -1n)), MOMENT_MS)).toMatchObject({
          refusal: { code: "AMOUNT_BELOW_MINIMUM", limits: { min, max } },
        });
        expect(pricedAt(terms, spending(stepMore(max, 1n)), MOMENT_MS)).toMatchObject({
          refusal: { code: "AMOUNT_ABOVE_MAXIMUM", limits: { min, max } },
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test("a larger spend never receives less", () => {
    fc.assert(
      fc.property(fc.nat(), POSITIONS, fc.integer({ min: 1, max: 1000 }), (index, place, steps) => {
        const terms = wayOf(index);
        const less = amountAt(terms, place);
        const more = stepMore(less, BigInt(steps));
        if (more.units > terms.limits.max.units) return;
        const [low, high] = [less, more].map((it) => mustPrice(terms, spending(it), MOMENT_MS));
        expect(found(high).receive.units).toBeGreaterThanOrEqual(found(low).receive.units);
      }),
      { numRuns: CASES },
    );
  });
});

test("asked for an amount to receive, the quote spends the least that gives as much", () => {
  fc.assert(
    fc.property(fc.nat(), POSITIONS, (index, place) => {
      const terms = wayOf(index);
      const wanted = mustPrice(terms, spending(amountAt(terms, place)), MOMENT_MS).receive;
      const solved = mustPrice(terms, receiving(wanted), MOMENT_MS);
      expect(solved.receive.units).toBeGreaterThanOrEqual(wanted.units);
      const fewer = pricedAt(terms, spending(stepMore(solved.spend, -1n)), MOMENT_MS);
      if (fewer.ok) expect(fewer.value.receive.units).toBeLessThan(wanted.units);
      expect(mustPrice(terms, spending(solved.spend), MOMENT_MS)).toEqual(solved);
    }),
    { numRuns: CASES },
  );
});

describe("a chain of quotes back to the first currency never gains", () => {
  const links = fc.array(fc.nat(), { minLength: 1, maxLength: 5 });
  const NO_FEES = { basisPoints: 0n, fixed: 0n, deliveryBasisPoints: 0n, deliveryFixed: 0n };

  /** Terms without limits, fees or spread: any loss is caused by rounding alone. */
  function freeTerms(spend: Currency, receive: Currency): Terms {
    const any = wayOf(0);
    const limits = {
      ...any.limits,
      min: money(spend, 0n),
      max: money(spend, 10n ** 40n),
    };
    return { ...any, spend, receive, fees: NO_FEES, limits };
  }

  /** The remainder of an amount after each exchange; undefined when an amount has become zero. */
  function roundTrip(circle: readonly Currency[], start: Money, spreadBasisPoints: number) {
    const table = found(testRates.prices(new Date(MOMENT_MS)));
    let amount = start;
    for (const [index, spend] of circle.entries()) {
      const receive = found(circle[(index + 1) % circle.length]);
      if (spend.id === receive.id) continue;
      const prices = {
        spend: found(table.price(spend.code)),
        receive: found(table.price(receive.code)),
      };
      const pair = ratesOf(prices, spreadBasisPoints);
      expect(compareDecimals(pair.rate, pair.midRate)).toBeLessThanOrEqual(0);
      const result = priceExchange(freeTerms(spend, receive), spending(amount), pair);
      if (!result.ok) return undefined;
      amount = result.value.receive;
    }
    return amount;
  }

  test.each([0, 50])("with a spread of %i basis points and no fee", (spreadBasisPoints) => {
    let finished = 0;
    fc.assert(
      fc.property(links, fc.bigInt({ min: 1n, max: 10n ** 12n }), (indexes, steps) => {
        const circle = indexes.map((index) => found(currencies[index % currencies.length]));
        const first = found(circle[0]);
        const start = money(first, steps * publishedStep(first));
        const end = roundTrip(circle, start, spreadBasisPoints);
        if (!end) return;
        finished += 1;
        expect(end.units).toBeLessThanOrEqual(start.units);
      }),
      { numRuns: CASES },
    );
    expect(finished).toBeGreaterThan(CASES / 4);
  });
});

test("an amount finer than its currency is refused", () => {
  const terms = found(ways.find(({ spend }) => spend.code === "JPY"));
  const size = { side: "spend", amount: { units: 500_001n, scale: 1 } } as const;
  expect(pricedAt(terms, size, MOMENT_MS)).toMatchObject({
    refusal: { code: "AMOUNT_PRECISION" },
  });
});
