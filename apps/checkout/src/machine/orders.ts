import type { CheckoutOrderData } from "@exchange/contract";
import type { Ordered, OrderedScreen } from "./state.ts";

const ENDED: readonly CheckoutOrderData["status"][] = [
  "completed",
  "failed",
  "expired",
  "cancelled",
  "refunded",
];

/** Whether the order is in a final status. */
export const hasEnded = (order: CheckoutOrderData): boolean => ENDED.includes(order.status);

/** Whether the order ended without a payment that was exchanged. */
export const isVoid = ({ status }: CheckoutOrderData): boolean =>
  status === "failed" || status === "expired" || status === "cancelled";

export const paysByCard = (order: CheckoutOrderData): boolean => order.payment.type === "card";

export type PaidBy = "card" | "bank_transfer" | "crypto";

export const paidBy = ({ payment }: CheckoutOrderData): PaidBy =>
  payment.type === "crypto" || payment.type === "bank_transfer" ? payment.type : "card";

/** Whether the order may still change: money can arrive after an order ended unpaid. */
export function mayChange(order: CheckoutOrderData): boolean {
  if (!hasEnded(order)) return true;
  const unpaid = order.status === "expired" || order.status === "cancelled";
  return unpaid && !paysByCard(order);
}

/** Whether the bank is deciding about the newest payment attempt. */
export function isAuthenticating(order: CheckoutOrderData): boolean {
  const attempt = order.payment.attempt?.status;
  return (
    (order.status === "payment_pending" || order.status === "awaiting_payment") &&
    (attempt === "processing" || attempt === "challenge")
  );
}

/** Whether the bank is deciding without the customer. */
export const isBankDeciding = (order: CheckoutOrderData): boolean =>
  isAuthenticating(order) && order.payment.attempt?.status === "processing";

/** Whether the newest attempt failed and the customer may try another card. */
export function canRetryPayment(order: CheckoutOrderData): boolean {
  return (
    paysByCard(order) &&
    order.status === "awaiting_payment" &&
    order.payment.attemptsLeft > 0 &&
    !isAuthenticating(order)
  );
}

/** Whether nobody can say yet how a card payment ended: the bank is deciding, or the answer to the payment was lost. */
export const isPaymentOpen = ({ order, submission }: Pick<Ordered, "order" | "submission">) =>
  isBankDeciding(order) || (submission === "unknown" && paysByCard(order));

/** Whether the payment instructions of this order were never requested. */
export const lacksInstructions = (order: CheckoutOrderData): boolean =>
  order.status === "awaiting_payment" && !paysByCard(order) && !order.payment.instructions;

/** Whether the customer may still cancel the order: none of its money has arrived. */
export const canCancel = (order: CheckoutOrderData): boolean =>
  order.status === "awaiting_payment" &&
  !isAuthenticating(order) &&
  !order.payment.deposits.some(({ status }) => status !== "lost");

/** Whether the customer can answer what holds the order. After a partial refund nothing that they do completes it. */
const isHeldFor = (
  { status, statusReason, refunds }: CheckoutOrderData,
  reason: CheckoutOrderData["statusReason"],
): boolean => status === "in_review" && statusReason === reason && !refunds[0];

/** Whether less money arrived than the order requires, and the rest may follow. A card pays once. */
export const awaitsRest = (order: CheckoutOrderData): boolean =>
  isHeldFor(order, "underpaid") && !paysByCard(order);

/** Whether the price moved before the money was final, so that the customer must accept a new one. */
export const awaitsPriceAnswer = (order: CheckoutOrderData): boolean =>
  isHeldFor(order, "rate_moved");

const KEEPS_COINS: readonly CheckoutOrderData["status"][] = [
  "awaiting_payment",
  "payment_pending",
  "in_review",
  "expired",
  "cancelled",
];

/** Whether coins may have to be returned and are not on their way back: their refund address may be named. */
export const mayNameRefundAddress = (order: CheckoutOrderData): boolean =>
  order.payment.type === "crypto" && KEEPS_COINS.includes(order.status);

/** The screen for an order that was just read. */
export function screenOf(order: CheckoutOrderData): OrderedScreen {
  if (isAuthenticating(order)) return "authentication";
  if (order.status !== "awaiting_payment") return "status";
  if (!paysByCard(order)) return "instructions";
  return order.payment.attempt === null ? "card" : "status";
}
