import type { Actor, OrderStatus, StatusReason } from "./status.ts";

/** What an order has to know of itself to decide. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
}

/** Something that happened, or that somebody asks for. */
export type OrderEvent =
  | { readonly kind: "card_payment_started" }
  | { readonly kind: "card_payment_refused"; readonly reason: CardRefusalReason }
  | { readonly kind: "payment_captured" }
  | { readonly kind: "exchanged" }
  | { readonly kind: "payout_confirmed" }
  | { readonly kind: "cancelled"; readonly by: "customer" | "merchant" | "operator" }
  | { readonly kind: "payment_window_ended" };

export type CardRefusalReason = "card_declined" | "three_ds_failed" | "provider_error";

/** Work the decision asks for: done later as jobs. */
export type OrderEffect = "authorize_payment" | "exchange_order" | "send_payout";

/** A move of the order. `note` tells the timeline why, in words. */
export interface Move {
  readonly next: OrderStatus;
  readonly reason: StatusReason | null;
  readonly actor: Actor;
  readonly note: string;
  readonly effects: readonly OrderEffect[];
}

export const CARD_ATTEMPTS_MAX = 5;

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
    case "exchanged":
      return order.status === "processing"
        ? move("sending", "the amount was exchanged; the payout is being sent", ["send_payout"])
        : undefined;
    case "payout_confirmed":
      return order.status === "sending" ? move("completed", "the payout is final") : undefined;
    case "cancelled":
      return order.status === "awaiting_payment" ? cancel(event.by) : undefined;
    case "payment_window_ended":
      return order.status === "awaiting_payment" && now >= order.paymentExpiresAt
        ? { ...move("expired", "the payment window ended"), reason: "payment_timeout" }
        : undefined;
  }
}

function startCardPayment(order: OrderState, now: Date): Move | undefined {
  const mayPay =
    order.status === "awaiting_payment" &&
    order.cardAttempts < CARD_ATTEMPTS_MAX &&
    now < order.paymentExpiresAt;
  return mayPay
    ? {
        ...move("payment_pending", "a card payment was started", ["authorize_payment"]),
        actor: "customer",
      }
    : undefined;
}

/** A refused card leaves the order payable until the attempts are used up. */
function refuseCardPayment(order: OrderState, reason: CardRefusalReason): Move | undefined {
  if (order.status !== "payment_pending") return undefined;
  return order.cardAttempts < CARD_ATTEMPTS_MAX
    ? { ...move("awaiting_payment", "the card payment was refused; another may be tried"), reason }
    : { ...move("failed", "the last card payment was refused"), reason };
}

function takeCapture(order: OrderState): Move | undefined {
  switch (order.status) {
    case "awaiting_payment":
    case "payment_pending":
      return move("processing", "the card payment was captured", ["exchange_order"]);
    case "expired":
    case "cancelled":
      return {
        ...move("in_review", "money arrived after the order had ended"),
        reason: "late_payment",
      };
    default:
      return undefined;
  }
}

function cancel(by: "customer" | "merchant" | "operator"): Move {
  const reason = by === "customer" ? "user_cancelled" : (`${by}_cancelled` as const);
  return { ...move("cancelled", `cancelled by the ${by}`), actor: by, reason };
}

const move = (next: OrderStatus, note: string, effects: readonly OrderEffect[] = []): Move => ({
  next,
  reason: null,
  actor: "system",
  note,
  effects,
});
