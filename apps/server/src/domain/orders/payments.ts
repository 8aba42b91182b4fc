import type { CardRefusalReason, Coverage } from "./events.ts";
import { type Move, move } from "./move.ts";
import type { OrderState } from "./state.ts";

export const CARD_ATTEMPTS_MAX = 5;

export function startCardPayment(order: OrderState, now: Date): Move | undefined {
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
export function refuseCardPayment(order: OrderState, reason: CardRefusalReason): Move | undefined {
  if (order.status !== "payment_pending") return undefined;
  return order.cardAttempts < CARD_ATTEMPTS_MAX
    ? { ...move("awaiting_payment", "the card payment was refused; another may be tried"), reason }
    : { ...move("failed", "the last card payment was refused"), reason };
}

export function takeCapture(order: OrderState): Move | undefined {
  switch (order.status) {
    case "awaiting_payment":
    case "payment_pending":
      return move("processing", "the card payment was captured", ["exchange_order"]);
    case "expired":
    case "cancelled":
      return late();
    default:
      return undefined;
  }
}

/** Seen in time, a deposit keeps its rate however long it takes to become final. */
export function seeDeposit(order: OrderState, now: Date): Move | undefined {
  return order.status === "awaiting_payment" && now < order.paymentExpiresAt
    ? move("payment_pending", "a payment was seen; it is not final yet")
    : undefined;
}

export function loseDeposit(
  order: OrderState,
  reason: "bank_rejected" | "chain_reorg",
): Move | undefined {
  if (order.status !== "payment_pending") return undefined;
  const note =
    reason === "bank_rejected"
      ? "the bank rejected the transfer; it may be sent again"
      : "the chain dropped the deposit's block; waiting for it again";
  return { ...move("awaiting_payment", note), reason };
}

const COVERAGE_NOTES = {
  underpaid: "less was received than the order is for",
  overpaid: "more was received than the order is for",
  wrong_asset: "another asset was received than the order is for",
} as const;

/** Money is final: exact and in time it is exchanged, otherwise a person decides. */
export function takeDeposit(order: OrderState, coverage: Coverage, now: Date): Move | undefined {
  const isLate = now >= order.paymentExpiresAt;
  switch (order.status) {
    case "awaiting_payment":
      return isLate ? late() : take(coverage);
    case "payment_pending":
      return take(coverage);
    case "expired":
    case "cancelled":
      return late();
    case "in_review":
      return coverage === "exact" && isShort(order) && !isLate ? take(coverage) : undefined;
    default:
      return undefined;
  }
}

/** Held because too little came: the rest may follow. Once a part went back, nothing makes it whole. */
const isShort = ({ statusReason, heldFrom }: OrderState): boolean =>
  (statusReason === "underpaid" || statusReason === "wrong_asset") && heldFrom !== "refund_pending";

const take = (coverage: Coverage): Move =>
  coverage === "exact"
    ? move("processing", "the payment is final", ["exchange_order"])
    : { ...move("in_review", COVERAGE_NOTES[coverage]), reason: coverage };

const late = (): Move => ({
  ...move("in_review", "money arrived after the order had ended"),
  reason: "late_payment",
});
