import fc from "fast-check";
import { expect, test } from "vitest";
import { type OrderEventSketch, withFacts } from "../../testing/order-events.ts";
import { accepts, decide as decideEvent, type OrderState, writesOf } from "./machine.ts";
import {
  canMove,
  hasEndedUnpaid,
  isFinished,
  ORDER_MOVES,
  type OrderStatus,
  TERMINAL_STATUSES,
} from "./status.ts";
import { CARD_ATTEMPTS_MAX } from "./transitions.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
const LATER = new Date("2026-01-01T12:30:00Z");
const statuses = Object.keys(ORDER_MOVES) as OrderStatus[];

const decide = (state: OrderState, event: OrderEventSketch, now: Date) =>
  decideEvent(state, withFacts(event), now);

const order = (overrides: Partial<OrderState> = {}): OrderState => ({
  status: "awaiting_payment",
  statusReason: null,
  heldFrom: null,
  cardAttempts: 0,
  paymentExpiresAt: LATER,
  ...overrides,
});

const cancelled = (by: "customer" | "merchant" | "operator", moneyUnderWay = false) =>
  ({ kind: "cancelled", by, moneyUnderWay }) as const;
const refund = { kind: "refund_requested", exchanged: false, payoutAlive: false } as const;

const events: readonly OrderEventSketch[] = [
  { kind: "card_payment_started" },
  { kind: "card_payment_refused", reason: "card_declined" },
  { kind: "card_payment_refused", reason: "three_ds_failed" },
  { kind: "payment_captured", coverage: "exact" },
  { kind: "payment_captured", coverage: "underpaid" },
  { kind: "payment_captured", coverage: "overpaid" },
  { kind: "deposit_seen" },
  { kind: "deposit_lost", reason: "bank_rejected" },
  { kind: "deposit_lost", reason: "chain_reorg" },
  { kind: "transfer_moved" },
  { kind: "deposit_final", coverage: "exact" },
  { kind: "deposit_final", coverage: "underpaid" },
  { kind: "deposit_final", coverage: "overpaid" },
  { kind: "deposit_final", coverage: "wrong_asset" },
  { kind: "exchanged" },
  { kind: "payout_confirmed" },
  { kind: "payout_rejected" },
  { kind: "payout_lost" },
  { kind: "held", reason: "screening_hit", by: "system" },
  { kind: "held", reason: "limit_exceeded", by: "operator" },
  { kind: "released", covered: true, underWay: false },
  { kind: "released", covered: false, underWay: true },
  { kind: "released", covered: false, underWay: false },
  { ...refund, by: "merchant" },
  { ...refund, by: "operator", exchanged: true },
  { ...refund, by: "operator", payoutAlive: true },
  { kind: "refund_confirmed", remaining: false },
  { kind: "refund_confirmed", remaining: true },
  { kind: "refund_rejected" },
  { kind: "refund_held" },
  cancelled("customer"),
  cancelled("merchant"),
  cancelled("operator", true),
  { kind: "payment_window_ended", moneyHeld: false },
  { kind: "payment_window_ended", moneyHeld: true },
];

test("after any event an order only makes moves of the state table", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...statuses),
      fc.constantFrom(...events),
      fc.integer({ min: 0, max: CARD_ATTEMPTS_MAX }),
      fc.constantFrom(NOW, LATER, new Date("2026-01-02T00:00:00Z")),
      fc.constantFrom(...statuses, null),
      fc.constantFrom("underpaid", "late_payment", "screening_hit", null),
      (status, event, cardAttempts, now, heldFrom, statusReason) => {
        const state = order({ status, cardAttempts, heldFrom, statusReason });
        const move = decide(state, event, now);
        if (move) expect(canMove(status, move.next)).toBe(true);
      },
    ),
    { numRuns: 10_000 },
  );
});

test("only an order in review, or with final money that is not exchanged, accepts a refund", () => {
  const accepting = statuses.filter((status) => accepts(status, "refund_requested"));
  expect(accepting).toEqual(["in_review", "processing"]);
});

test("no event moves an order that failed or was refunded, and only a dropped payout one that completed", () => {
  const movesFrom = (status: OrderStatus): readonly string[] =>
    events.filter((event) => decide(order({ status }), event, LATER)).map(({ kind }) => kind);
  expect(movesFrom("failed")).toEqual([]);
  expect(movesFrom("refunded")).toEqual([]);
  expect(movesFrom("completed")).toEqual(["payout_lost"]);
});

