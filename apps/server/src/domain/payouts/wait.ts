/**
 * The causes for which a payout waits. Approvals lift `approvals`, `screening_hit`, `hour_limit` and `day_limit`. `signer`: the
 * payout is above the signer's own limits, until operators sign approvals. `rail`: the rail or its signer is asked again later.
 * These two store their reason in words. `decision`: a transaction moved something else than was owed. `final_block`: the
 * order is completed, and the block of its payout is not final.
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

/** Causes whose sentence says more than their code and limit: whose stop it is, or what a rail or the signer answered. */
export const COUNTED_BY_SENTENCE: readonly PayoutWaitCode[] = ["stop", "rail", "signer"];

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
