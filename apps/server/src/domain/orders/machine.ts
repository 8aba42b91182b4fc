import type { OrderEvent } from "./events.ts";
import { type Move, move } from "./move.ts";
import {
  loseDeposit,
  refuseCardPayment,
  seeDeposit,
  startCardPayment,
  takeCapture,
  takeDeposit,
} from "./payments.ts";
import { confirmRefund, hold, rejectRefund, release, requestRefund } from "./review.ts";
import type { OrderState } from "./state.ts";
import type { OrderStatus } from "./status.ts";

export type { CardRefusalReason, OrderEvent } from "./events.ts";
export type { Move, OrderEffect } from "./move.ts";
export { CARD_ATTEMPTS_MAX } from "./payments.ts";
export type { OrderState } from "./state.ts";

/**
 * The move an event makes, or undefined when the order's status does not allow it
 * (completion, section 6). Pure: it reads nothing else and does nothing.
 */
export function decide(order: OrderState, event: OrderEvent, now: Date): Move | undefined {
  switch (event.kind) {
    case "card_payment_started":
      return startCardPayment(order, now);
    case "card_payment_refused":
      return refuseCardPayment(order, event.reason);
    case "payment_captured":
      return takeCapture(order);
    case "deposit_seen":
      return seeDeposit(order, now);
    case "deposit_lost":
      return loseDeposit(order, event.reason);
    case "deposit_final":
      return takeDeposit(order, event.coverage, now);
    case "held":
      return hold(order, event);
    case "released":
      return release(order, event);
    case "refund_requested":
      return requestRefund(order, event);
    case "refund_confirmed":
      return confirmRefund(order, event);
    case "refund_rejected":
      return rejectRefund(order);
    case "cancelled":
      return cancel(order, event);
    default:
      return progress(order, event, now);
  }
}

type Progress = Extract<
  OrderEvent,
  { kind: "exchanged" | "payout_confirmed" | "payout_rejected" | "payment_window_ended" }
>;

function progress(order: OrderState, event: Progress, now: Date): Move | undefined {
  switch (event.kind) {
    case "exchanged":
      return order.status === "processing"
        ? move("sending", "the amount was exchanged; the payout is being sent", ["send_payout"])
        : undefined;
    case "payout_confirmed":
      return order.status === "sending" ? move("completed", "the payout is final") : undefined;
    case "payout_rejected":
      return order.status === "sending"
        ? { ...move("in_review", "the payout was rejected"), reason: "delivery_rejected" }
        : undefined;
    case "payment_window_ended":
      return order.status === "awaiting_payment" && now >= order.paymentExpiresAt
        ? endWindow(event.moneyHeld)
        : undefined;
  }
}

/** An order that holds money never ends by itself: a person returns it. */
const endWindow = (moneyHeld: boolean): Move =>
  moneyHeld
    ? { ...move("in_review", "the payment window ended with a part paid"), reason: "underpaid" }
    : { ...move("expired", "the payment window ended"), reason: "payment_timeout" };

const CANCELLABLE: readonly OrderStatus[] = ["awaiting_payment", "payment_pending", "in_review"];

/** Before money is final; a card that may still be asked for its money is voided. */
function cancel(
  order: OrderState,
  event: Extract<OrderEvent, { kind: "cancelled" }>,
): Move | undefined {
  if (!CANCELLABLE.includes(order.status) || event.moneyUnderWay) return undefined;
  if (order.status === "in_review" && event.by !== "operator") return undefined;
  const reason = event.by === "customer" ? "user_cancelled" : (`${event.by}_cancelled` as const);
  const effects = order.status === "awaiting_payment" ? [] : (["void_payment"] as const);
  return { ...move("cancelled", `cancelled by the ${event.by}`, effects), actor: event.by, reason };
}