test("an order whose payout the chain dropped after its completion waits for a person", () => {
  const lost = decide(order({ status: "completed" }), { kind: "payout_lost" }, LATER);
  expect(lost).toMatchObject({
    next: "in_review",
    reason: "delivery_rejected",
    payout: { state: "void", voidReason: "dead", awaitsFinality: false },
    reversals: [
      { of: "payout:intent-1", key: "payout_lost:intent-1" },
      { of: "payout_reserved:intent-1", key: "payout_voided:intent-1" },
    ],
    webhook: "OrderUpdated",
  });
  const held = order({ status: "in_review", heldFrom: "completed" });
  const released = { kind: "released", covered: true, underWay: false } as const;
  expect(decide(held, released, LATER)).toMatchObject({ next: "sending" });
});

test("a purchase goes from payment to payout", () => {
  const path = (status: OrderStatus, event: OrderEventSketch) =>
    decide(order({ status }), event, NOW);
  expect(path("awaiting_payment", { kind: "card_payment_started" })).toMatchObject({
    next: "payment_pending",
    actor: "customer",
    jobs: [{ kind: "authorize_payment" }],
  });
  expect(path("payment_pending", { kind: "payment_captured", coverage: "exact" })).toMatchObject({
    next: "processing",
    jobs: [{ kind: "exchange_order" }],
  });
  expect(path("processing", { kind: "exchanged" })).toMatchObject({
    next: "sending",
    jobs: [{ kind: "send_payout" }],
  });
  expect(path("sending", { kind: "payout_confirmed" })).toMatchObject({
    next: "completed",
    jobs: [],
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
  const ended = (moneyHeld: boolean) => ({ kind: "payment_window_ended", moneyHeld }) as const;
  expect(decide(order(), ended(false), NOW)).toBeUndefined();
  expect(decide(order(), ended(true), LATER)).toMatchObject({
    next: "in_review",
    reason: "underpaid",
  });
  expect(decide(order(), ended(false), LATER)).toMatchObject({
    next: "expired",
    reason: "payment_timeout",
  });
});

test("money that arrives after an order ended is held for a person", () => {
  for (const status of ["expired", "cancelled"] as const) {
    expect(
      decide(order({ status }), { kind: "payment_captured", coverage: "exact" }, NOW),
    ).toMatchObject({
      next: "in_review",
      reason: "late_payment",
      jobs: [],
    });
  }
});

test("an order is cancelled only while no money is under way, by whoever asked", () => {
  expect(decide(order(), cancelled("customer"), NOW)).toMatchObject({
    next: "cancelled",
    reason: "user_cancelled",
    actor: "customer",
    jobs: [],
  });
  expect(decide(order(), cancelled("merchant"), NOW)?.reason).toBe("merchant_cancelled");
  expect(decide(order(), cancelled("customer", true), NOW)).toBeUndefined();
  for (const status of ["processing", "sending", "completed"] as const) {
    expect(decide(order({ status }), cancelled("operator"), NOW)).toBeUndefined();
  }
});

test("a card payment that was not captured is voided when its order is cancelled", () => {
  const paying = order({ status: "payment_pending" });
  expect(decide(paying, cancelled("customer"), NOW)?.jobs).toEqual([
    { kind: "void_payment", subject: "attempt-1" },
  ]);
  expect(decide(paying, cancelled("customer", true), NOW)).toBeUndefined();
});

test("only an operator cancels an order in review", () => {
  const held = order({ status: "in_review", heldFrom: "awaiting_payment" });
  expect(decide(held, cancelled("customer"), NOW)).toBeUndefined();
  expect(decide(held, cancelled("merchant"), NOW)).toBeUndefined();
  expect(decide(held, cancelled("operator"), NOW)).toMatchObject({ next: "cancelled" });
});

test("a deposit seen in time keeps its rate; what is lost may be paid again", () => {
  expect(decide(order(), { kind: "deposit_seen" }, NOW)?.next).toBe("payment_pending");
  expect(decide(order(), { kind: "deposit_seen" }, LATER)).toBeUndefined();
  const pending = order({ status: "payment_pending" });
  const final = { kind: "deposit_final", coverage: "exact" } as const;
  expect(decide(pending, final, LATER)?.next).toBe("processing");
  const lost = { kind: "deposit_lost", reason: "chain_reorg" } as const;
  expect(decide(pending, lost, NOW)).toMatchObject({
    next: "awaiting_payment",
    reason: "chain_reorg",
  });
});

test.each(["underpaid", "overpaid"] as const)(
  "a capture of another amount is %s, and a person decides about it",
  (coverage) => {
    const captured = withFacts({ kind: "payment_captured", coverage });
    const decided = decideEvent(order({ status: "payment_pending" }), captured, NOW);
    expect(decided).toMatchObject({ next: "in_review", reason: coverage, jobs: [] });
    expect(decided).toMatchObject({ receivedUnits: 10_000n });
  },
);

test("a part that a card paid is refunded, because no second card can pay the rest", () => {
  const short = order({ status: "in_review", statusReason: "underpaid" });
  const released = withFacts({ kind: "released", covered: false, underWay: false });
  expect(decideEvent(short, released, NOW)?.next).toBe("awaiting_payment");
  expect(
    decideEvent(short, { ...released, captured: true } as typeof released, NOW),
  ).toBeUndefined();
});

test.each(["underpaid", "overpaid", "wrong_asset"] as const)(
  "money that is %s waits for a person",
  (coverage) => {
    const final = { kind: "deposit_final", coverage } as const;
    expect(decide(order(), final, NOW)).toMatchObject({
      next: "in_review",
      reason: coverage,
      jobs: [],
    });
  },
);

test("an underpaid order that is completed in time continues; a late one waits", () => {
  const short = order({ status: "in_review", statusReason: "underpaid" });
  const rest = { kind: "deposit_final", coverage: "exact" } as const;
  expect(decide(short, rest, NOW)?.next).toBe("processing");
  expect(decide(short, rest, LATER)).toBeUndefined();
  expect(decide(order(), rest, LATER)).toMatchObject({ reason: "late_payment" });
});

test("money that arrives after a partial refund does not complete the payment", () => {
  const held = { status: "in_review", statusReason: "underpaid" } as const;
  const rest = { kind: "deposit_final", coverage: "exact" } as const;
  expect(decide(order({ ...held, heldFrom: "refund_pending" }), rest, NOW)).toBeUndefined();
  expect(decide(order({ ...held, heldFrom: "payment_pending" }), rest, NOW)?.next).toBe(
    "processing",
  );
});

test("a released order continues according to the money it holds", () => {
  const released = (heldFrom: OrderStatus, covered: boolean, underWay = false) =>
    decide(order({ status: "in_review", heldFrom }), { kind: "released", covered, underWay }, NOW);
  const jobs = [{ kind: "expire_order", isAtWindowEnd: true }, { kind: "watch_payment" }];
  expect(released("sending", true)).toMatchObject({
    next: "sending",
    jobs: [{ kind: "send_payout" }],
  });
  expect(released("expired", true)).toMatchObject({
    next: "processing",
    jobs: [{ kind: "exchange_order" }],
    actor: "operator",
  });
  expect(released("awaiting_payment", false)).toMatchObject({
    next: "awaiting_payment",
    reopensPayment: true,
    jobs,
  });
  expect(released("payment_pending", false, true)).toMatchObject({ next: "payment_pending", jobs });
  expect(released("refund_pending", true)).toBeUndefined();
});

test("a merchant refunds what is not exchanged, an operator also what is, nobody what may have left", () => {
  const held = order({ status: "in_review", heldFrom: "sending" });
  const ask = (by: "merchant" | "operator", exchanged: boolean, payoutAlive: boolean) =>
    decide(held, { kind: "refund_requested", by, exchanged, payoutAlive }, NOW)?.next;
  expect(ask("merchant", false, false)).toBe("refund_pending");
  expect(ask("merchant", true, false)).toBeUndefined();
  expect(ask("operator", true, false)).toBe("refund_pending");
  expect(ask("operator", true, true)).toBeUndefined();
});

test("the customer and the system refund only an order that waits for an answer to its price", () => {
  const by = (from: Partial<OrderState>, exchanged = false) => {
    const held = order({ status: "in_review", ...from });
    return (["customer", "system", "merchant", "operator"] as const).filter((party) =>
      decide(held, { ...refund, by: party, exchanged }, NOW),
    );
  };
  const moved = { statusReason: "rate_moved", heldFrom: "processing" } as const;
  expect(by(moved)).toEqual(["customer", "system", "merchant", "operator"]);
  expect(by(moved, true)).toEqual(["operator"]);
  expect(by({ ...moved, heldFrom: "refund_pending" })).toEqual(["merchant", "operator"]);
  expect(by({ ...moved, status: "processing", heldFrom: null })).toEqual(["merchant", "operator"]);
  expect(by({ ...moved, statusReason: "screening_hit" })).toEqual(["operator"]);
});

test("only money that is final is held for its price, and only a held price is accepted", () => {
  const moved = { kind: "price_moved" } as const;
  const held = statuses.filter((status) => decide(order({ status }), moved, NOW));
  expect(held).toEqual(["processing"]);
  expect(decide(order({ status: "processing" }), moved, NOW)).toMatchObject({
    reason: "rate_moved",
    opensAnswer: true,
    jobs: [{ kind: "end_price_offer", isAtWindowEnd: true }],
  });
  const accepts = (from: Partial<OrderState>) =>
    decide(order({ status: "in_review", ...from }), { kind: "price_accepted" }, NOW)?.next;
  expect(accepts({ statusReason: "rate_moved", heldFrom: "processing" })).toBe("processing");
  expect(accepts({ statusReason: "rate_moved", heldFrom: "refund_pending" })).toBeUndefined();
  expect(accepts({ statusReason: "screening_hit", heldFrom: "processing" })).toBeUndefined();
});

test("an order is refunded with the last of what was received", () => {
  const owed = order({ status: "refund_pending", statusReason: "overpaid" });
  const confirmed = (remaining: boolean) =>
    decide(owed, { kind: "refund_confirmed", remaining }, NOW);
  expect(confirmed(false)).toMatchObject({ next: "refunded", reason: "overpaid" });
  expect(confirmed(true)).toMatchObject({ next: "in_review", reason: "overpaid" });
  expect(decide(owed, { kind: "refund_rejected" }, NOW)).toMatchObject({
    next: "in_review",
    reason: "delivery_rejected",
  });
});

test("the timeline says why the rail rejected a payout or a refund, where the rail says so", () => {
  const detail = "the account wants a tag";
  const noteOf = (status: OrderStatus, event: OrderEventSketch) =>
    decide(order({ status }), event, NOW)?.note;
  expect(noteOf("sending", { kind: "payout_rejected", detail })).toBe(
    "the payout was rejected: the account wants a tag",
  );
  expect(noteOf("refund_pending", { kind: "refund_rejected", detail })).toBe(
    "the refund was rejected: the account wants a tag",
  );
  expect(noteOf("sending", { kind: "payout_rejected" })).toBe("the payout was rejected");
});

test("a capture is booked wherever the order is; only its status decides whether it moves", () => {
  const captured = withFacts({ kind: "payment_captured", coverage: "exact" });
  const entries = [expect.objectContaining({ key: "capture:attempt-1" })];
  expect(decideEvent(order(), captured, NOW)).toMatchObject({ receivedUnits: 10_000n, entries });
  expect(decideEvent(order({ status: "in_review" }), captured, NOW)).toBeUndefined();
  expect(writesOf(captured)).toMatchObject({ receivedUnits: 10_000n, entries });
});

test("an exchange owes the payout, reserves it and has it sent", () => {
  const processing = order({ status: "processing" });
  const transition = decideEvent(processing, withFacts({ kind: "exchanged" }), NOW);
  expect(transition?.owes.map(({ id }) => id)).toEqual(["intent-1"]);
  expect(transition?.entries.map(({ key }) => key)).toEqual([
    "exchange:1:spend",
    "exchange:1:receive",
    "payout_reserved:intent-1",
  ]);
  expect(transition?.jobs).toEqual([{ kind: "send_payout", subject: "intent-1" }]);
});

test("each status that tells more than a change has its own event for webhooks", () => {
  const webhook = (status: OrderStatus, event: OrderEventSketch) =>
    decide(order({ status }), event, NOW)?.webhook;
  expect(webhook("sending", { kind: "payout_confirmed" })).toBe("OrderFulfillment");
  expect(webhook("refund_pending", { kind: "refund_confirmed", remaining: false })).toBe(
    "OrderRefunded",
  );
  expect(webhook("sending", { kind: "payout_rejected" })).toBe("OrderUpdated");
});

test("late money is accepted by an order that ended unpaid, and by no other that has ended", () => {
  for (const status of TERMINAL_STATUSES) {
    const isAccepted = accepts(status, "deposit_final");
    expect([hasEndedUnpaid(status), isFinished(status)], status).toEqual([isAccepted, !isAccepted]);
  }
});
