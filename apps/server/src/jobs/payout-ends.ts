import type { TransactionCosts } from "../domain/ledger/house-entries.ts";
import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { reportForeign, reportMismatch, spenderOf } from "../flows/payouts/report-break.ts";
import { findDecision } from "../flows/payouts/resolve.ts";
import { completePayout, type Rejection, rejectPayout } from "../flows/payouts/settle.ts";
import { type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { planAgain } from "../storage/payouts/lost-sends.ts";
import { endSend, type SendEnd } from "../storage/payouts/sends.ts";
import type { PayoutOutcome, PayoutRail, SignedPayout } from "./payout-rail.ts";

/**
 * A payout whose transaction moved something else waits for a person. Nothing changes before that, so it is rarely
 * looked at.
 */
export const MISMATCH_LOOK_MS = 600_000;

type Ended = TransactionCosts & {
  readonly hash: string;
  readonly confirmations?: number;
  readonly awaitsFinality?: true;
};

export interface Sending {
  readonly job: LeasedJob;
  readonly intent: BoundPayout;
  readonly rail: PayoutRail;
  /** Every signature of the payout, the newest last. */
  readonly signed: readonly SignedPayout[];
}

type Failed = Extract<PayoutOutcome, { state: "failed" }>;
type Mismatch = Extract<PayoutOutcome, { state: "mismatch" }>;

export async function complete(
  deps: Deps,
  { job, intent }: Sending,
  { hash, confirmations = intent.confirmations, networkFee, difference, awaitsFinality }: Ended,
): Promise<void> {
  const costs = { networkFee, difference, ...(awaitsFinality && { awaitsFinality }) };
  failpoint("payout.before_complete");
  await completePayout(deps, { job, intent, confirmations, settledHash: hash, ...costs });
  failpoint("payout.after_complete");
}

export async function reject(
  deps: Deps,
  { job, intent }: Sending,
  rejected: Rejection,
): Promise<void> {
  failpoint("payout.before_reject");
  await rejectPayout(deps, { job, intent, ...rejected });
  failpoint("payout.after_reject");
}

/**
 * The payout's transactions can no longer be mined. After a restore the chain may have another one of this
 * payout, which its statement lists. Otherwise somebody else uses the wallet: its network's payouts are stopped.
 */
export async function endDead(deps: Deps, sending: Sending, by: string): Promise<void> {
  const { job, intent } = sending;
  const stated = await followStated(sending);
  if (stated?.state === "settled") return complete(deps, sending, stated);
  if (stated) return postponeJob(deps.database, job, stated.askAgainMs);
  await reportForeign(deps, spenderOf(intent), by);
  await recordPayoutEnd(deps, intent, { state: "dead", by });
  await reject(deps, sending, { why: "dead" });
}

/** Returns the outcome of another transaction of the payout, which the rail's statement lists. */
export async function followStated({ rail, signed }: Sending) {
  const hashes = new Set(signed.map(({ transactionHash }) => transactionHash));
  for (const transactionHash of (await rail.listStated?.()) ?? []) {
    if (hashes.has(transactionHash)) continue;
    const outcome = await rail.follow([{ transactionHash, bytes: new Uint8Array() }]);
    if (outcome.state === "settled" || outcome.state === "pending") return outcome;
  }
  return undefined;
}

/** The payout can no longer be mined: another transaction of ours or its deadline prevents it. */
export async function endLost(deps: Deps, { job, intent }: Sending, by: string): Promise<void> {
  const { database, log } = deps;
  const { send } = intent;
  if (send === null)
    throw new Error(`payout intent ${intent.id} is not bound to a place on a chain`);
  failpoint("send.before_plan_again");
  const isEnded = await database.transaction((tx) => planAgain(tx, { sendId: send.id, by }));
  failpoint("send.after_plan_again");
  if (isEnded)
    log.warn(
      { payoutId: intent.id, by },
      "the transaction of a payout can never be mined; the payout is planned again",
    );
  await postponeJob(database, job, 0);
}

/** The transaction is final and moved nothing, but it cost its fee. */
export async function endFailed(deps: Deps, sending: Sending, failed: Failed): Promise<void> {
  await recordPayoutEnd(deps, sending.intent, failed);
  const { why: detail, networkFee } = failed;
  await reject(deps, sending, { why: "failed", detail, networkFee });
}

/** The transaction moved something other than the payout. People decide how it ended, and this applies their decision. */
export async function endMismatch(deps: Deps, sending: Sending, found: Mismatch): Promise<void> {
  const { job, intent } = sending;
  await reportMismatch(deps, spenderOf(intent), found);
  const decided = await findDecision(deps, intent, found);
  if (decided === undefined) return postponeJob(deps.database, job, MISMATCH_LOOK_MS);
  const { outcome, ...costs } = decided;
  if (outcome === "paid") return complete(deps, sending, { hash: found.hash, ...costs });
  await recordPayoutEnd(deps, intent, { state: "failed", hash: found.hash });
  await reject(deps, sending, { why: "failed", ...costs });
}

/** Records the proof that nothing was paid. Without it the database does not let the payout become void. */
export async function recordPayoutEnd(
  deps: Deps,
  { send }: BoundPayout,
  end: SendEnd,
): Promise<void> {
  if (send !== null) await endSend(deps.database, send.id, end);
}
