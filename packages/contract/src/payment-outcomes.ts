import type { OperationType } from "./operation-types.ts";
import type { ORDER_STATUSES } from "./orders.ts";
import type { PaymentOutcome } from "./payments.ts";

type OrderStatus = (typeof ORDER_STATUSES)[number];

type Outcomes = Readonly<Record<OrderStatus, PaymentOutcome>>;

const BY_CARD: Outcomes = {
  awaiting_payment: "unpaid",
  payment_pending: "unpaid",
  in_review: "pending",
  processing: "paid",
  sending: "paid",
  completed: "paid",
  failed: "failed",
  expired: "failed",
  cancelled: "failed",
  refund_pending: "failed",
  refunded: "failed",
};

/** Money that the customer sends is on its way for minutes or days, so the order is pending at once. */
const BY_TRANSFER: Outcomes = {
  ...BY_CARD,
  awaiting_payment: "pending",
  payment_pending: "pending",
};

/**
 * Declares, for each operation and type of payment method, what a status says about the money. `onPending` and
 * `onSuccess` of the browser script follow it.
 */
const OUTCOMES: Readonly<Record<OperationType, Readonly<Record<string, Outcomes>>>> = {
  B: { card: BY_CARD, bank_transfer: BY_TRANSFER },
  S: { crypto: BY_TRANSFER },
  CC: { crypto: BY_TRANSFER },
  FF: { card: BY_CARD, bank_transfer: BY_TRANSFER },
};

export interface PaymentFacts {
  readonly operationType: OperationType;
  /** The type of the payment method. */
  readonly paymentType: string;
  readonly status: OrderStatus;
  /** The newest attempt by card. */
  readonly attempt: string | undefined;
}

const UNDECIDED = ["processing", "challenge", "authorized", "captured"];

/** Returns the outcome of an order's payment. A card that was refused leaves its order payable. */
export function paymentOutcome(facts: PaymentFacts): PaymentOutcome {
  const { operationType, paymentType, status, attempt } = facts;
  const outcome = (OUTCOMES[operationType][paymentType] ?? BY_TRANSFER)[status];
  // A transfer may have taken the place of a card that was refused.
  const isRefused = paymentType === "card" && attempt !== undefined && !UNDECIDED.includes(attempt);
  return status === "awaiting_payment" && isRefused ? "declined" : outcome;
}
