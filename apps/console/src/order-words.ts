import type { ORDER_STATUSES } from "@exchange/contract";
import type { ADMIN_REASONS } from "@exchange/contract/admin";

type Status = (typeof ORDER_STATUSES)[number];
type Reason = (typeof ADMIN_REASONS)[number];

/** The statuses of an order as filters, those that need a person first. The compiler asks for each. */
const STATUS_FILTERS: Readonly<Record<Status, true>> = {
  in_review: true,
  awaiting_payment: true,
  payment_pending: true,
  processing: true,
  sending: true,
  completed: true,
  refund_pending: true,
  refunded: true,
  cancelled: true,
  expired: true,
  failed: true,
};
export const STATUSES = Object.keys(STATUS_FILTERS) as readonly Status[];

/** The reasons of statuses, and whether an order comes to review for one. The compiler asks for each. */
const COMES_TO_REVIEW: Readonly<Record<Reason, boolean>> = {
  screening_hit: true,
  compliance: true,
  underpaid: true,
  overpaid: true,
  late_payment: true,
  wrong_asset: true,
  rate_moved: true,
  limit_exceeded: true,
  no_liquidity: true,
  delivery_rejected: true,
  provider_error: true,
  chain_reorg: false,
  card_declined: false,
  three_ds_failed: false,
  bank_rejected: false,
  payment_timeout: false,
  user_cancelled: false,
  merchant_cancelled: false,
  operator_cancelled: false,
};

/** Returns the reasons that a person can filter by. The operator's word for `compliance` is `screening_hit`. */
export function reasonsFor({
  isOperator,
  inReview = false,
}: {
  readonly isOperator: boolean;
  readonly inReview?: boolean;
}): readonly Reason[] {
  const otherWord: Reason = isOperator ? "compliance" : "screening_hit";
  const reasons = Object.keys(COMES_TO_REVIEW) as Reason[];
  return reasons.filter((reason) => reason !== otherWord && (COMES_TO_REVIEW[reason] || !inReview));
}
