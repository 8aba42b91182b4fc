import { describe, expect, test } from "vitest";
import { asksFirst } from "./back.ts";
import type { CheckoutEvent } from "./events.ts";
import { canCancel, mayChange, mayNameRefundAddress } from "./orders.ts";
import type { Ordered } from "./state.ts";
import {
  makeAttempt,
  makeInstructions,
  makeOrder,
  makePayment,
  makeSession,
  openAs,
  replay,
} from "./testing.ts";

const byBank = makePayment({ type: "bank_transfer" });
const waiting = makeOrder({ payment: byBank });
const instructed = makeOrder({
  payment: { ...byBank, instructions: makeInstructions("bank_transfer") },
  updatedAt: 1_001,
});
const DEPOSIT = { amount: 1, currencyCode: "BTC", confirmations: 0, transactionHash: null, at: 1 };

const open = (order = waiting, ...events: CheckoutEvent[]): Ordered => {
  const found = {
    area: "checkout",
    type: "orderFound",
    session: makeSession(),
    locale: "en",
    order,
    reopened: true,
  } as const;
  return replay(openAs("B"), found, ...events).stage as Ordered;
};

describe("an order that is paid by transfer or with coins", () => {
  test("requests its instructions when it is found without them", () => {
    expect(open()).toMatchObject({ screen: "instructions", submission: "sent" });
    expect(open(instructed)).toMatchObject({ screen: "instructions", submission: "none" });
  });

  test("shows its instructions, and its status once money arrives", () => {
    const answered = open(waiting, { area: "ordered", type: "paymentAnswered", order: instructed });
    expect(answered).toMatchObject({ screen: "instructions", submission: "none" });
    const seen = { ...instructed, status: "payment_pending" as const, updatedAt: 1_002 };
    expect(open(instructed, { area: "ordered", type: "orderRead", order: seen }).screen).toBe(
      "status",
    );
  });

  test("reports missing instructions, and requests them again only on request", () => {
    const failed = open(waiting, {
      area: "ordered",
      type: "paymentFailed",
      fault: "no_instructions",
    });
    expect(failed).toMatchObject({ screen: "instructions", submission: "none" });
    const again = open(
      waiting,
      { area: "ordered", type: "paymentFailed", fault: "no_instructions" },
      { area: "ordered", type: "orderRead", order: { ...waiting, updatedAt: 1_005 } },
    );
    expect(again).toMatchObject({ submission: "none", fault: "no_instructions" });
    const pressed = replay(again, { area: "ordered", type: "payPressed" });
    expect(pressed.stage).toMatchObject({ submission: "sent", fault: undefined });
  });

  test("an answer without instructions is not followed by another request", () => {
    const stage = open(waiting, { area: "ordered", type: "paymentAnswered", order: waiting });
    expect(stage).toMatchObject({ submission: "none", fault: "no_instructions" });
  });

  test("that ended unpaid is still followed, because money may arrive late", () => {
    expect(mayChange(makeOrder({ status: "expired", payment: byBank }))).toBe(true);
    expect(mayChange(makeOrder({ status: "expired" }))).toBe(false);
    expect(mayChange(makeOrder({ status: "completed", payment: byBank }))).toBe(false);
  });
});

describe("a card payment whose answer is late", () => {
  const attempt = (status: Parameters<typeof makeAttempt>[0]) =>
    makeOrder({ status: "payment_pending", payment: makeAttempt(status) });
  const late = { area: "ordered", type: "paymentAnswerLate" } as const;
  const read = (order: Ordered["order"]) =>
    ({ area: "ordered", type: "orderRead", order }) as const;
  const asks = (stage: Ordered) => asksFirst({ stage, exit: "none" });

  test("lets the customer leave without a question, which it asks before", () => {
    expect(asks(open(attempt("processing")))).toBe("payment");
    expect(asks(open(attempt("processing"), late))).toBeUndefined();
  });

  test("stays late until the bank asks the customer or has decided", () => {
    const waiting = attempt("processing");
    expect(open(waiting, late, read({ ...waiting, updatedAt: 1_009 })).isAnswerLate).toBe(true);
    expect(open(waiting, late, read(attempt("challenge"))).isAnswerLate).toBe(false);
    expect(asks(open(waiting, late, read(attempt("challenge"))))).toBe("bank");
    expect(open(waiting, late, read(attempt("captured"))).isAnswerLate).toBe(false);
  });

  test("is only late while it is waited for", () => {
    expect(open(attempt("captured"), late).isAnswerLate).toBe(false);
  });

  test("whose answer was lost is late too, and asks before that whether to leave without an answer", () => {
    const lost = { area: "ordered", type: "paymentAnswerLost" } as const;
    const unknown: Ordered = { ...open(makeOrder(), lost), screen: "authentication" };
    expect(unknown).toMatchObject({ submission: "unknown", connection: "lost" });
    expect(asks(unknown)).toBe("payment");
    const waiting = replay(unknown, late).stage as Ordered;
    expect(waiting.isAnswerLate).toBe(true);
    expect(asks(waiting)).toBeUndefined();
    const found = replay(waiting, {
      area: "ordered",
      type: "paymentFailed",
      fault: "payment_not_sent",
    });
    expect(found.stage).toMatchObject({ screen: "card", isAnswerLate: false, connection: "fine" });
  });
});

