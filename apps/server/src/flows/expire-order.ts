import { decide } from "../domain/orders/machine.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs.ts";
import type { Deps } from "./deps.ts";
import { carryOutMove } from "./move-order.ts";
import { requireOrder } from "./require-order.ts";

/** A payment that is under way when the window ends gets this long before we look again. */
const RECHECK_MS = 60_000;

/** Ends an order that was not paid in time. */
export async function expireOrder(deps: Deps, job: LeasedJob): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const order = await requireOrder(tx, job.orderId);
    if (order.status === "payment_pending") return postponeJob(tx, job, RECHECK_MS);
    await finishJob(tx, job);
    const event = { kind: "payment_window_ended" } as const;
    const move = decide(order, event, order.lockedAt);
    if (move) await carryOutMove(tx, deps, { order, move });
  });
}
