import { beforeAll, expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { amountAt, describeWay, everyWay, mustPrice, spending } from "../../testing/exchanges.ts";
import { exchangeEntries } from "../ledger/order-entries.ts";
import { publishedStep } from "../rules/published-step.ts";
import type { Terms } from "../rules/terms.ts";
import { quoteReceiptOf } from "./receipt.ts";

let ways: readonly Terms[];
beforeAll(async () => {
  ways = everyWay(await shippedCatalogue());
}, 60_000);

const AT = Date.UTC(2026, 10, 22);

function receiptsOf(terms: Terms, position: number) {
  const pricing = mustPrice(terms, spending(amountAt(terms, position)), AT);
  const quote = { ...pricing, operation: terms.operation };
  return { pricing, receipt: quoteReceiptOf(quote) };
}

/** The units that the ledger books for an exchange, by account. */
function bookedFor(pricing: Parameters<typeof exchangeEntries>[0]): ReadonlyMap<string, bigint> {
  const [, received] = exchangeEntries(pricing);
  return new Map(
    received.postings.map(({ purpose, units }) => [purpose, units < 0n ? -units : units]),
  );
}

test("the parts of every receipt add up to the amount spent; those of a sale are the ledger's", () => {
  for (const terms of ways) {
    for (const position of [0, 0.37, 1]) {
      const { pricing, receipt } = receiptsOf(terms, position);
      const { value, exchangeFee, deliveryFee, spread, total } = receipt;
      const sum = exchangeFee.units + deliveryFee.units + spread.units;
      const booked = bookedFor({ ...pricing, orderId: 1n });
      const expected =
        terms.operation === "sell"
          ? ["fee_revenue", "delivery_fee_revenue", "spread_revenue"].map(
              (of) => booked.get(of) ?? 0n,
            )
          : [sum, sum + value.units];
      const actual =
        terms.operation === "sell"
          ? [exchangeFee.units, deliveryFee.units, spread.units]
          : [total.units, pricing.spend.units];
      if (String(actual) !== String(expected))
        expect.fail(`${describeWay(terms)}: ${String(actual)}`);
    }
  }
});

test("each cost of a purchase is its posting at the mid rate, to half a cent", () => {
  const terms = found(
    ways.find(
      ({ operation, spend, receive, paymentMethod }) =>
        operation === "buy" &&
        spend.code === "EUR" &&
        receive.code === "BTC" &&
        paymentMethod.reference === "card",
    ),
  );
  const { pricing, receipt } = receiptsOf(terms, 0.5);
  const cent = publishedStep(terms.spend);
  const pairs = [
    [receipt.exchangeFee, pricing.transactionFee],
    [receipt.deliveryFee, pricing.deliveryFee],
    [receipt.spread, pricing.spread],
  ] as const;
  const gross =
    pricing.receive.units +
    pricing.transactionFee.units +
    pricing.deliveryFee.units +
    pricing.spread.units;
  for (const [cost, posting] of pairs) {
    const distance = cost.units * gross - pricing.spend.units * posting.units;
    expect(distance < 0n ? -distance : distance).toBeLessThanOrEqual((cent * gross) / 2n + 1n);
  }
  expect(receipt.value.asset.code).toBe("EUR");
  expect(receipt.spreadBasisPoints).toBe(BigInt(terms.rule.spreadBasisPoints));
});
