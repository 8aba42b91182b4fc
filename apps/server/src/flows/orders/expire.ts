import { decide } from "../../domain/orders/machine.ts";
import { failpoint } from "../../failpoints.ts";
import { finishJob, type LeasedJob, postponeJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { readHeldMoney } from "./held-money.ts";
import { carryOutMove } from "./move.ts";
import { requireOrder } from "./require-order.ts";

/** A payment that is under way when the window ends gets this long before we look again. */
const RECHECK_MS = 60_000;

/** Ends an order that was not paid in time; its window may have been opened anew meanwhile. */
export async function expireOrder(deps: Deps, job: LeasedJob): Promise<void> {
  failpoint("order.before_expire");
  await deps.database.transaction(async (tx) => {
    const order = await requireOrder(tx, job.orderId);
    const leftMs = order.paymentExpiresAt.getTime() - order.lockedAt.getTime();
    const isPayable = order.status === "awaiting_payment";
    if (isPayable && leftMs > 0) return postponeJob(tx, job, leftMs);
    const mayReturn = order.status === "payment_pending";
    if (mayReturn) return postponeJob(tx, job, Math.max(leftMs, RECHECK_MS));
    await finishJob(tx, job);
    const { held } = await readHeldMoney(tx, order);
    const event = { kind: "payment_window_ended", moneyHeld: held.length > 0 } as const;
    const move = decide(order, event, order.lockedAt);
    if (move) await carryOutMove(tx, deps, { order, move });
  });
  failpoint("order.after_expire");
}
