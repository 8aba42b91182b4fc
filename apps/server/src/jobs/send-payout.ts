import { APPROVALS_NEEDED } from "../domain/payouts/limits.ts";
import type { BoundPayout, PayoutIntent } from "../domain/payouts/payout-intent.ts";
import { causeOf } from "../domain/payouts/wait.ts";
import { PayoutWaits, type Preflight } from "../domain/ports/chain-gateway.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { advanceOrder } from "../flows/orders/advance.ts";
import { stepOf } from "../flows/orders/step-of.ts";
import { releaseHeldOrder } from "../flows/payouts/approve.ts";
import { mayBePaid, type PayoutDeps } from "../flows/payouts/release.ts";
import { dropUnscreened, holdOnHit } from "../flows/payouts/screen.ts";
import { rejectPayout } from "../flows/payouts/settle.ts";
import { isDepositAddress } from "../storage/chains/addresses.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { type ApprovalAnswers, countApprovalAnswers } from "../storage/payouts/approvals.ts";
import { advancePayoutIntent, findPayoutIntent } from "../storage/payouts/intents.ts";
import { notePayoutWait, type WaitNote } from "../storage/payouts/waits.ts";
import { raiseOrResendPayout, sendingOf, sendStored, signedOf } from "./payout-bytes.ts";
import {
  complete,
  endDead,
  endFailed,
  endLost,
  endMismatch,
  reject,
  type Sending,
} from "./payout-ends.ts";
import { railOf } from "./rail-of.ts";

/** The delay from sending to the first look. The rail then says how soon to look again. */
const FIRST_LOOK_MS = 200;
/** A payout that a person must allow is checked again after this time. An approval ends the wait early. */
const HELD_LOOK_MS = 10_000;

/** The first payout of a send signs for the others, which look again. */
const SHARED_LOOK_MS = 1_000;

const waitsForOthers = ({ send }: BoundPayout): boolean => send?.isFirst === false;

/**
 * Sends a payout or refund: asks the controls, binds, signs, stores the signed bytes, sends the
 * stored bytes, and waits until the rail reports that it is paid or final. After a crash it continues
 * from the stored state. Only stored bytes are ever sent, so the money moves once however often this
 * runs.
 */
export async function sendPayout(deps: PayoutDeps, job: LeasedJob): Promise<void> {
  const intent = await findPayoutIntent(deps.database, job.subject);
  if (!intent) throw new Error(`there is no payout intent ${job.subject}`);
  if (intent.state === "void" || intent.state === "confirmed") {
    return finishJob(deps.database, job);
  }
  if (intent.state !== "created") return continueSending(deps, job, intent);
  if (await holdOnHit(deps, job, intent)) return;
  if (intent.send === null && !(await passesPreflight(deps, job, intent))) return;
  if (waitsForOthers(intent)) return postponeJob(deps.database, job, SHARED_LOOK_MS);
  const bound = await release(deps, job, intent);
  if (!bound) return;
  if (bound.state !== "created") return continueSending(deps, job, bound);
  const joinsForMs = bound.send?.joinsForMs ?? 0;
  if (joinsForMs > 0 || waitsForOthers(bound)) {
    return postponeJob(deps.database, job, Math.max(joinsForMs, SHARED_LOOK_MS));
  }
  await dropUnscreened(deps, bound);
  const sending = await sign(deps, job, bound);
  if (!sending) return;
  const [first] = sending.signed;
  // The send was vacated before the bytes were stored: the payout takes another place.
  if (first === undefined) return postponeJob(deps.database, job, 0);
  if (sending.intent.state === "signed") await sendStored(sending, first);
  // Most become final a moment later. Waiting here costs less than returning the job and claiming
  // it again.
  await new Promise((resolve) => setTimeout(resolve, FIRST_LOOK_MS));
  await follow(deps, sending);
}

/**
 * Continues a payout after a crash, or while it waits to be final. The rail is asked before anything is sent again. A rail
 * that has the payout may refuse its bytes, in words that nobody foresaw.
 */
async function continueSending(deps: Deps, job: LeasedJob, intent: BoundPayout): Promise<void> {
  const sending = await sendingOf(deps, { job, intent });
  if (intent.state === "signed" && sending.signed.length === 0)
    throw new Error(`payout intent ${intent.id} is signed without signed bytes`);
  await follow(deps, sending);
}

const RETURNS_TO_US: Preflight = {
  state: "rejected",
  why: "the refund address is a deposit address of this service",
};

/** Coins that are returned to a deposit address would be a new payment there, and be returned again without end. */
const returnsToUs = async (
  { database }: Deps,
  { purpose, networkCode, address, memo }: PayoutIntent,
): Promise<boolean> =>
  purpose !== "payout" &&
  networkCode !== null &&
  address !== null &&
  isDepositAddress(database, { networkCode, address, memo });

/**
 * Asks the rail whether the payout could be made, before it takes a place. Returns false if the job waits or has
 * ended.
 */
async function passesPreflight(
  deps: PayoutDeps,
  job: LeasedJob,
  intent: BoundPayout,
): Promise<boolean> {
  const { preflight } = railOf(deps, intent);
  const before = preflight && (await countApprovalAnswers(deps.database, intent.id));
  const answer = (await returnsToUs(deps, intent)) ? RETURNS_TO_US : await preflight?.();
  if (answer === undefined || answer.state === "clear") return true;
  const { state, why } = answer;
  if (state === "wait") {
    await waitFor(deps, job, { intent, why, delayMs: answer.askAgainMs });
  } else if (await mayBePaid(deps)) {
    await waitFor(deps, job, { intent, why, delayMs: HELD_LOOK_MS });
  } else if (state === "rejected") {
    deps.log.warn({ payoutId: intent.id, why }, "a payout cannot be made");
    await rejectPayout(deps, { job, intent, why: "rejected", detail: why });
  } else {
    await holdForSigner(deps, job, { intent, why, before });
  }
  return false;
}

