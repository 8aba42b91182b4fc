import { JOBS_DUE_CHANNEL, type LeasedJob } from "../jobs/jobs.ts";
import { makeBatcher } from "../postgres/batches.ts";
import type { Database, Queryable, Tx } from "../postgres/database.ts";
import { againWhereAsked, isRefused } from "../postgres/transaction.ts";
import { WEBHOOKS_DUE_CHANNEL } from "../webhooks/outbox.ts";
import type { OrderStep } from "./order-step.ts";
import { type StepPart, stepStatement } from "./order-step-parts.ts";
import { inputOf } from "./order-step-rows.ts";
import type { Order } from "./orders.ts";

export interface StepTaken {
  /** As it is now. */
  readonly order: Order;
  /** The first of the step's new jobs, leased, where a lease was asked for. */
  readonly next: LeasedJob | undefined;
}

const PART_ORDER = [
  "change",
  "received",
  "job",
  "payment",
  "attempt",
  "entries",
  "intent",
  "payout",
  "jobs",
  "event",
] as const;

const partsOf = (step: OrderStep): StepPart[] =>
  PART_ORDER.filter((part) => {
    const written = step[part];
    return written !== undefined && !(Array.isArray(written) && written.length === 0);
  });

interface TakenRow {
  readonly line: number;
  readonly version: number;
  readonly updated_at: Date;
  readonly payment_expires_at: Date;
  readonly held_from: Order["heldFrom"];
  readonly job_id: string | null;
}

/** Writes steps of the same parts; throws and writes nothing when one of them is refused. */
async function writeSteps(queryable: Queryable, steps: readonly OrderStep[]): Promise<StepTaken[]> {
  const [first] = steps;
  if (first === undefined) return [];
  const rows = await queryable.query<TakenRow>(stepStatement(partsOf(first)), [inputOf(steps)]);
  const taken: StepTaken[] = [];
  for (const row of rows) {
    const step = steps[row.line];
    if (step) taken[row.line] = takenOf(step, row);
  }
  return taken;
}

/** Whoever leased its next job goes on with it and needs no hint of it. */
function channelsOf(steps: readonly OrderStep[]): string[] {
  const channels: string[] = [];
  if (steps.some(({ event }) => event !== undefined)) channels.push(WEBHOOKS_DUE_CHANNEL);
  const isDue = ({ jobs = [], leaseToken }: OrderStep) =>
    jobs.length > (leaseToken === undefined ? 0 : 1);
  if (steps.some(isDue)) channels.push(JOBS_DUE_CHANNEL);
  return channels;
}

/** Writes one step in the caller's database transaction, which holds the order's lock. */
export async function writeStep(tx: Tx, step: OrderStep): Promise<StepTaken> {
  const [taken] = await writeSteps(tx, [step]);
  for (const channel of channelsOf([step])) tx.hint(channel);
  if (!taken) throw new Error(`the step of order ${step.order.id} gave no row`);
  return taken;
}

function takenOf(step: OrderStep, row: TakenRow): StepTaken {
  const { change } = step;
  const moved = change && {
    status: change.status,
    statusReason: change.statusReason,
    cardAttempts: change.cardAttempts,
    receivedUnits: change.receivedUnits,
  };
  const order: Order = {
    ...step.order,
    ...(step.received === undefined ? {} : { receivedUnits: step.received }),
    ...moved,
    heldFrom: row.held_from,
    version: row.version,
    updatedAt: row.updated_at,
    paymentExpiresAt: row.payment_expires_at,
  };
  const [job] = step.jobs ?? [];
  const { leaseToken } = step;
  if (row.job_id === null || !job || leaseToken === undefined) return { order, next: undefined };
  return { order, next: { ...job, id: row.job_id, attempts: 0, leaseToken } };
}

type TakeStep = (step: OrderStep) => Promise<StepTaken | undefined>;

/** Alone, a refused step is told from one that goes wrong; beside others it is first tried alone. */
async function tryAll(
  database: Database,
  steps: readonly OrderStep[],
): Promise<(StepTaken | undefined)[]> {
  try {
    const taken = await againWhereAsked(() => writeSteps(database, steps));
    for (const channel of channelsOf(steps)) database.hint(channel);
    return taken;
  } catch (error) {
    if (steps.length === 1 && isRefused(error)) return [undefined];
    throw error;
  }
}

/** Steps of the same parts that are taken at the same time share a statement and a commit. */
function makeTakeStep(database: Database): TakeStep {
  const batchers = new Map<string, TakeStep>();
  return (step) => {
    const parts = partsOf(step).join();
    const take =
      batchers.get(parts) ??
      makeBatcher<OrderStep, StepTaken | undefined>({
        run: (steps) => tryAll(database, steps),
        keyOf: ({ order }) => String(order.id),
        batchesInFlightMax: 2,
        itemsMax: 32,
      });
    batchers.set(parts, take);
    return take(step);
  };
}

const takers = new WeakMap<Database, TakeStep>();

/**
 * Writes a step in a database transaction of its own, shared with others. Gives nothing, and has
 * written nothing, when it was refused: the order changed meanwhile, or the job is another's.
 */
export function takeStep(database: Database, step: OrderStep): Promise<StepTaken | undefined> {
  const take = takers.get(database) ?? makeTakeStep(database);
  takers.set(database, take);
  return take(step);
}