describe("cancelling", () => {
  test("is possible only while no money has arrived", () => {
    expect(canCancel(instructed)).toBe(true);
    const seen = { ...byBank, deposits: [{ ...DEPOSIT, status: "seen" as const }] };
    expect(canCancel(makeOrder({ payment: seen }))).toBe(false);
    const lost = { ...byBank, deposits: [{ ...DEPOSIT, status: "lost" as const }] };
    expect(canCancel(makeOrder({ payment: lost }))).toBe(true);
    expect(canCancel(makeOrder({ status: "processing" }))).toBe(false);
  });

  test("is sent once, after the customer has confirmed it", () => {
    const requested = open(instructed, { area: "cancellation", type: "cancelRequested" });
    expect(requested.cancellation).toBe("confirming");
    const sent = open(
      instructed,
      { area: "cancellation", type: "cancelRequested" },
      { area: "cancellation", type: "cancelConfirmed" },
    );
    expect(sent.cancellation).toBe("sent");
    expect(replay(sent, { area: "cancellation", type: "cancelDeclined" }).stage).toBe(sent);
  });

  test("that succeeded shows no refusal", () => {
    const ended = { ...instructed, status: "cancelled" as const, updatedAt: 1_009 };
    const stage = open(
      instructed,
      { area: "cancellation", type: "cancelRequested" },
      { area: "cancellation", type: "cancelConfirmed" },
      { area: "cancellation", type: "cancelAnswered", order: ended, fault: "unreachable" },
    );
    expect(stage).toMatchObject({ screen: "status", cancellation: "none" });
  });

  test("that came too late is reported", () => {
    const stage = open(
      instructed,
      { area: "cancellation", type: "cancelRequested" },
      { area: "cancellation", type: "cancelConfirmed" },
      { area: "cancellation", type: "cancelAnswered", order: instructed, fault: "refused" },
    );
    expect(stage.cancellation).toBe("refused");
  });
});

describe("the refund address", () => {
  const coins = makePayment({ type: "crypto" });

  test("may be named, and another one asked for, while coins may arrive and are not sent back", () => {
    for (const status of ["awaiting_payment", "in_review", "expired"] as const) {
      expect(mayNameRefundAddress(makeOrder({ status, payment: coins }))).toBe(true);
      const named = makeOrder({ status, payment: coins, refundAddress: "bc1q" });
      expect(mayNameRefundAddress(named)).toBe(true);
    }
    expect(mayNameRefundAddress(makeOrder({ status: "refund_pending", payment: coins }))).toBe(
      false,
    );
    expect(mayNameRefundAddress(makeOrder({ status: "in_review" }))).toBe(false);
  });

  test("is cleared once it is saved, and stays in the form when it is refused", () => {
    const typed = { area: "refund", type: "refundTyped", fields: { address: "bc1q" } } as const;
    const saving = open(instructed, typed, { area: "refund", type: "refundPressed" });
    expect(saving.refund.status).toBe("saving");
    const failed = open(
      instructed,
      typed,
      { area: "refund", type: "refundPressed" },
      { area: "refund", type: "refundFailed", fault: "refused" },
    );
    expect(failed.refund).toMatchObject({ address: "bc1q", status: "idle", fault: "refused" });
    const order = { ...instructed, refundAddress: "bc1q" };
    const saved = open(
      instructed,
      typed,
      { area: "refund", type: "refundPressed" },
      { area: "refund", type: "refundAddressSaved", order },
    );
    expect(saved).toMatchObject({ order: { refundAddress: "bc1q" }, refund: { address: "" } });
  });

  test("is not sent while it is empty", () => {
    expect(open(instructed, { area: "refund", type: "refundPressed" }).refund.status).toBe("idle");
  });
});
