/**
 * The causes for which a payout waits. Approvals lift `approvals`, `screening_hit`, `hour_limit` and `day_limit`. The
 * `signer` holds a payout above its own limits until operators signed approvals. A `rail`, or its signer, is asked again. Both
 * say in words why it waits. A payout that moved something else waits for a decision, and one of a completed order for its
 * final block.
 */
export type PayoutWaitCode =
  | "approvals"
  | "screening_hit"
  | "hour_limit"
  | "day_limit"
  | "payout_limit"
  | "signer"
  | "stop"
  | "rail"
  | "decision"
  | "final_block";

const LIFTED_BY_APPROVALS: readonly PayoutWaitCode[] = [
  "approvals",
  "screening_hit",
  "hour_limit",
  "day_limit",
];
export const isLiftedByApprovals = (code: PayoutWaitCode): boolean =>
  LIFTED_BY_APPROVALS.includes(code);

/** Why a payout waits. */
export interface PayoutWait {
  readonly code: PayoutWaitCode;
  /** The limit that is in the way, in euro cents. */
  readonly limitCents: bigint | null;
  /** The currency of the limit by its code; null for all currencies together. */
  readonly limitOf: string | null;
}

/** Returns a cause that is not a limit. */
export const causeOf = (code: PayoutWaitCode): PayoutWait => ({
  code,
  limitCents: null,
  limitOf: null,
});
