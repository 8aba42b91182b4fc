import fc from "fast-check";
import { expect, test } from "vitest";
import { CARD_ATTEMPTS_MAX, decide, type OrderEvent, type OrderState } from "./machine.ts";
import { canMove, ORDER_MOVES, type OrderStatus } from "./status.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const LATER = new Date("2026-01-01T12:30:00Z");
const statuses = Object.keys(ORDER_MOVES) as OrderStatus[];

const order = (overrides: Partial<OrderState> = {}): OrderState => ({
  status: "awaiting_payment",
  cardAttempts: 0,
  paymentExpiresAt: LATER,
  ...overrides,
});

const events: readonly OrderEvent[] = [
  { kind: "card_payment_started" },
  { kind: "card_payment_refused", reason: "card_declined" },
  { kind: "card_payment_refused", reason: "three_ds_failed" },
  { kind: "payment_captured" },
  { kind: "exchanged" },
  { kind: "payout_confirmed" },
  { kind: "cancelled", by: "customer" },
  { kind: "cancelled", by: "merchant" },
  { kind: "payment_window_ended" },
];

test("whatever happens, an order only makes moves of the state table", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...statuses),
      fc.constantFrom(...events),
      fc.integer({ min: 0, max: CARD_ATTEMPTS_MAX }),
      fc.constantFrom(NOW, LATER, new Date("2026-01-02T00:00:00Z")),
      (status, event, cardAttempts, now) => {
        const move = decide(order({ status, cardAttempts }), event, now);
        if (move) expect(canMove(status, move.next)).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
});

test("no event moves an order that completed, failed or was refunded", () => {
  for (const status of ["completed", "failed", "refunded"] as const) {
    for (const event of events) expect(decide(order({ status }), event, LATER)).toBeUndefined();
  }
});

test("a purchase goes from payment to payout", () => {
  const path = (status: OrderStatus, event: OrderEvent) => decide(order({ status }), event, NOW);
  expect(path("awaiting_payment", { kind: "card_payment_started" })).toMatchObject({
    next: "payment_pending",
    actor: "customer",
    effects: ["authorize_payment"],
  });
  expect(path("payment_pending", { kind: "payment_captured" })).toMatchObject({
    next: "processing",
    effects: ["exchange_order"],
  });
  expect(path("processing", { kind: "exchanged" })).toMatchObject({
    next: "sending",
    effects: ["send_payout"],
  });
  expect(path("sending", { kind: "payout_confirmed" })).toMatchObject({
    next: "completed",
    effects: [],
  });
});

test("a refused card leaves the order payable until the fifth", () => {
  const refused = { kind: "card_payment_refused", reason: "card_declined" } as const;
  const after = (cardAttempts: number) =>
    decide(order({ status: "payment_pending", cardAttempts }), refused, NOW);
  expect(after(1)).toMatchObject({ next: "awaiting_payment", reason: "card_declined" });
  expect(after(4)).toMatchObject({ next: "awaiting_payment" });
  expect(after(5)).toMatchObject({ next: "failed", reason: "card_declined" });
});

test("a sixth card is not tried", () => {
  const state = order({ cardAttempts: CARD_ATTEMPTS_MAX });
  expect(decide(state, { kind: "card_payment_started" }, NOW)).toBeUndefined();
});

test("nobody pays after the payment window, and the order expires then and not before", () => {
  expect(decide(order(), { kind: "card_payment_started" }, LATER)).toBeUndefined();
  expect(decide(order(), { kind: "payment_window_ended" }, NOW)).toBeUndefined();
  expect(decide(order(), { kind: "payment_window_ended" }, LATER)).toMatchObject({
    next: "expired",
    reason: "payment_timeout",
  });
});

test("money that arrives after an order ended is held for a person", () => {
  for (const status of ["expired", "cancelled"] as const) {
    expect(decide(order({ status }), { kind: "payment_captured" }, NOW)).toMatchObject({
      next: "in_review",
      reason: "late_payment",
      effects: [],
    });
  }
});

test("an order is cancelled only while nothing was paid, by whoever asked", () => {
  expect(decide(order(), { kind: "cancelled", by: "customer" }, NOW)).toMatchObject({
    next: "cancelled",
    reason: "user_cancelled",
    actor: "customer",
  });
  expect(decide(order(), { kind: "cancelled", by: "merchant" }, NOW)?.reason).toBe(
    "merchant_cancelled",
  );
  for (const status of ["payment_pending", "processing", "sending"] as const) {
    const cancelled = { kind: "cancelled", by: "customer" } as const;
    expect(decide(order({ status }), cancelled, NOW)).toBeUndefined();
  }
});
