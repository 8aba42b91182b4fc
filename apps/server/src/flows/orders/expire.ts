import { failpoint } from "../../failpoints.ts";
import type { LeasedJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder } from "./advance.ts";
import { heldOf, readMoney } from "./held-money.ts";
import { stepOf } from "./step-of.ts";

/** If a payment is under way when the window ends, the order is checked again after this time. */
const RECHECK_MS = 60_000;

/**
 * Expires an order that was not paid in time. Its payment window may have been reopened meanwhile.
 */
export async function expireOrder(deps: Deps, job: LeasedJob): Promise<void> {
  failpoint("order.before_expire");
  await advanceOrder(deps, { orderId: job.orderId, job }, async (order, now) => {
    const leftMs = order.paymentExpiresAt.getTime() - now.getTime();
    if (order.status === "awaiting_payment" && leftMs > 0) return { runAgainInMs: leftMs };
    if (order.status === "payment_pending") return { runAgainInMs: Math.max(leftMs, RECHECK_MS) };
    const held = heldOf(order, await readMoney(deps.database, order.id));
    const event = { kind: "payment_window_ended", moneyHeld: held.length > 0 } as const;
    return stepOf(deps, order, event, now);
  });
  failpoint("order.after_expire");
}
