import { type LeasedJob, LeaseLost } from "../../storage/jobs/jobs.ts";
import { type AppliedStep, applyStep } from "../../storage/orders/apply-step.ts";
import type { OrderStep } from "../../storage/orders/order-step.ts";
import { findOrder, type Order } from "../../storage/orders/orders.ts";
import type { Deps } from "../deps.ts";

/** What a job records when it ends: decided on the order as it is, and on nothing else that may change. */
export type Decide = (order: Order) => OrderStep | Promise<OrderStep>;

/**
 * Ends a job with what it records, in one database transaction. What was decided holds only for the
 * order as it was: changed meanwhile, it is read and decided anew. Throws LeaseLost when the job is
 * another worker's by now.
 */
export async function goOn(deps: Deps, job: LeasedJob, decide: Decide): Promise<AppliedStep> {
  let order = await requireOrderOf(deps, job);
  for (;;) {
    const step = await decide(order);
    const taken = await applyStep(deps.database, { ...step, job, leaseToken: job.leaseToken });
    if (taken) return taken;
    const now = await requireOrderOf(deps, job);
    if (now.version === order.version) throw new LeaseLost(`job ${job.id} is no longer ours`);
    order = now;
  }
}

async function requireOrderOf(deps: Deps, { orderId }: LeasedJob): Promise<Order> {
  const order = await findOrder(deps.database, orderId);
  if (!order) throw new Error(`order ${orderId} is missing`);
  return order;
}
