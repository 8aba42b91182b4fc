import type { Order } from "../../domain/orders/order.ts";
import { finishJob, type LeasedJob, LeaseLost, postponeJob } from "../../storage/jobs/jobs.ts";
import type { AppliedStep } from "../../storage/orders/apply-step.ts";
import type { StepParts } from "../../storage/orders/order-step.ts";
import { readOrderNow } from "../../storage/orders/orders.ts";
import type { Deps } from "../deps.ts";

/**
 * Parts of a step. With `runAgainInMs` the job that records it runs again; without it the job ends.
 */
export interface BuiltStep extends StepParts {
  readonly runAgainInMs?: number;
}

/**
 * Decides what to write for the order as it was read. Undefined writes nothing. It must read any
 * other facts after the order. Every write of an order's facts raises its version, so those facts
 * are still the same when the step is written.
 */
export type BuildStep = (
  order: Order,
  now: Date,
) => BuiltStep | undefined | Promise<BuiltStep | undefined>;

export interface Advancing {
  readonly orderId: bigint;
  /** The job that the step ends or returns to the queue. */
  readonly job?: LeasedJob;
  /** The lease of the first new job. The caller runs that job next; otherwise it waits until the lease ends. */
  readonly nextLease?: string | undefined;
  /** The order, if the caller has it and expects no change since. */
  readonly order?: Order | undefined;
}

/** The step was refused although the order has not changed: its payment window is over. */
export class StepRefused extends Error {}

/**
 * Changes an order: reads it, builds a step and writes the step in one database transaction. Every
 * change of an order comes through here, but for a turn at the payout limits, which has locked its orders and writes their
 * steps itself, with the same statement (flows/payouts/release.ts). If the order changed meanwhile, it is read and decided on
 * again. An order that the caller has saves the first read. It is never the reason to write nothing:
 * that is decided on the order as it is now. Throws LeaseLost when the job is no longer ours,
 * StepRefused when the step came too late, and RequirementUnmet.
 */
export async function advanceOrder(
  deps: Pick<Deps, "database" | "applyStep" | "clock">,
  { orderId, job, nextLease, order: earlier }: Advancing,
  build: BuildStep,
): Promise<AppliedStep> {
  let { order, now } = earlier
    ? { order: earlier, now: deps.clock.now() }
    : await requireOrder(deps, orderId);
  let isCurrent = earlier === undefined;
  for (;;) {
    const { runAgainInMs, ...parts } = (await build(order, now)) ?? {};
    const isEmpty = Object.keys(parts).length === 0;
    if (isEmpty && isCurrent) {
      await endJob(deps, job, runAgainInMs);
      return { order, next: undefined };
    }
    const applied = isEmpty
      ? undefined
      : await deps.applyStep({
          ...parts,
          leaseToken: nextLease,
          order,
          job: job && { ...job, runAgainInMs },
        });
    if (applied) return applied;
    const again = await requireOrder(deps, orderId);
    const isUnchanged = again.order.version === order.version;
    if (!isEmpty && isUnchanged) throw refusalOf(orderId, job);
    ({ order, now } = again);
    isCurrent = true;
  }
}

async function requireOrder({ database }: Pick<Deps, "database">, id: bigint) {
  const reading = await readOrderNow(database, id);
  if (!reading) throw new Error(`order ${id} is missing`);
  return reading;
}

/** The order does not change: the job only ends, or waits. */
async function endJob(
  { database }: Pick<Deps, "database">,
  job: LeasedJob | undefined,
  runAgainInMs: number | undefined,
): Promise<void> {
  if (!job) return;
  if (runAgainInMs === undefined) await finishJob(database, job);
  else await postponeJob(database, job, runAgainInMs);
}

const refusalOf = (orderId: bigint, job: LeasedJob | undefined): Error =>
  job
    ? new LeaseLost(`job ${job.id} is no longer ours`)
    : new StepRefused(`the step of order ${orderId} came too late`);
