import { money } from "@exchange/money";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, makeEntry, unitsOf } from "./entry.ts";
import {
  captureEntry,
  depositEntry,
  exchangeEntries,
  reserveEntry,
  sentEntry,
} from "./order-entries.ts";

const EUR = { id: 1, code: "EUR", decimals: 2, publishedDecimals: 2 };
const BTC = { id: 2, code: "BTC", decimals: 8, publishedDecimals: 8 };
const units = fc.bigInt({ min: 1n, max: 10n ** 30n });
const fees = fc.bigInt({ min: 0n, max: 10n ** 20n });

const sumOf = (entry: Entry) =>
  entry.postings.reduce((total, posting) => total + posting.units, 0n);

test("an exchange balances in each currency and earns exactly its spread and fees", () => {
  fc.assert(
    fc.property(
      units,
      units,
      fc.tuple(fees, fees, fees),
      (spend, receive, [fee, delivery, spread]) => {
        const [spent, received] = exchangeEntries({
          orderId: 7n,
          spend: money(EUR, spend),
          receive: money(BTC, receive),
          transactionFee: money(BTC, fee),
          deliveryFee: money(BTC, delivery),
          spread: money(BTC, spread),
        });
        expect(sumOf(spent)).toBe(0n);
        expect(sumOf(received)).toBe(0n);
        expect(unitsOf(received, "customer_payable").units).toBe(-receive);
        expect(unitsOf(received, "fee_revenue").units).toBe(-fee);
        expect(unitsOf(received, "delivery_fee_revenue").units).toBe(-delivery);
        expect(unitsOf(received, "spread_revenue").units).toBe(-spread);
        expect(spent.link).toBe(received.link);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("after a whole purchase only the processor owes, liquidity moved and the wallet paid", () => {
  const spend = money(EUR, 10_000n);
  const receive = money(BTC, 150_000n);
  const nothing = money(BTC, 0n);
  const entries = [
    captureEntry({ attemptId: "a", amount: spend }),
    ...exchangeEntries({
      orderId: 1n,
      spend,
      receive,
      transactionFee: money(BTC, 1_500n),
      deliveryFee: nothing,
      spread: money(BTC, 900n),
    }),
    reserveEntry({ intentId: "i", purpose: "payout", rail: "chain", amount: receive }),
    sentEntry({ intentId: "i", purpose: "payout", rail: "chain", amount: receive }),
  ];
  const balance = (purpose: Parameters<typeof unitsOf>[1], assetId: number) =>
    entries
      .filter((entry) => entry.asset.id === assetId)
      .reduce((total, entry) => total + unitsOf(entry, purpose).units, 0n);
  expect(balance("card_processor", EUR.id)).toBe(10_000n);
  expect(balance("customer_funds", EUR.id)).toBe(0n);
  expect(balance("liquidity", EUR.id)).toBe(-10_000n);
  expect(balance("liquidity", BTC.id)).toBe(152_400n);
  expect(balance("customer_payable", BTC.id)).toBe(0n);
  expect(balance("payouts_in_flight", BTC.id)).toBe(0n);
  expect(balance("chain_wallet", BTC.id)).toBe(-150_000n);
});

test("an entry that does not balance, or has one side only, is never made", () => {
  const entry = { key: "k", kind: "exchange" as const, asset: EUR, link: null };
  const unbalanced = [
    { purpose: "liquidity", units: 2n },
    { purpose: "chain_wallet", units: -1n },
  ] as const;
  expect(() => makeEntry({ ...entry, postings: unbalanced })).toThrow("balances");
  expect(() => makeEntry({ ...entry, postings: [] })).toThrow("two postings");
});

test("a deposit that is refunded leaves nothing held and nothing in the account it came to", () => {
  const coins = money(BTC, 70_000n);
  const refund = { intentId: "r", purpose: "refund", rail: "chain", amount: coins } as const;
  const entries = [
    depositEntry({ depositId: "d", rail: "chain", amount: coins }),
    reserveEntry(refund),
    sentEntry(refund),
  ];
  const purposes = ["customer_funds", "refunds_in_flight", "chain_wallet"] as const;
  for (const purpose of purposes) {
    expect(entries.reduce((total, entry) => total + unitsOf(entry, purpose).units, 0n)).toBe(0n);
  }
  expect(entries.map(({ key }) => key)).toEqual(["deposit:d", "refund_reserved:r", "refund:r"]);
});
