import type { OrderData } from "@exchange/contract";
import type { OrderedScreen } from "./state.ts";

const ENDED: readonly OrderData["status"][] = [
  "completed",
  "failed",
  "expired",
  "cancelled",
  "refunded",
];

/** Whether nothing more will happen to the order. */
export const hasEnded = (order: OrderData): boolean => ENDED.includes(order.status);

/** The bank is deciding about the newest payment attempt. */
export function isAuthenticating(order: OrderData): boolean {
  const attempt = order.payment.attempt?.status;
  return (
    (order.status === "payment_pending" || order.status === "awaiting_payment") &&
    (attempt === "processing" || attempt === "challenge")
  );
}

/** The newest attempt did not go through and the customer may try another card. */
export function canRetryPayment(order: OrderData): boolean {
  return (
    order.status === "awaiting_payment" &&
    order.payment.attemptsLeft > 0 &&
    !isAuthenticating(order)
  );
}

/** Where an order that was just read belongs. */
export function screenOf(order: OrderData): OrderedScreen {
  if (isAuthenticating(order)) return "authentication";
  return order.status === "awaiting_payment" && order.payment.attempt === null ? "card" : "status";
}
