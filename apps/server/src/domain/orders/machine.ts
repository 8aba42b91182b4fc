import type { EventOf, OrderEvent } from "./events.ts";
import type { OrderState } from "./state.ts";
import type { OrderStatus } from "./status.ts";
import type { Transition, TransitionRow, Writes } from "./transition.ts";
import { TRANSITIONS } from "./transitions.ts";

export type { CardRefusalReason, OrderEvent } from "./events.ts";
export {
  awaitsPriceAnswer,
  isMoneyUnderWay,
  mayChangeMethod,
  mayHaveLeft,
  mayRefund,
  mayRelease,
  type OrderState,
} from "./state.ts";
export type { OrderJob, Transition, Writes } from "./transition.ts";

/**
 * Returns the transition for an event, or undefined when the order's status does not allow the
 * event (completion, section 6). Pure: it reads nothing else and has no effects.
 */
export function decide(order: OrderState, event: OrderEvent, now: Date): Transition | undefined {
  if (!accepts(order.status, event.kind)) return undefined;
  const { to } = rowOf(event.kind);
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
    opensAnswer: outcome.opensAnswer ?? false,
    receivedUnits: written.receivedUnits,
    entries: written.entries ?? [],
    reversals: written.reversals ?? [],
    owes: written.owes ?? [],
    payout: written.payout,
    jobs,
    screeningHits: outcome.screeningHits,
    webhook: outcome.webhook ?? "OrderUpdated",
  };
}

/** Returns whether an order of this status accepts such an event. The order and the event's facts may still refuse it. */
export const accepts = (status: OrderStatus, kind: OrderEvent["kind"]): boolean =>
  TRANSITIONS[kind].from.includes(status);

/** Returns the writes of an event, even if the order keeps its status: money that moved is booked. */
export const writesOf = (event: OrderEvent): Writes => rowOf(event.kind).writes?.(event) ?? {};

/** The row of an event in the transition table. */
const rowOf = <Kind extends OrderEvent["kind"]>(kind: Kind): TransitionRow<EventOf<Kind>> =>
  TRANSITIONS[kind];
