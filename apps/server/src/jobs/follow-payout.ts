import type { TransactionCosts } from "../domain/ledger/house-entries.ts";
import type { RejectedWhy } from "../domain/payouts/payout-intent.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import {
  reportForeign,
  reportLost,
  reportMismatch,
  spenderOf,
} from "../flows/payouts/report-break.ts";
import { findDecision } from "../flows/payouts/resolve.ts";
import { losePayout } from "../flows/payouts/settle.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { bookCosts } from "../storage/ledger/house.ts";
import { makeFinal, noteMined } from "../storage/payouts/followed.ts";
import { findPayoutIntent } from "../storage/payouts/intents.ts";
import type { SendEnd } from "../storage/payouts/sends.ts";
import { raiseOrResendPayout, sendingOf } from "./payout-bytes.ts";
import { followStated, MISMATCH_LOOK_MS, recordPayoutEnd, type Sending } from "./payout-ends.ts";
import type { PayoutOutcome } from "./payout-rail.ts";

/** The customer is paid, so nobody waits for the next look. */
const PAUSE_FACTOR = 4;

/**
 * Follows a payout that completed its order until it is final, and books its network fee then. If the chain drops its
 * block, the same bytes are sent again, or a raised version of them. If it can never be made, the network is
 * stopped and the order goes to review (docs/decisions/0076-complete-a-payout-before-it-is-final.md).
 */
export async function followPayout(deps: Deps, job: LeasedJob): Promise<void> {
  const intent = await findPayoutIntent(deps.database, job.subject);
  if (!intent?.awaitsFinality) return finishJob(deps.database, job);
  const sending = await sendingOf(deps, { job, intent });
  return advance(deps, sending, await sending.rail.follow(sending.signed));
}

async function advance(deps: Deps, sending: Sending, outcome: PayoutOutcome): Promise<void> {
  const { job, intent } = sending;
  switch (outcome.state) {
    case "settled":
      return settle(deps, sending, outcome);
    case "paid":
    case "pending":
      if (outcome.hash !== undefined && outcome.hash !== intent.settledHash) {
        await noteMined(deps.database, intent.id, outcome.hash);
      }
      await raiseOrResendPayout(deps, sending, outcome);
      return postponeJob(deps.database, job, outcome.askAgainMs * PAUSE_FACTOR);
    case "failed": {
      const { hash, why, networkFee } = outcome;
      const problem = `transaction ${hash} is final: ${why}`;
      const lost = { problem, end: { state: "failed", hash }, costs: { networkFee } } as const;
      return lose(deps, sending, lost);
    }
    case "mismatch":
      return endMismatch(deps, sending, outcome);
    case "dead":
    case "lost":
      return endImpossiblePayout(deps, sending, outcome);
    case "rejected":
      throw new Error(`payout ${intent.id} was rejected by a rail without final blocks`);
  }
}

interface Settled extends TransactionCosts {
  readonly hash: string;
  readonly confirmations: number;
}

/** The payout is final. Its costs, its send's end and the job's end are one database transaction. */
async function settle(
  { database }: Deps,
  { job, intent }: Sending,
  { hash, confirmations, ...costs }: Settled,
): Promise<void> {
  failpoint("send.before_final");
  await database.transaction(async (tx) => {
    if (await makeFinal(tx, { intentId: intent.id, hash, confirmations })) {
      await bookCosts(tx, costs);
    }
    await finishJob(tx, job);
  });
  failpoint("send.after_final");
}

/** Another transaction has its place or its coin. After a restore that one may also be of this payout. */
async function endImpossiblePayout(
  deps: Deps,
  sending: Sending,
  { state, by }: Extract<PayoutOutcome, { state: "dead" | "lost" }>,
): Promise<void> {
  if (state === "dead") {
    const stated = await followStated(sending);
    if (stated) return advance(deps, sending, stated);
    await reportForeign(deps, spenderOf(sending.intent), by);
  }
  const problem = `transaction ${by} is final and takes its place`;
  return lose(deps, sending, { problem, end: { state: "dead", by }, costs: {} });
}

/** People decide how it ended, and this carries their decision out. */
async function endMismatch(
  deps: Deps,
  sending: Sending,
  found: Extract<PayoutOutcome, { state: "mismatch" }>,
): Promise<void> {
  const { job, intent } = sending;
  await reportMismatch(deps, spenderOf(intent), found);
  const decided = await findDecision(deps, intent, found);
  if (decided === undefined) return postponeJob(deps.database, job, MISMATCH_LOOK_MS);
  const { outcome, ...costs } = decided;
  const { hash } = found;
  if (outcome === "paid") {
    return settle(deps, sending, { hash, confirmations: intent.confirmations, ...costs });
  }
  const problem = `transaction ${hash} is final: ${found.why}`;
  return lose(deps, sending, { problem, end: { state: "failed", hash }, costs });
}

interface Lost {
  readonly problem: string;
  readonly end: SendEnd & { readonly state: RejectedWhy };
  readonly costs: TransactionCosts;
}

/** The customer has nothing, although the order was completed. The network is stopped before anything else changes. */
async function lose(
  deps: Deps,
  { job, intent }: Sending,
  { problem, end, costs }: Lost,
): Promise<void> {
  await reportLost(deps, intent, problem);
  await recordPayoutEnd(deps, intent, end);
  failpoint("send.before_lost");
  await losePayout(deps, { job, intent, why: end.state, ...costs });
  failpoint("send.after_lost");
}
