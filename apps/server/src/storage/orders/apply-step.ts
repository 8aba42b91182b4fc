import type { Order } from "../../domain/orders/order.ts";
import { logControl } from "../audit/control-log.ts";
import { JOBS_DUE_CHANNEL, type LeasedJob } from "../jobs/jobs.ts";
import { findOverdrawn } from "../payouts/liquidity.ts";
import { makeBatcher } from "../postgres/batches.ts";
import type { Database, Queryable, Tx } from "../postgres/database.ts";
import { isRefused, retryOnConflict } from "../postgres/transaction.ts";
import { usePriceOffer } from "../quotes/quotes.ts";
import { isShort } from "../treasury/stock.ts";
import { WEBHOOKS_DUE_CHANNEL } from "../webhooks/outbox.ts";
import type { OrderStep, StepParts } from "./order-step.ts";
import { stepRows } from "./step-rows.ts";
import { APPLY, APPLY_REQUESTS, OWE_REFUNDS } from "./step-statements.ts";

interface AppliedRow {
  readonly line: number;
  readonly version: number;
  readonly updated_at: Date;
  readonly payment_expires_at: Date;
  readonly held_from: Order["heldFrom"];
  readonly job_id: string | null;
}

export interface AppliedStep {
  /** The order after the step. */
  readonly order: Order;
  /** The first of the step's new jobs, if the step has a lease token for it. */
  readonly next: LeasedJob | undefined;
}

/**
 * Whether a step writes only what a customer or a merchant decides, so that a role without rights to money can write
 * it. All processes write such steps with the same statement.
 */
const isRequest = (step: OrderStep): boolean =>
  [step.job, step.attempt, step.payout].every((part) => part === undefined) &&
  [step.deposits, step.entries, step.reversals, step.intents].every(
    (part = []) => part.length === 0,
  ) &&
  (step.change
    ? step.change.receivedUnits === step.order.receivedUnits
    : step.receivedUnits === undefined) &&
  step.change?.status !== "completed";

/** Whether all money of a step is refunds to the order's payer, which a function of the database writes. */
const owesRefunds = ({ intents = [], entries = [], deposits = [] }: OrderStep): boolean =>
  intents.length > 0 &&
  intents.every(({ purpose }) => purpose !== "payout") &&
  entries.length === intents.length &&
  deposits.length === 0;

const withoutMoney = ({
  intents: _intents,
  entries: _entries,
  reversals: _reversals,
  payout: _payout,
  ...step
}: OrderStep): OrderStep => step;

/** Writes all steps. Throws and writes nothing when one of the steps is refused. */
async function write(queryable: Queryable, steps: readonly OrderStep[]): Promise<AppliedStep[]> {
  const applied: AppliedStep[] = [];
  const text = steps.every(isRequest) ? APPLY_REQUESTS : APPLY;
  for (const row of await queryable.query<AppliedRow>(text, [stepRows(steps)])) {
    const step = steps[row.line];
    if (step) applied[row.line] = toApplied(step, row);
  }
  return applied;
}

function toApplied(step: OrderStep, row: AppliedRow): AppliedStep {
  const { change, receivedUnits, leaseToken } = step;
  const order: Order = {
    ...step.order,
    ...refundOf(step),
    ...step.price,
    ...(step.method && { paymentMethodId: step.method.paymentMethodId }),
    ...(receivedUnits === undefined ? {} : { receivedUnits }),
    ...(change && {
      status: change.status,
      statusReason: change.statusReason,
      cardAttempts: change.cardAttempts,
      receivedUnits: change.receivedUnits,
    }),
    heldFrom: row.held_from,
    version: row.version,
    updatedAt: row.updated_at,
    paymentExpiresAt: row.payment_expires_at,
  };
  const [job] = step.jobs ?? [];
  if (row.job_id === null || !job || leaseToken === undefined) return { order, next: undefined };
  return { order, next: { ...job, id: row.job_id, attempts: 0, leaseToken, order } };
}

const refundOf = ({ refund }: OrderStep): Partial<Order> =>
  refund && "refundAddress" in refund
    ? { ...refund, requestedRefundAddress: null, requestedRefundMemo: null }
    : (refund ?? {});

