import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { ORDER_MOVES, type OrderStatus } from "../../../apps/server/src/domain/orders/status.ts";
import { advanceOrder } from "../../../apps/server/src/flows/orders/advance.ts";
import { stepOf } from "../../../apps/server/src/flows/orders/step-of.ts";
import { type OrderEventSketch, withFacts } from "../../../apps/server/src/testing/order-events.ts";
import type { World } from "../../../apps/server/src/testing/world.ts";
import { acceptsStatus, booksOf, endPaymentWindow } from "../books.ts";
import { placed } from "../stage.ts";
import type { Command, Sequences } from "./sequences.ts";

/** A small model of an order. */
interface Model {
  status: OrderStatus;
  /** Held because too little, or the wrong thing, was paid. */
  isShort: boolean;
  /** Held by screening. Then only an operator refunds it. */
  isScreened: boolean;
  heldFrom: OrderStatus | undefined;
  attempts: number;
  isLate: boolean;
  version: number;
  readonly timeline: OrderStatus[];
}

interface Real {
  readonly world: World;
  readonly orderId: bigint;
}

/** The model has a limit of its own, so that it notices a change of the service's. */
const CARD_ATTEMPTS_MAX = 5;
const ENDED: readonly OrderStatus[] = ["expired", "cancelled"];

/** Where an event takes the order, or undefined where it may not happen. */
function expected(model: Model, event: OrderEventSketch): OrderStatus | undefined {
  const { status, isLate } = model;
  const from = (wanted: OrderStatus, next: OrderStatus) => (status === wanted ? next : undefined);
  switch (event.kind) {
    case "card_payment_started":
      return isLate || model.attempts >= CARD_ATTEMPTS_MAX
        ? undefined
        : from("awaiting_payment", "payment_pending");
    case "card_payment_refused":
      return from(
        "payment_pending",
        model.attempts < CARD_ATTEMPTS_MAX ? "awaiting_payment" : "failed",
      );
    case "payment_captured":
      if (ENDED.includes(status)) return "in_review";
      return ["awaiting_payment", "payment_pending"].includes(status)
        ? event.coverage === "exact"
          ? "processing"
          : "in_review"
        : undefined;
    case "deposit_seen":
      return isLate ? undefined : from("awaiting_payment", "payment_pending");
    case "transfer_moved":
      return ["awaiting_payment", "payment_pending", ...ENDED].includes(status)
        ? "in_review"
        : undefined;
    case "deposit_lost":
      return from("payment_pending", "awaiting_payment");
    case "deposit_final":
      return afterDeposit(model, event.coverage === "exact");
    case "exchanged":
      return from("processing", "sending");
    case "payout_confirmed":
      return from("sending", "completed");
    case "payout_rejected":
      return from("sending", "in_review");
    case "payout_lost":
      return from("completed", "in_review");
    case "held":
      return ["awaiting_payment", "payment_pending", "processing", "sending"].includes(status)
        ? "in_review"
        : undefined;
    // The model holds no order for its price.
    case "price_moved":
    case "price_accepted":
      return undefined;
    case "released":
      return status === "in_review" ? afterRelease(model, event) : undefined;
    case "refund_requested": {
      const needsOperator = event.exchanged || model.isScreened;
      const isAllowed = !event.payoutAlive && (!needsOperator || event.by === "operator");
      if (!isAllowed) return undefined;
      return from("in_review", "refund_pending") ?? from("processing", "refund_pending");
    }
    case "refund_confirmed":
      return from("refund_pending", event.remaining ? "in_review" : "refunded");
    case "refund_rejected":
    case "refund_held":
      return from("refund_pending", "in_review");
    case "cancelled": {
      if (event.moneyUnderWay) return undefined;
      const reviewed = event.by === "operator" ? from("in_review", "cancelled") : undefined;
      return (
        from("awaiting_payment", "cancelled") ?? from("payment_pending", "cancelled") ?? reviewed
      );
    }
    case "payment_window_ended":
      return isLate
        ? from("awaiting_payment", event.moneyHeld ? "in_review" : "expired")
        : undefined;
  }
}

function afterDeposit(model: Model, isExact: boolean): OrderStatus | undefined {
  const { status, isLate } = model;
  if (ENDED.includes(status)) return "in_review";
  if (status === "awaiting_payment") return isExact && !isLate ? "processing" : "in_review";
  if (status === "payment_pending") return isExact ? "processing" : "in_review";
  const completes = status === "in_review" && isExact && model.isShort && !isLate;
  return completes ? "processing" : undefined;
}

function afterRelease(
  { heldFrom }: Model,
  paid: { readonly covered: boolean; readonly underWay: boolean },
): OrderStatus | undefined {
  if (heldFrom === "sending" || heldFrom === "completed") return "sending";
  if (heldFrom === "refund_pending") return undefined;
  if (paid.covered) return "processing";
  return paid.underWay ? "payment_pending" : "awaiting_payment";
}