/** Holds the order of a payout that the signer holds. A refund, or a payout that was released before, waits by itself. */
async function holdForSigner(
  deps: Deps,
  job: LeasedJob,
  held: { intent: BoundPayout; why: string; before: ApprovalAnswers | undefined },
): Promise<void> {
  const { intent, why, before } = held;
  await noteWait(deps, intent, { outcome: "hold", cause: causeOf("signer"), why });
  if (intent.releasedAt !== null || intent.purpose !== "payout") {
    return postponeJob(deps.database, job, HELD_LOOK_MS);
  }
  const isHeld = await holdOrderOf(deps, job);
  if (isHeld && before) await releaseIfApproved(deps, intent, before);
}

async function waitFor(
  deps: Deps,
  job: LeasedJob,
  { intent, why, delayMs }: { intent: BoundPayout; why: string; delayMs: number },
): Promise<void> {
  await noteWait(deps, intent, { outcome: "wait", cause: causeOf("rail"), why });
  await postponeJob(deps.database, job, delayMs);
}

const noteWait = ({ database }: Deps, { id }: BoundPayout, note: WaitNote): Promise<void> =>
  database.transaction((tx) => notePayoutWait(tx, id, note));

/**
 * Asks the controls. Returns the payout bound to its place; undefined if the job waits or
 * has ended.
 */
async function release(
  deps: PayoutDeps,
  job: LeasedJob,
  intent: BoundPayout,
): Promise<BoundPayout | undefined> {
  failpoint("payout.before_bind");
  const answer = await deps.releasePayout(intent);
  switch (answer.outcome) {
    case "go":
      failpoint("payout.after_bind");
      return answer.intent;
    case "wait":
      await postponeJob(deps.database, job, answer.delayMs);
      return undefined;
    // Releasing the order starts the job again.
    case "hold":
    case "unwanted":
      await finishJob(deps.database, job);
      return undefined;
  }
}

/**
 * Holds the order for a person's decision. The job ends, and releasing the order starts it again. Returns false when the
 * order was not sending any more.
 */
async function holdOrderOf(deps: Deps, job: LeasedJob): Promise<boolean> {
  const event = { kind: "held", reason: "limit_exceeded", by: "system" } as const;
  let isHeld = false;
  await advanceOrder(deps, { orderId: job.orderId, job }, (order, now) => {
    const step = stepOf(deps, order, event, now);
    isHeld = step !== undefined;
    return step;
  });
  return isHeld;
}

/** People who approved while the signer was asked found no held order to release. The signer is asked again. */
async function releaseIfApproved(
  deps: Deps,
  intent: BoundPayout,
  before: ApprovalAnswers,
): Promise<void> {
  const { people, signatures } = await countApprovalAnswers(deps.database, intent.id);
  const isApproved = people > before.people && people >= APPROVALS_NEEDED;
  if (isApproved || signatures > before.signatures) await releaseHeldOrder(deps, intent);
}

/** Returns undefined if the job waits, and the payout is signed later. */
async function sign(deps: Deps, job: LeasedJob, intent: BoundPayout): Promise<Sending | undefined> {
  const rail = railOf(deps, intent);
  failpoint("payout.before_sign");
  const answer = await rail.sign().catch((error: unknown) => {
    if (error instanceof PayoutWaits) return error;
    throw error;
  });
  if (answer instanceof PayoutWaits) {
    await waitFor(deps, job, { intent, why: answer.message, delayMs: answer.askAgainMs });
    return undefined;
  }
  const { transactionHash, bytes } = answer;
  failpoint("payout.after_sign");
  const stored = await deps.storeSigned(intent, { transactionHash, bytes });
  failpoint("payout.after_sign_recorded");
  const isOurs = stored.transactionHash === transactionHash;
  const signed = isOurs ? [{ transactionHash, bytes }] : await signedOf(deps, stored);
  return { job, intent: stored, rail: isOurs ? rail : railOf(deps, stored), signed };
}

/** Asks the rail what became of the payout. Of the transactions that replaced each other, only one is mined. */
async function follow(deps: Deps, sending: Sending): Promise<void> {
  const { job, intent, rail, signed } = sending;
  const outcome = await rail.follow(signed);
  switch (outcome.state) {
    case "settled":
      return complete(deps, sending, outcome);
    case "paid":
      return complete(deps, sending, { ...outcome, awaitsFinality: true });
    case "rejected":
      return reject(deps, sending, { why: "rejected" });
    case "failed":
      return endFailed(deps, sending, outcome);
    case "dead":
      return endDead(deps, sending, outcome.by);
    case "lost":
      return endLost(deps, sending, outcome.by);
    case "mismatch":
      return endMismatch(deps, sending, outcome);
    case "pending":
      // A payout that the rail has is recorded as sent first, because raising its fee may fail. Another one is sent again first.
      if (outcome.isKnown) await recordUnderWay(deps, intent, outcome.confirmations);
      await raiseOrResendPayout(deps, sending, outcome);
      if (!outcome.isKnown) await recordUnderWay(deps, intent, outcome.confirmations);
      return postponeJob(deps.database, job, outcome.askAgainMs);
  }
}

/** Records that it was sent, and its confirmations. */
async function recordUnderWay(
  deps: Deps,
  intent: BoundPayout,
  confirmations: number,
): Promise<void> {
  if (intent.state !== "signed" && confirmations <= intent.confirmations) return;
  const progress = { state: "broadcast", confirmations, settledHash: null } as const;
  await advancePayoutIntent(deps.database, intent.id, progress);
  failpoint("payout.after_broadcast_recorded");
}
