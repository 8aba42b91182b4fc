import type { Entry } from "../ledger/entry.ts";
import type { Reversal } from "../ledger/order-entries.ts";
import type { NewPayoutIntent, PayoutChange } from "../payouts/payout-intent.ts";
import type { OrderEvent } from "./events.ts";
import type { OrderState } from "./state.ts";
import type { Actor, OrderStatus, StatusReason } from "./status.ts";
import { type OrderJob, rowOf, type Writes } from "./transitions.ts";

export type { CardRefusalReason, OrderEvent } from "./events.ts";
export type { OrderState } from "./state.ts";
export { CARD_ATTEMPTS_MAX, type OrderJob } from "./transitions.ts";

/** An order's change of status, with everything that is written together with it. */
export interface Transition {
  readonly next: OrderStatus;
  readonly reason: StatusReason | null;
  readonly actor: Actor;
  /** Tells the timeline why, in words. */
  readonly note: string;
  readonly cardAttempts: number;
  readonly reopensPayment: boolean;
  readonly receivedUnits: bigint | undefined;
  readonly entries: readonly Entry[];
  readonly reversals: readonly Reversal[];
  readonly owes: readonly NewPayoutIntent[];
  readonly payout: PayoutChange | undefined;
  readonly jobs: readonly OrderJob[];
  readonly webhook: "OrderUpdated" | "OrderFulfillment" | "OrderRefunded";
}

/**
 * The transition that an event makes, or undefined when the order's status does not allow it
 * (completion, section 6). Pure: it reads nothing else and does nothing.
 */
export function decide(order: OrderState, event: OrderEvent, now: Date): Transition | undefined {
  const { from, to } = rowOf(event.kind);
  if (!from.includes(order.status)) return undefined;
  const outcome = typeof to === "function" ? to(order, event, now) : to;
  if (!outcome) return undefined;
  const { writes = {}, jobs = [] } = outcome;
  const written = { ...writesOf(event), ...writes };
  return {
    next: outcome.to,
    reason: outcome.reason ?? null,
    actor: outcome.actor ?? "system",
    note: outcome.note,
    cardAttempts: order.cardAttempts + (outcome.isNewCardAttempt ? 1 : 0),
    reopensPayment: outcome.reopensPayment ?? false,
    receivedUnits: written.receivedUnits,
    entries: written.entries ?? [],
    reversals: written.reversals ?? [],
    owes: written.owes ?? [],
    payout: written.payout,
    jobs,
    webhook: outcome.webhook ?? "OrderUpdated",
  };
}

/** What an event writes even where the order does not move: money that moved is booked. */
export const writesOf = (event: OrderEvent): Writes => rowOf(event.kind).writes?.(event) ?? {};