/** An event is decided on and written as one step, as every flow does it. */
class Happen implements Command<Model, Real> {
  readonly event: OrderEventSketch;
  constructor(event: OrderEventSketch) {
    this.event = event;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, { world, orderId }: Real): Promise<void> {
    const { event } = this;
    const next = expected(model, event);
    const starts = event.kind === "card_payment_started" && next !== undefined;
    const cardAttempts = model.attempts + (starts ? 1 : 0);
    let status: OrderStatus | undefined;
    await advanceOrder(world.deps, { orderId }, (order, now) => {
      const step = stepOf(world.deps, order, { ...withFacts(event), ...freshIds() }, now);
      status = step?.change?.status;
      // Where the order goes is the model's: its money is another's.
      return step && { change: step.change, event: step.event, jobs: step.jobs ?? [] };
    });
    expect(status, `${this.toString()} while ${model.status}`).toBe(next);
    if (next === undefined) return;
    const reopens = event.kind === "released" && next === "awaiting_payment";
    model.isLate &&= !reopens;
    model.isShort =
      (event.kind === "deposit_final" || event.kind === "payment_captured") &&
      ["underpaid", "wrong_asset"].includes(event.coverage) &&
      !(
        ENDED.includes(model.status) ||
        (model.status === "awaiting_payment" && event.kind === "deposit_final" && model.isLate)
      );
    model.isScreened =
      ["held", "refund_held"].includes(event.kind) ||
      (model.isScreened && event.kind.startsWith("refund_"));
    model.heldFrom = next === "in_review" ? model.status : undefined;
    model.attempts = cardAttempts;
    model.status = next;
    model.version += 1;
    model.timeline.push(next);
  }
  toString(): string {
    return JSON.stringify(this.event);
  }
}

/** Jobs are told apart by what they are about. */
const freshIds = () => ({ attemptId: randomUUID(), payoutId: randomUUID() });

class WindowEnds implements Command<Model, Real> {
  check(model: Readonly<Model>): boolean {
    return !model.isLate;
  }
  async run(model: Model, { world, orderId }: Real): Promise<void> {
    await endPaymentWindow(world.database, orderId);
    model.isLate = true;
    model.version += 1;
  }
  toString(): string {
    return "the payment window ends";
  }
}

/** Writes a status into the table: the database allows only the moves of ORDER_MOVES. */
class Meddle implements Command<Model, Real> {
  readonly to: OrderStatus;
  constructor(to: OrderStatus) {
    this.to = to;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, { world, orderId }: Real): Promise<void> {
    const { to } = this;
    const isAllowed = await acceptsStatus(world.database, orderId, to);
    const moves: readonly string[] = ORDER_MOVES[model.status];
    expect(isAllowed, `${model.status} to ${to}`).toBe(to === model.status || moves.includes(to));
  }
  toString(): string {
    return `the status ${this.to} is written`;
  }
}

const actor = fc.constantFrom("customer" as const, "merchant" as const, "operator" as const);
const decider = fc.constantFrom("merchant" as const, "operator" as const);
const happening = (event: fc.Arbitrary<OrderEventSketch>) => event.map((one) => new Happen(one));
const simple = fc.constantFrom<OrderEventSketch>(
  { kind: "card_payment_started" },
  { kind: "card_payment_refused", reason: "card_declined" },
  { kind: "payment_captured", coverage: "exact" },
  { kind: "payment_captured", coverage: "underpaid" },
  { kind: "deposit_seen" },
  { kind: "deposit_lost", reason: "chain_reorg" },
  { kind: "transfer_moved" },
  { kind: "exchanged" },
  { kind: "payout_confirmed" },
  { kind: "payout_rejected" },
  { kind: "payout_lost" },
  { kind: "refund_rejected" },
  { kind: "refund_held" },
  { kind: "payment_window_ended", moneyHeld: false },
  { kind: "payment_window_ended", moneyHeld: true },
);

export const orderSequences = (world: World): Sequences<Model, Real> => ({
  name: "orders",
  amount: { test: 700, campaign: 30_000 },
  commandsMax: 20,
  commands: [
    happening(simple),
    happening(
      fc.record({
        kind: fc.constant("deposit_final" as const),
        coverage: fc.constantFrom("exact", "underpaid", "overpaid", "wrong_asset"),
      }),
    ),
    happening(fc.constant({ kind: "held", reason: "screening_hit", by: "system" })),
    happening(
      fc.record({
        kind: fc.constant("released" as const),
        covered: fc.boolean(),
        underWay: fc.boolean(),
      }),
    ),
    happening(
      fc.record({
        kind: fc.constant("refund_requested" as const),
        by: decider,
        exchanged: fc.boolean(),
        payoutAlive: fc.boolean(),
      }),
    ),
    happening(
      fc.record({ kind: fc.constant("refund_confirmed" as const), remaining: fc.boolean() }),
    ),
    happening(
      fc.record({
        kind: fc.constant("cancelled" as const),
        by: actor,
        moneyUnderWay: fc.boolean(),
      }),
    ),
    fc.constant(new WindowEnds()),
    fc.constantFrom(...(Object.keys(ORDER_MOVES) as OrderStatus[])).map((to) => new Meddle(to)),
  ],
  setUp: async () => ({
    model: {
      status: "awaiting_payment",
      isShort: false,
      isScreened: false,
      heldFrom: undefined,
      attempts: 0,
      isLate: false,
      version: 1,
      timeline: ["awaiting_payment"],
    },
    real: { world, orderId: (await placed(world)).order.id },
  }),
  check: async ({ model, real: { orderId } }) => {
    const books = booksOf(world.database);
    const { status, version } = model;
    expect(await books.statusOf(orderId)).toEqual({ status, version });
    expect(await books.timelineOf(orderId)).toEqual(model.timeline);
    expect(await books.eventsOf(orderId)).toBe(model.timeline.length);
  },
});
