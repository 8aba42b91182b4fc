import type { HoldReason } from "../domain/orders/status.ts";
import type { BoundPayout } from "../domain/payouts/payout-intent.ts";
import { PayoutWaits } from "../domain/ports/chain-gateway.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { advanceOrder } from "../flows/orders/advance.ts";
import { stepOf } from "../flows/orders/step-of.ts";
import type { ReleasePayout } from "../flows/payouts/release.ts";
import { isHeldByScreening } from "../flows/payouts/screen.ts";
import { rejectPayout } from "../flows/payouts/settle.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { notePayoutWait } from "../storage/payouts/controls.ts";
import { advancePayoutIntent, findPayoutIntent } from "../storage/payouts/intents.ts";
import { nudge, sendingOf, signedOf } from "./payout-bytes.ts";
import {
  complete,
  endDead,
  endFailed,
  endLost,
  endMismatch,
  reject,
  type Sending,
} from "./payout-ends.ts";
import { railOf } from "./payout-rails.ts";

/** The delay from sending to the first look. The rail then says how soon to look again. */
const FIRST_LOOK_MS = 200;
/** A payout that a person must allow is checked again after this time. An approval ends the wait early. */
const HELD_LOOK_MS = 10_000;

/** The first payout of a send signs for the others, which look again. */
const SHARED_LOOK_MS = 1_000;

const waitsForOthers = ({ send }: BoundPayout): boolean => send?.isFirst === false;

export interface PayoutDeps extends Deps {
  readonly releasePayout: ReleasePayout;
}

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
  if (intent.state !== "created") return goOnSending(deps, job, intent);
  if (await isHeldByScreening(deps, job, intent)) return;
  if (intent.send === null && !(await isPossible(deps, job, intent))) return;
  if (waitsForOthers(intent)) return postponeJob(deps.database, job, SHARED_LOOK_MS);
  const bound = await release(deps, job, intent);
  if (!bound) return;
  if (bound.state !== "created") return goOnSending(deps, job, bound);
  const joinsForMs = bound.send?.joinsForMs ?? 0;
  if (joinsForMs > 0 || waitsForOthers(bound)) {
    return postponeJob(deps.database, job, Math.max(joinsForMs, SHARED_LOOK_MS));
  }
  const sending = await sign(deps, job, bound);
  if (!sending) return;
  // The send was vacated before the bytes were stored: the payout takes another place.
  if (sending.signed.length === 0) return postponeJob(deps.database, job, 0);
  if (sending.intent.state === "signed") await send(sending);
  // Most become final a moment later. Waiting here costs less than returning the job and claiming
  // it again.
  await new Promise((resolve) => setTimeout(resolve, FIRST_LOOK_MS));
  await follow(deps, sending);
}

/** Continues a payout after a crash, or while it waits to be final. */
async function goOnSending(deps: Deps, job: LeasedJob, intent: BoundPayout): Promise<void> {
  const sending = await sendingOf(deps, { job, intent });
  if (intent.state === "signed") await send(sending);
  await follow(deps, sending);
}

/**
 * Asks the rail whether the payout could be made, before it takes a place. Returns false if the job waits or has
 * ended.
 */
async function isPossible(deps: PayoutDeps, job: LeasedJob, intent: BoundPayout): Promise<boolean> {
  const answer = await railOf(deps, intent).preflight?.();
  switch (answer?.state) {
    case undefined:
    case "clear":
      return true;
    case "rejected":
      deps.log.warn({ payoutId: intent.id, why: answer.why }, "a payout cannot be made");
      await rejectPayout(deps, { job, intent, why: "rejected", detail: answer.why });
      return false;
    case "hold":
      if (intent.releasedAt === null && intent.purpose === "payout") {
        await holdOrderOf(deps, job, "limit_exceeded");
        return false;
      }
      await waitFor(deps, job, { intent, why: answer.why, delayMs: HELD_LOOK_MS });
      return false;
    case "wait":
      await waitFor(deps, job, { intent, why: answer.why, delayMs: answer.askAgainMs });
      return false;
  }
}

async function waitFor(
  { database }: Deps,
  job: LeasedJob,
  { intent, why, delayMs }: { intent: BoundPayout; why: string; delayMs: number },
): Promise<void> {
  await database.transaction((tx) => notePayoutWait(tx, intent.id, { outcome: "wait", why }));
  await postponeJob(database, job, delayMs);
}

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
    case "hold":
      await holdOrderOf(deps, job, answer.reason);
      return undefined;
    case "unwanted":
      await finishJob(deps.database, job);
      return undefined;
  }
}

/**
 * Holds the order for a person's decision. The job ends, and releasing the order starts it again.
 */
async function holdOrderOf(deps: Deps, job: LeasedJob, reason: HoldReason): Promise<void> {
  const event = { kind: "held", reason, by: "system" } as const;
  await advanceOrder(deps, { orderId: job.orderId, job }, (order, now) =>
    stepOf(deps, order, event, now),
  );
}

/** Returns undefined if the job waits: the payout stays bound, and is signed later. */
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

/**
 * The sending is not recorded yet. A transaction that is already final is recorded as final.
 * Sending again is harmless.
 */
async function send({ intent, rail, signed }: Sending): Promise<void> {
  if (waitsForOthers(intent)) return;
  const [first] = signed;
  if (!first) throw new Error(`payout intent ${intent.id} is ${intent.state} without signed bytes`);
  await rail.send(first);
  failpoint("payout.after_broadcast");
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
      await recordUnderWay(deps, intent, outcome.confirmations);
      await nudge(deps, sending, outcome);
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
