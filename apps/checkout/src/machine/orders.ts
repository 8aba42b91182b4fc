import type { OrderData } from "@exchange/contract";
import type { OrderedScreen } from "./state.ts";

const ENDED: readonly OrderData["status"][] = [
  "completed",
  "failed",
  "expired",
  "cancelled",
  "refunded",
];

/** Whether the customer has nothing more to wait for. */
export const hasEnded = (order: OrderData): boolean => ENDED.includes(order.status);

export const paysByCard = (order: OrderData): boolean => order.payment.type === "card";

/** Whether news may still come: money that was sent can arrive after an order ended unpaid. */
export function mayChange(order: OrderData): boolean {
  if (!hasEnded(order)) return true;
  const unpaid = order.status === "expired" || order.status === "cancelled";
  return unpaid && !paysByCard(order);
}

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
    paysByCard(order) &&
    order.status === "awaiting_payment" &&
    order.payment.attemptsLeft > 0 &&
    !isAuthenticating(order)
  );
}

/** Nobody has asked yet where the money of this order is to be sent. */
export const lacksInstructions = (order: OrderData): boolean =>
  order.status === "awaiting_payment" && !paysByCard(order) && !order.payment.instructions;

/** The customer may still end the order: nothing of its money was seen. */
export const canCancel = (order: OrderData): boolean =>
  order.status === "awaiting_payment" &&
  !isAuthenticating(order) &&
  !order.payment.deposits.some(({ status }) => status !== "lost");

/** Less came than the order is for, and the rest may follow. */
export const awaitsRest = (order: OrderData): boolean =>
  order.status === "in_review" && order.statusReason === "underpaid";

const KEEPS_COINS: readonly OrderData["status"][] = [
  "awaiting_payment",
  "payment_pending",
  "in_review",
  "expired",
  "cancelled",
];

/** Coins the customer sent may have to go back, are not on their way yet, and nobody said where to. */
export const lacksRefundAddress = (order: OrderData): boolean =>
  order.payment.type === "crypto" && !order.refundAddress && KEEPS_COINS.includes(order.status);

/** Where an order that was just read belongs. */
export function screenOf(order: OrderData): OrderedScreen {
  if (isAuthenticating(order)) return "authentication";
  if (order.status !== "awaiting_payment") return "status";
  if (!paysByCard(order)) return "instructions";
  return order.payment.attempt === null ? "card" : "status";
}
