import type { EventOf } from "./events.ts";
import type { OrderStatus, StatusReason } from "./status.ts";

type RefundRequest = EventOf<"refund_requested">;

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
 * Whether an operator may release the order. After a partial refund the rest can only be refunded. So can the part that a
 * card paid: an order has one capture, so no second card pays the rest.
 */
export const mayRelease = (
  { status, heldFrom }: Pick<OrderState, "status" | "heldFrom">,
  { covered, captured }: Pick<EventOf<"released">, "covered" | "captured">,
): boolean => status === "in_review" && heldFrom !== "refund_pending" && (covered || !captured);

/** A payout or a refund, with the facts that say whether it may have left. */
interface Outflow {
  readonly purpose: string;
  readonly state: string;
  readonly releasedAt: Date | string | null;
}

/**
 * Whether the payout of an order may have left. It is released before it is signed. One that the chain had made before a
 * restore has no time of release.
 */
export const mayHaveLeft = (intents: readonly Outflow[]): boolean =>
  intents.some(
    ({ purpose, state, releasedAt }) =>
      purpose === "payout" && state !== "void" && (state !== "created" || releasedAt !== null),
  );

/**
 * Whether money for the order was received, or cannot be called back. A card that is only being authorized is voided.
 */
export const isMoneyUnderWay = (
  receivedUnits: bigint | null,
  attempts: readonly { readonly status: string }[],
  deposits: readonly { readonly state: string }[],
): boolean =>
  (receivedUnits ?? 0n) > 0n ||
  attempts.some(({ status }) => status === "authorized") ||
  deposits.some(({ state }) => state !== "lost");

/**
 * Whether this party may have the order's money returned. Only an operator refunds after the exchange,
 * and an order that is held by screening. The customer's refund is the no to a new price; without an
 * answer the system gives it.
 */
export function mayRefund(
  order: Pick<OrderState, "status" | "statusReason" | "heldFrom">,
  { by, exchanged, payoutAlive }: Pick<RefundRequest, "by" | "exchanged" | "payoutAlive">,
): boolean {
  if (payoutAlive) return false;
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