/** Returns the channels to notify. A job that is leased to its writer needs no notification. */
function channelsOf(steps: readonly OrderStep[]): string[] {
  const channels: string[] = [];
  if (steps.some(({ event }) => event !== undefined)) channels.push(WEBHOOKS_DUE_CHANNEL);
  const isDue = ({ jobs = [], leaseToken }: OrderStep) =>
    jobs.length > (leaseToken === undefined ? 0 : 1);
  if (steps.some(isDue)) channels.push(JOBS_DUE_CHANNEL);
  return channels;
}

async function writeBatch(
  database: Database,
  steps: readonly OrderStep[],
): Promise<readonly (AppliedStep | undefined)[]> {
  try {
    const applied = await retryOnConflict(() => write(database, steps));
    for (const channel of channelsOf(steps)) database.hint(channel);
    return applied;
  } catch (error) {
    // The batcher runs each step of a failed batch alone, which shows the steps that are refused.
    if (steps.length === 1 && isRefused(error)) return [undefined];
    throw error;
  }
}

/** A requirement of the step is not met: it would exceed the asset's liquidity limit or its stock. */
export class RequirementUnmet extends Error {}

/**
 * Writes a step. Writes nothing and returns undefined when the step is refused. Throws `RequirementUnmet` when
 * a liquidity limit or the stock does not allow the step.
 */
export type ApplyStep = (step: OrderStep) => Promise<AppliedStep | undefined>;

/**
 * Steps that are applied at the same time share a statement and a commit. A step that requires a lock, that
 * accepts a new price, that owes refunds, that follows others, or that an operator decided, has a database transaction
 * of its own.
 */
export function makeApplyStep(database: Database): ApplyStep {
  const apply = makeBatcher<OrderStep, AppliedStep | undefined>({
    run: (steps) => writeBatch(database, steps),
    keyOf: ({ order }) => String(order.id),
    batchesInFlightMax: 2,
    itemsMax: 32,
  });
  return (step) => {
    const isPlain =
      (step.requires ?? []).length === 0 &&
      !step.needs &&
      !step.price &&
      !step.control &&
      !step.before &&
      !owesRefunds(step);
    return isPlain ? apply(step) : applyAlone(database, step);
  };
}

async function applyAlone(
  database: Database,
  { before = [], ...last }: OrderStep,
): Promise<AppliedStep | undefined> {
  const { requires = [], needs, price, control, order } = last;
  try {
    return await database.transaction(async (tx) => {
      if (price && !(await usePriceOffer(tx, { ...price, orderId: order.id }))) return undefined;
      // The locks come first: under READ COMMITTED the later statements see all earlier commits.
      if (requires.length > 0 && (await findOverdrawn(tx, requires)))
        throw new RequirementUnmet("the step exceeds the liquidity limit of an asset");
      if (needs && (await isShort(tx, needs)))
        throw new RequirementUnmet("the stock of an asset does not cover the step");
      const step = { ...last, order: await applyInTurn(tx, order, before) };
      if (owesRefunds(step)) await tx.query(OWE_REFUNDS, [stepRows([step])]);
      const [applied] = await applyStepsIn(tx, [owesRefunds(step) ? withoutMoney(step) : step]);
      if (control) await logControl(tx, control);
      return applied;
    });
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** Writes changes of one order, each after the other. Returns the order as the last one leaves it. */
async function applyInTurn(tx: Tx, order: Order, changes: readonly StepParts[]): Promise<Order> {
  let current = order;
  for (const parts of changes) {
    const [applied] = await applyStepsIn(tx, [{ ...parts, order: current }]);
    current = applied?.order ?? current;
  }
  return current;
}

/** Writes steps in the caller's database transaction. The transaction fails when a step is refused. */
export async function applyStepsIn(tx: Tx, steps: readonly OrderStep[]): Promise<AppliedStep[]> {
  const applied = await write(tx, steps);
  for (const channel of channelsOf(steps)) tx.hint(channel);
  return applied;
}
