import { decide } from "../../domain/orders/machine.ts";
import { finishJob, type LeasedJob } from "../../storage/jobs/jobs.ts";
import type { PayoutIntent } from "../../storage/payouts/intents.ts";
import type { Deps } from "../deps.ts";
import { carryOutMove } from "../orders/move.ts";
import { requireOrder } from "../orders/require-order.ts";
import { oweNoMore } from "./owe.ts";

/**
 * The rail's word that nothing was paid: the intent is void, what it reserved is free again, and a
 * person decides what becomes of the order.
 */
export async function rejectPayout(
  deps: Deps,
  rejected: { readonly job: LeasedJob; readonly intent: PayoutIntent },
): Promise<void> {
  const { job, intent } = rejected;
  await deps.database.transaction(async (tx) => {
    await finishJob(tx, job);
    const order = await requireOrder(tx, intent.orderId);
    await oweNoMore(tx, intent, "rejected");
    if (intent.purpose === "excess_refund") return;
    const kind = intent.purpose === "payout" ? "payout_rejected" : "refund_rejected";
    const move = decide(order, { kind }, order.lockedAt);
    if (move) await carryOutMove(tx, deps, { order, move });
  });
}
