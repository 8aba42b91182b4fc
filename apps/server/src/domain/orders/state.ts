import type { EventOf } from "./events.ts";
import type { OrderStatus, StatusReason } from "./status.ts";

/** The members of an order that decide its transitions. */
export interface OrderState {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  /** The status from which the order was moved to review. Null outside review. */
  readonly heldFrom: OrderStatus | null;
  readonly cardAttempts: number;
  readonly paymentExpiresAt: Date;
}

/** Whether the order waits for its customer's answer to a new price. */
export const awaitsPriceAnswer = ({
  status,
  statusReason,
  heldFrom,
}: Pick<OrderState, "status" | "statusReason" | "heldFrom">): boolean =>
  status === "in_review" && statusReason === "rate_moved" && heldFrom === "processing";

/**
 * Whether this party may have the order's money returned. Only an operator refunds after the exchange,
 * and an order that is held by screening. The customer's refund is the no to a new price; without an
 * answer the system gives it.
 */
export function mayRefund(
  order: OrderState,
  { by, exchanged }: Pick<EventOf<"refund_requested">, "by" | "exchanged">,
): boolean {
  if (by === "operator") return true;
  if (exchanged) return false;
  return by === "merchant" ? order.statusReason !== "screening_hit" : awaitsPriceAnswer(order);
}

/**
 * Whether the customer may pay in another way: their card was refused, nothing was received, and the time to pay is
 * not over. Whether a card payment is under way is a fact of its own.
 */
export const mayChangeMethod = (
  { status, cardAttempts, paymentExpiresAt }: OrderState,
  now: Date,
): boolean => status === "awaiting_payment" && cardAttempts > 0 && now < paymentExpiresAt;
