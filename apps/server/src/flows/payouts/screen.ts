import { writesOf } from "../../domain/orders/machine.ts";
import { APPROVALS_NEEDED } from "../../domain/payouts/limits.ts";
import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { causeOf } from "../../domain/payouts/wait.ts";
import type { ScreeningRequest } from "../../domain/ports/screener.ts";
import { type LeasedJob, postponeJob } from "../../storage/jobs/jobs.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { countHitApprovals } from "../../storage/payouts/approvals.ts";
import { listPayoutIntents } from "../../storage/payouts/intents.ts";
import { notePayoutWait } from "../../storage/payouts/waits.ts";
import { withLockedKey } from "../customers/personal-data.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder } from "../orders/advance.ts";
import { screen, subjectsOf } from "../orders/screen.ts";
import { stepOf, stepOfNote, stepOfWrites } from "../orders/step-of.ts";
import { outgoingOf } from "./owe.ts";

/** A payout that waited longer for a stop, a limit or a person is screened again. */
const SCREENING_VALID_MS = 10 * 60_000;
/** The wait before an excess refund is screened again. An approval ends the wait early. */
const ASK_AGAIN_MS = 10_000;

/**
 * Screens the destination of money that was not released yet. The exchange screened its payout, so
 * a recent payout is not screened again. One that takes the place of a rejected payout is, because
 * the exchange may be long ago. Every refund of coins is screened. On a hit the order is
 * held for an operator. An excess refund waits for approvals of this hit, because its order goes on without it.
 * Returns true if the payout is held. Its job has then ended or waits.
 */
export async function isHeldByScreening(
  deps: Deps,
  job: LeasedJob,
  intent: PayoutIntent,
): Promise<boolean> {
  if (intent.releasedAt !== null) return false;
  const hits = await hitsOf(deps, intent);
  if (hits.length === 0) return false;
  if (intent.purpose !== "excess_refund") {
    await holdOrder(deps, job, { intent, hits });
    return true;
  }
  const hit = hits.toSorted().join(", ");
  if ((await countHitApprovals(deps.database, intent.id, hit)) >= APPROVALS_NEEDED) return false;
  const why = `a screening hit (${hit}) needs ${APPROVALS_NEEDED} approvals`;
  const note = { outcome: "hold", cause: causeOf("screening_hit"), why, hit } as const;
  await deps.database.transaction((tx) => notePayoutWait(tx, intent.id, note));
  await postponeJob(deps.database, job, ASK_AGAIN_MS);
  return true;
}

async function hitsOf(deps: Deps, intent: PayoutIntent): Promise<readonly string[]> {
  if (!deps.screener) return [];
  const { orderId } = intent;
  if (intent.purpose === "payout") {
    const ageMs = deps.clock.now().getTime() - intent.createdAt.getTime();
    if (ageMs < SCREENING_VALID_MS && (await isFirstPayout(deps, intent))) return [];
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

async function isFirstPayout({ database }: Deps, { id, orderId }: PayoutIntent): Promise<boolean> {
  const payouts = (await listPayoutIntents(database, orderId)).filter(
    ({ purpose }) => purpose === "payout",
  );
  return payouts.every((payout) => payout.id === id);
}

const HELD_NOTE = "the refund is held for a person: screening hit";

async function holdOrder(
  deps: Deps,
  job: LeasedJob,
  { intent, hits }: { readonly intent: PayoutIntent; readonly hits: readonly string[] },
): Promise<void> {
  const event =
    intent.purpose === "payout"
      ? ({ kind: "held", reason: "screening_hit", by: "system", hits } as const)
      : ({ kind: "refund_held", refund: outgoingOf(deps, intent), hits } as const);
  await advanceOrder(deps, { orderId: intent.orderId, job }, (order, now) => {
    const step = stepOf(deps, order, event, now);
    if (step || event.kind === "held") return step;
    // Another refund of the order was held or rejected before.
    return {
      ...stepOfWrites(order, writesOf(event)),
      ...stepOfNote(deps, order, { actor: "system", note: HELD_NOTE, screeningHits: hits }),
    };
  });
}
