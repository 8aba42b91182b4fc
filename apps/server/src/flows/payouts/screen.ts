import { writesOf } from "../../domain/orders/machine.ts";
import { REFUND_HELD_NOTE } from "../../domain/orders/transitions.ts";
import { APPROVALS_NEEDED } from "../../domain/payouts/limits.ts";
import type { BoundPayout, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { causeOf } from "../../domain/payouts/wait.ts";
import type { ScreeningRequest } from "../../domain/ports/screener.ts";
import { failpoint } from "../../failpoints.ts";
import { type LeasedJob, postponeJob } from "../../storage/jobs/jobs.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { countHitApprovals } from "../../storage/payouts/approvals.ts";
import {
  leaveSend,
  leaveUnscreened,
  needsScreening,
  noteScreened,
} from "../../storage/payouts/screenings.ts";
import { deletePayoutWaits, notePayoutWait, type WaitNote } from "../../storage/payouts/waits.ts";
import { withLockedKey } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder } from "../orders/advance.ts";
import { screen, subjectsOf } from "../orders/screen.ts";
import { stepOf, stepOfNote, stepOfWrites } from "../orders/step-of.ts";
import { outgoingOf } from "./owe.ts";
import { mayBePaid, type PayoutDeps } from "./release.ts";

/** A screening is valid for this time, and a hit is looked at again after it. An approval ends that wait early. */
const SCREENING_VALID_MS = 10 * 60_000;
/** The wait while nobody knows whether the payout was paid already. */
const UNCERTAIN_LOOK_MS = 10_000;

/**
 * Screens the destination of money before it is signed, and holds the money on a hit. Returns true if it is held. The job has
 * then ended, or waits.
 *
 * - A screening without a hit is valid for `SCREENING_VALID_MS`. The exchange screened the first payout of its order, so that
 *   time runs from the payout's creation. A payout that was made after a rejection is screened, and so is one that waited
 *   longer, even if it was released.
 * - A refund of coins is screened. Money that returns by card or bank goes to its payer, so it is not.
 * - A hit ends the release and holds the order. An excess refund waits for approvals of this hit, because its order has
 *   moved on.
 * - Once the signer was asked, nothing is screened: the payout may be signed.
 */
export async function holdOnHit(
  deps: PayoutDeps,
  job: LeasedJob,
  intent: PayoutIntent,
): Promise<boolean> {
  const { database } = deps;
  if (!deps.screener || !(await needsScreening(database, intent.id, SCREENING_VALID_MS))) {
    return false;
  }
  if (await mayBePaid(deps)) {
    await postponeJob(database, job, UNCERTAIN_LOOK_MS);
    return true;
  }
  const hits = await hitsOf(deps, intent);
  const hit = hits.toSorted().join(", ");
  const isExcess = intent.purpose === "excess_refund";
  if (hits.length === 0 || (isExcess && (await isApproved(deps, intent, hit)))) {
    await noteScreened(database, intent.id);
    return false;
  }
  if (!(await stopSending(deps, intent, isExcess ? hit : undefined))) return false;
  failpoint("payout.before_hold");
  if (isExcess) await endRelease(deps, job, intent);
  else await holdOrder(deps, job, { intent, hits });
  return true;
}

/** Before a send is signed: payouts whose screening is old leave the others. Their own jobs screen them. */
export async function dropUnscreened(
  deps: Pick<Deps, "screener" | "chain" | "database">,
  { networkCode, send }: BoundPayout,
): Promise<void> {
  if (!deps.screener || !send || !deps.chain?.batchOf?.(networkCode ?? "")) return;
  await deps.database.transaction((tx) => leaveUnscreened(tx, send.id, SCREENING_VALID_MS));
}

const isApproved = async ({ database }: Deps, { id }: PayoutIntent, hit: string) =>
  (await countHitApprovals(database, id, hit)) >= APPROVALS_NEEDED;

/**
 * Takes the payout out of its send. An excess refund waits for approvals of its hit from then on; another payout waits for
 * nothing, because its order is held. Returns false where the signer was asked meanwhile.
 */
const stopSending = (
  { database, ids }: Deps,
  { id }: PayoutIntent,
  hit: string | undefined,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    if (!(await leaveSend(tx, id, ids.uuid()))) return false;
    if (hit === undefined) await deletePayoutWaits(tx, [id]);
    else await notePayoutWait(tx, id, waitFor(hit));
    return true;
  });

const waitFor = (hit: string): WaitNote => ({
  outcome: "hold",
  cause: causeOf("screening_hit"),
  why: `a screening hit (${hit}) needs ${APPROVALS_NEEDED} approvals`,
  hit,
});

/** Ends the release of an excess refund. Approvals end its wait early. */
async function endRelease(deps: Deps, job: LeasedJob, { id, orderId }: PayoutIntent) {
  await advanceOrder(deps, { orderId, job }, () => ({
    payout: { id, isReleased: false },
    runAgainInMs: SCREENING_VALID_MS,
  }));
}

async function hitsOf(deps: Deps, intent: PayoutIntent): Promise<readonly string[]> {
  const { orderId } = intent;
  if (intent.purpose === "payout") {
    const order = await findOrder(deps.database, orderId);
    if (!order) throw new Error(`order ${orderId} is missing`);
    return screen(deps, orderId, {
      before: "payout",
      subjects: subjectsOf(deps, await withLockedKey(deps, order)),
    });
  }
  const { address, networkCode, memo } = intent;
  // Money by card or bank returns to its payer, so there is no address to screen.
  if (address === null) return [];
  const subjects: ScreeningRequest["subjects"] = [{ kind: "address", networkCode, address, memo }];
  return screen(deps, orderId, { before: "refund", subjects });
}

async function holdOrder(
  deps: Deps,
  job: LeasedJob,
  { intent, hits }: { readonly intent: PayoutIntent; readonly hits: readonly string[] },
): Promise<void> {
  const event =
    intent.purpose === "payout"
      ? ({
          kind: "held",
          reason: "screening_hit",
          by: "system",
          payoutId: intent.id,
          hits,
        } as const)
      : ({ kind: "refund_held", refund: outgoingOf(deps, intent), hits } as const);
  await advanceOrder(deps, { orderId: intent.orderId, job }, (order, now) => {
    const step = stepOf(deps, order, event, now);
    if (step || event.kind === "held") return step;
    // Another refund of the order was held or rejected before.
    return {
      ...stepOfWrites(order, writesOf(event)),
      ...stepOfNote(deps, order, { actor: "system", note: REFUND_HELD_NOTE, screeningHits: hits }),
    };
  });
}
