import type { HoldReason } from "../../domain/orders/status.ts";
import { finishJob, type LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { holdLocked } from "../orders/hold.ts";
import { requireOrder } from "../orders/require-order.ts";

/** The controls hold a payout for a person: its job ends, releasing the order starts it again. */
export async function holdPayout(deps: Deps, job: LeasedJob, reason: HoldReason): Promise<void> {
  await deps.database.transaction(async (tx) => {
    await finishJob(tx, job);
    const order = await requireOrder(tx, job.orderId);
    await holdLocked(tx, deps, { order, reason, by: "system" });
  });
}
