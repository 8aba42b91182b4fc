import { type CheckoutOrderData, ORDER_STATUSES, STATUS_REASONS } from "@exchange/contract";
import { describe, expect, test } from "vitest";
import { t } from "../copy/later.ts";
import { makeOrder, makePayment } from "../machine/testing.ts";
import { lacksRest, missingOf } from "./coverage.ts";
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

describe("an order in review because too little arrived", () => {
  const deposit = (amount: number, status: "seen" | "final" | "lost") => ({
    amount,
    currencyCode: "EUR",
    status,
    confirmations: 0,
    transactionHash: null,
    at: 1,
  });
  const short = (received: number, ...deposits: ReturnType<typeof deposit>[]) => {
    const payment = makePayment({ type: "bank_transfer", received, deposits });
    return makeOrder({ status: "in_review", statusReason: "underpaid", payment });
  };

  test("asks for the part that was not seen, not for money that is under way", () => {
    const order = short(60, deposit(60, "final"), deposit(30, "seen"), deposit(10, "lost"));
    expect(lacksRest(order)).toBe(true);
    expect(missingOf(order)).toBe(10);
    expect(statusWords(order, "en").text).toContain("€90.00 of €100.00");
  });

  test("asks for nothing of a customer whose card was charged for a part", () => {
    const payment = makePayment({ type: "card", received: 50 });
    const order = makeOrder({ status: "in_review", statusReason: "underpaid", payment });
    expect(lacksRest(order)).toBe(false);
    expect(statusWords(order, "en").text).toBe(t("status.review.other"));
  });

  test("asks for nothing once a part was returned, because the rest would not complete the order", () => {
    const refund = {
      id: "8b0c5f1e-6a31-4c0b-9d0f-0c9a3a7f2b11",
      amount: 20,
      currencyCode: "EUR",
      status: "refunded",
      reason: "underpaid",
      transactionHash: null,
      explorerUrl: null,
      createdAt: 1,
      refundedAt: 2,
    } as const;
    const order = { ...short(60, deposit(60, "final")), refunds: [refund] };
    expect(lacksRest(order)).toBe(false);
    expect(statusWords(order, "en").text).toBe(t("status.review.other"));
  });

  test("asks for nothing while the rest is on its way", () => {
    const order = short(60, deposit(60, "final"), deposit(40, "seen"));
    expect(lacksRest(order)).toBe(false);
    expect(statusWords(order, "en").text).toBe(t("status.pending.bank_transfer"));
  });

  test("asks for nothing once too much was seen, and says what happens to it", () => {
    for (const status of ["seen", "final"] as const) {
      const received = status === "final" ? 110 : 60;
      const order = short(received, deposit(60, "final"), deposit(50, status));
      expect(lacksRest(order)).toBe(false);
      expect(statusWords(order, "en").text).toBe(t("status.review.overpaid"));
    }
  });

  test("asks for nothing once all of it arrived too late to be exchanged", () => {
    const order = short(100, deposit(60, "final"), deposit(40, "final"));
    expect(lacksRest(order)).toBe(false);
    expect(statusWords(order, "en").text).toBe(t("status.review.late_payment"));
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
  expect(payoutIn(1, 2)).toMatch(/about 1 to 2 days\.$/);
  expect(payoutIn(0, 1)).toMatch(/within 1 day\.$/);
  expect(payoutIn(0, 0)).toMatch(/within a few minutes\.$/);
  expect(payoutIn(null, null)).toMatch(/^Paid out: [^.]+\.$/);
  // The text says that it was paid out, so the time is that of the bank.
  expect(payoutIn(1, 2)).toMatch(/^Paid out: [^.]+\. It usually arrives in /);
});
