import { describe, expect, test } from "vitest";
import type { CheckoutEvent } from "./events.ts";
import { canCancel, lacksRefundAddress, mayChange } from "./orders.ts";
import type { Ordered } from "./state.ts";
import {
  makeInstructions,
  makeOrder,
  makePayment,
  makeSession,
  openAs,
  replay,
} from "./testing.ts";

const byBank = makePayment({ type: "bank_transfer" });
const waiting = makeOrder({ payment: byBank });
const told = makeOrder({
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
  test("asks for its instructions by itself when it is found without them", () => {
    expect(open()).toMatchObject({ screen: "instructions", submission: "sent" });
    expect(open(told)).toMatchObject({ screen: "instructions", submission: "none" });
  });

  test("shows them as soon as they are there, and its status once money is seen", () => {
    const shown = open(waiting, { area: "ordered", type: "paymentAnswered", order: told });
    expect(shown).toMatchObject({ screen: "instructions", submission: "none" });
    const seen = { ...told, status: "payment_pending" as const, updatedAt: 1_002 };
    expect(open(told, { area: "ordered", type: "orderRead", order: seen }).screen).toBe("status");
  });

  test("says so when they cannot be had, and asks again only when told to", () => {
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

  test("an answer without instructions does not ask for ever", () => {
    const stage = open(waiting, { area: "ordered", type: "paymentAnswered", order: waiting });
    expect(stage).toMatchObject({ submission: "none", fault: "no_instructions" });
  });

  test("that ended unpaid is still watched: late money counts", () => {
    expect(mayChange(makeOrder({ status: "expired", payment: byBank }))).toBe(true);
    expect(mayChange(makeOrder({ status: "expired" }))).toBe(false);
    expect(mayChange(makeOrder({ status: "completed", payment: byBank }))).toBe(false);
  });
});

describe("cancelling", () => {
  test("is possible only while nothing of the money was seen", () => {
    expect(canCancel(told)).toBe(true);
    const seen = { ...byBank, deposits: [{ ...DEPOSIT, status: "seen" as const }] };
    expect(canCancel(makeOrder({ payment: seen }))).toBe(false);
    const lost = { ...byBank, deposits: [{ ...DEPOSIT, status: "lost" as const }] };
    expect(canCancel(makeOrder({ payment: lost }))).toBe(true);
    expect(canCancel(makeOrder({ status: "processing" }))).toBe(false);
  });

  test("is sent once, after the customer confirmed it", () => {
    const asked = open(told, { area: "cancellation", type: "cancelRequested" });
    expect(asked.cancellation).toBe("confirming");
    const sent = open(
      told,
      { area: "cancellation", type: "cancelRequested" },
      { area: "cancellation", type: "cancelConfirmed" },
    );
    expect(sent.cancellation).toBe("sent");
    expect(replay(sent, { area: "cancellation", type: "cancelDeclined" }).stage).toBe(sent);
  });

  test("that worked leaves no word of failure behind", () => {
    const ended = { ...told, status: "cancelled" as const, updatedAt: 1_009 };
    const stage = open(
      told,
      { area: "cancellation", type: "cancelRequested" },
      { area: "cancellation", type: "cancelConfirmed" },
      { area: "cancellation", type: "cancelAnswered", order: ended },
    );
    expect(stage).toMatchObject({ screen: "status", cancellation: "none" });
  });

  test("that came too late is told", () => {
    const stage = open(
      told,
      { area: "cancellation", type: "cancelRequested" },
      { area: "cancellation", type: "cancelConfirmed" },
      { area: "cancellation", type: "cancelAnswered", order: told },
    );
    expect(stage.cancellation).toBe("refused");
  });
});

describe("the way back for coins", () => {
  const coins = makePayment({ type: "crypto" });

  test("is asked for while coins may come, and not once they are on their way back", () => {
    const asks = (["awaiting_payment", "in_review", "expired"] as const).map((status) =>
      lacksRefundAddress(makeOrder({ status, payment: coins })),
    );
    expect(asks).toEqual([true, true, true]);
    expect(lacksRefundAddress(makeOrder({ status: "refund_pending", payment: coins }))).toBe(false);
    expect(lacksRefundAddress(makeOrder({ status: "in_review" }))).toBe(false);
    expect(lacksRefundAddress(makeOrder({ payment: coins, refundAddress: "bc1q" }))).toBe(false);
  });

  test("is kept once it was answered, and stays to be mended when it was refused", () => {
    const typed = { area: "refund", type: "refundTyped", fields: { address: "bc1q" } } as const;
    const saving = open(told, typed, { area: "refund", type: "refundPressed" });
    expect(saving.refund.status).toBe("saving");
    const failed = open(
      told,
      typed,
      { area: "refund", type: "refundPressed" },
      { area: "refund", type: "refundFailed", fault: "refused" },
    );
    expect(failed.refund).toMatchObject({ address: "bc1q", status: "idle", fault: "refused" });
    const order = { ...told, refundAddress: "bc1q" };
    const kept = open(
      told,
      typed,
      { area: "refund", type: "refundPressed" },
      { area: "refund", type: "refundAddressSaved", order },
    );
    expect(kept).toMatchObject({ order: { refundAddress: "bc1q" }, refund: { address: "" } });
  });

  test("an empty one is not sent", () => {
    expect(open(told, { area: "refund", type: "refundPressed" }).refund.status).toBe("idle");
  });
});
