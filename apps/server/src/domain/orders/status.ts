/**
 * The moves between the statuses of an order. A terminal status has no moves, or only the one that
 * late money makes, or a payout that the chain dropped.
 */
export const ORDER_MOVES = {
  awaiting_payment: [
    "payment_pending",
    "in_review",
    "processing",
    "cancelled",
    "expired",
    "failed",
  ],
  payment_pending: ["awaiting_payment", "processing", "in_review", "cancelled", "failed"],
  in_review: [
    "awaiting_payment",
    "payment_pending",
    "processing",
    "sending",
    "refund_pending",
    "cancelled",
    "expired",
  ],
  processing: ["sending", "in_review", "refund_pending"],
  sending: ["completed", "in_review", "refund_pending"],
  completed: ["in_review"],
  failed: [],
  expired: ["in_review"],
  cancelled: ["in_review"],
  refund_pending: ["refunded", "in_review"],
  refunded: [],
} as const satisfies Record<string, readonly string[]>;

export type OrderStatus = keyof typeof ORDER_MOVES;

/**
 * The statuses in which nothing of an order is under way. Late money, or a payout that the chain dropped, may still bring
 * it to review.
 */
export const TERMINAL_STATUSES: readonly OrderStatus[] = [
  "completed",
  "failed",
  "expired",
  "cancelled",
  "refunded",
];

/** Returns whether nothing of an order in this status is under way. */
export const isTerminal = (status: OrderStatus): boolean => TERMINAL_STATUSES.includes(status);

/** Returns whether an order ended unpaid. Late money still brings it to review. */
export const hasEndedUnpaid = (status: OrderStatus): boolean =>
  status === "expired" || status === "cancelled";

/** Returns whether an order has ended, and late money does not bring it back. */
export const isFinished = (status: OrderStatus): boolean =>
  isTerminal(status) && !hasEndedUnpaid(status);

export const canMove = (from: OrderStatus, to: OrderStatus): boolean =>
  (ORDER_MOVES[from] as readonly OrderStatus[]).includes(to);

/** Returns whether the order's money is on its way back, or has arrived. */
export const isRefunding = (status: OrderStatus): boolean =>
  status === "refund_pending" || status === "refunded";

const SETTLED: readonly OrderStatus[] = ["sending", "completed", "failed", "refunded"];

/**
 * Returns whether an order needs no decision about money beyond its spend, so that this money is returned by itself. Nobody
 * can pay an order that failed. If money reaches one all the same, the audit reports it, and the money still goes back.
 */
export const isSettled = (status: OrderStatus): boolean => SETTLED.includes(status);

/** The reason for an order's status where the status alone does not show it. */
export type StatusReason =
  | "card_declined"
  | "three_ds_failed"
  | "bank_rejected"
  | "payment_timeout"
  | "underpaid"
  | "overpaid"
  | "late_payment"
  | "wrong_asset"
  | "screening_hit"
  | "rate_moved"
  | "limit_exceeded"
  | "no_liquidity"
  | "delivery_rejected"
  | "chain_reorg"
  | "user_cancelled"
  | "merchant_cancelled"
  | "operator_cancelled"
  | "provider_error";

export type Actor = "customer" | "merchant" | "operator" | "system";

/** The reasons for which a person or the service holds an order, paid or not. */
export type HoldReason = Extract<
  StatusReason,
  "screening_hit" | "limit_exceeded" | "no_liquidity" | "provider_error"
>;
