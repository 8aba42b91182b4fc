import { type CheckoutOrderData, ORDER_STATUSES, STATUS_REASONS } from "@exchange/contract";
import { describe, expect, test } from "vitest";
import { makeOrder, makePayment } from "../machine/testing.ts";
import { statusWords } from "./status-words.ts";

const TYPES = ["card", "bank_transfer", "crypto"] as const;
const OPERATIONS = ["B", "S", "CC", "FF"] as const;

const wordsOf = (change: Partial<CheckoutOrderData>) => statusWords(makeOrder(change), "en");

test("every status, reason, payment and operation has words, and none shows an internal name", () => {
  const texts = new Set<string>();
  for (const status of ORDER_STATUSES) {
    for (const statusReason of [null, ...STATUS_REASONS]) {
      for (const type of TYPES) {
        for (const operationType of OPERATIONS) {
          const payment = makePayment({ type });
          const words = wordsOf({ status, statusReason, operationType, payment });
          texts.add(`${words.title}|${words.text}`);
          expect(words.title).not.toBe("");
          expect(words.text).toMatch(/\.$/);
          expect(`${words.title} ${words.text}`).not.toMatch(/undefined|null|NaN|_/);
        }
      }
    }
  }
  expect(texts.size).toBeGreaterThan(40);
});

describe("an order in review says why", () => {
  const inReview = (statusReason: CheckoutOrderData["statusReason"]) =>
    wordsOf({ status: "in_review", statusReason });

  test("each reason has a different text", () => {
    const reasons = [
      "overpaid",
      "late_payment",
      "wrong_asset",
      "compliance",
      "limit_exceeded",
      "no_liquidity",
      "delivery_rejected",
      "chain_reorg",
      "bank_rejected",
      "provider_error",
    ] as const;
    const texts = reasons.map((reason) => inReview(reason).text);
    expect(new Set(texts).size).toBe(reasons.length);
  });

  test("a missing part is stated in figures", () => {
    const payment = makePayment({ type: "bank_transfer", received: 60.5 });
    const words = wordsOf({ status: "in_review", statusReason: "underpaid", payment });
    expect(words.text).toContain("€60.50 of €100.00");
  });
});

test("a refund goes back to the source of the payment, and the text names it", () => {
  const back = TYPES.map(
    (type) => wordsOf({ status: "refunded", payment: makePayment({ type }) }).text,
  );
  expect(back[0]).toMatch(/card you paid with/);
  expect(back[1]).toMatch(/account you paid from/);
  expect(back[2]).toMatch(/refund address/);
});

test("a customer who may have sent money is never told that they have not been charged", () => {
  for (const status of ["expired", "cancelled", "failed"] as const) {
    for (const type of ["bank_transfer", "crypto"] as const) {
      const { text } = wordsOf({ status, payment: makePayment({ type }) });
      expect(text).not.toMatch(/not been charged/);
    }
  }
});

test("a payout states its usual time, if the service knows it", () => {
  const quote = makeOrder().quote;
  const payoutIn = (minDays: number | null, maxDays: number | null) =>
    wordsOf({
      status: "completed",
      operationType: "S",
      delivery: { ...makeOrder().delivery, type: "bank_transfer", walletAddress: null },
      quote: { ...quote, delivery: { ...quote.delivery, time: { minDays, maxDays } } },
    }).text;
  expect(payoutIn(1, 2)).toMatch(/It usually takes about 1 to 2 days\.$/);
  expect(payoutIn(0, 1)).toMatch(/up to 1 day\.$/);
  expect(payoutIn(0, 0)).toMatch(/a few minutes\.$/);
  expect(payoutIn(null, null)).toMatch(/^Paid out: [^.]+\.$/);
});
