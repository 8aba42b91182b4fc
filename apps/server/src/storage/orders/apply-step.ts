import type { Order } from "../../domain/orders/order.ts";
import { logControl } from "../audit/control-log.ts";
import { JOBS_DUE_CHANNEL, type LeasedJob } from "../jobs/jobs.ts";
import { entryParts } from "../ledger/entries.ts";
import { findOverdrawn } from "../payouts/liquidity.ts";
import { makeBatcher } from "../postgres/batches.ts";
import type { Database, Queryable, Tx } from "../postgres/database.ts";
import { statement } from "../postgres/statement.ts";
import { isRefused, retryOnConflict } from "../postgres/transaction.ts";
import { usePriceOffer } from "../quotes/quotes.ts";
import { eventId, eventParts, WEBHOOKS_DUE_CHANNEL } from "../webhooks/outbox.ts";
import type { OrderStep } from "./order-step.ts";
import { STEP_LISTS, stepRows } from "./step-rows.ts";

/** Counts the order's earlier timeline items at its status. A step with an event adds one. */
const TIMES_BEFORE = `(select count(*) from order_events earlier
  where earlier.order_id = moved.id and earlier.status = moved.status)`;

// One statement writes any number of steps; an empty list writes nothing. An order's row is changed only if it
// still has the version that its step was decided on. The timeline's sequence is the order's version, so a
// change of status has one place in the timeline. A step with a note alone adds an item without moving the order.
const APPLY = statement(
  "orders_apply_step",
  `with step as materialized (${STEP_LISTS.steps}),
   moved as (
     update orders set status = coalesce(step.status, orders.status),
       status_reason = case when step.status is null then orders.status_reason
         else step.status_reason end,
       card_attempts = coalesce(step.card_attempts, orders.card_attempts),
       received_units = coalesce(step.received_units, orders.received_units),
       quote_id = coalesce(step.quote_id, orders.quote_id),
       receive_units = coalesce(step.receive_units, orders.receive_units),
       refund_address = coalesce(step.refund_address, orders.refund_address),
       refund_memo = case when step.refund_address is null then orders.refund_memo
         else step.refund_memo end,
       requested_refund_address = case when step.refund_address is null
         then coalesce(step.requested_refund_address, orders.requested_refund_address) end,
       requested_refund_memo = case when step.refund_address is not null then null
         when step.requested_refund_address is null then orders.requested_refund_memo
         else step.requested_refund_memo end,
       version = orders.version + 1,
       updated_at = case
         when coalesce(step.note, step.received_units::text) is null
         then orders.updated_at else business_now() end,
       held_from = case when step.status is null then orders.held_from
         when step.status = 'in_review' then orders.status end,
       payment_expires_at = coalesce(business_now() + step.window_seconds * interval '1 second',
         orders.payment_expires_at),
       completed_at = case when step.status = 'completed' then business_now()
         else orders.completed_at end
     from step where orders.id = step.order_id and orders.version = step.version
       and not (step.in_time and orders.payment_expires_at <= business_now())
     returning step.line, orders.*),
   timeline as (
     insert into order_events (order_id, sequence, merchant_id, status, status_reason, actor, note,
       screening_hits)
     select moved.id, moved.version, moved.merchant_id, moved.status, moved.status_reason,
       step.actor, step.note, step.screening_hits
     from moved join step using (line) where step.note is not null),
   ended as (
     delete from jobs using step where jobs.id = step.job_id and jobs.lease_token = step.job_lease
       and step.run_again_ms is null
     returning step.line),
   postponed as (
     update jobs set lease_token = null, leased_until = null, hurried = false,
       run_at = case when jobs.hurried then business_now()
         else business_now() + step.run_again_ms * interval '1 millisecond' end
     from step where jobs.id = step.job_id and jobs.lease_token = step.job_lease
       and step.run_again_ms is not null
     returning step.line),
   attempted as (
     update payment_attempts set status = step.attempt_status,
       decline_reason = step.decline_reason, challenge_url = step.challenge_url,
       three_d_secure = step.three_d_secure, updated_at = business_now()
     from step where payment_attempts.id = step.attempt_id),
   paid as (
     insert into payment_attempts (id, order_id, merchant_id, number, card_token, brand, last_four,
       asset_id, units, status, billing_sealed)
     select id, order_id, merchant_id, number, card_token, brand, last_four, asset_id, units,
       'processing', billing_sealed
     from (${STEP_LISTS.payments}) payments),
   instructed as (
     insert into payment_instructions (order_id, merchant_id, rail, asset_id, units, network_code,
       address, memo, reference, account)
     select order_id, merchant_id, rail, asset_id, units, network_code, address, memo, reference,
       account
     from (${STEP_LISTS.instructions}) instructions
     on conflict (order_id) do nothing),
   deposited as (
     insert into deposits (id, order_id, merchant_id, rail, source, external_id, asset_id, units,
       state, confirmations, confirmations_required, block_hash)
     select id, order_id, merchant_id, rail, source, external_id, asset_id, units, state,
       confirmations, confirmations_required, block_hash
     from (${STEP_LISTS.deposits}) deposits
     on conflict (id) do update set state = excluded.state, confirmations = excluded.confirmations,
       confirmations_required = excluded.confirmations_required, block_hash = excluded.block_hash, updated_at = business_now()),
   ${entryParts(STEP_LISTS.entries, STEP_LISTS.lines).join(", ")},
   reversal as (
     insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at,
       reverses)
     select original.merchant_id, reversals.key, reversals.kind, original.asset_id,
       original.order_id, original.link, business_now(),
       coalesce(original.id, run_again('there is no entry to reverse'))
     from (${STEP_LISTS.reversals}) reversals
       left join ledger_entries original on original.key = reversals.of
     returning id, reverses),
   reversed as (
     insert into ledger_postings (entry_id, line, account_id, asset_id, units)
     select reversal.id, posting.line, posting.account_id, posting.asset_id, -posting.units
     from reversal join ledger_postings posting on posting.entry_id = reversal.reverses),
   owed as (
     insert into payout_intents (id, order_id, merchant_id, purpose, rail, asset_id, units,
       network_code, address, memo, attempt_id, deposit_id, euro_cents)
     select id, order_id, merchant_id, purpose, rail, asset_id, units, network_code, address, memo,
       attempt_id, deposit_id, euro_cents
     from (${STEP_LISTS.intents}) intents),
   advanced as (
     update payout_intents set state = coalesce(step.intent_state, payout_intents.state),
       void_reason = coalesce(step.void_reason, payout_intents.void_reason),
       confirmations = coalesce(step.confirmations, payout_intents.confirmations),
       settled_hash = coalesce(step.settled_hash, payout_intents.settled_hash),
       released_at = case when step.intent_released
         then coalesce(payout_intents.released_at, business_now())
         else payout_intents.released_at end,
       updated_at = business_now()
     from step where payout_intents.id = step.intent_id),
   queued as (
     insert into jobs (kind, key, order_id, merchant_id, run_at, lease_token, leased_until)
     select jobs.kind, jobs.key, jobs.order_id, jobs.merchant_id,
       case when at_window_end then moved.payment_expires_at else business_now() end,
       lease_token, clock_timestamp() + lease_seconds * interval '1 second'
     from (${STEP_LISTS.jobs}) jobs
       join moved on moved.id = jobs.order_id
     on conflict (key) do nothing returning id, order_id, lease_token),
   happened as (
     select ${eventId("moved", "step.event_type", "moved.status", TIMES_BEFORE)} as id,
       step.merchant_id, step.order_id, step.event_type, step.payload
     from step join moved using (line) where step.event_type is not null),
   ${eventParts("happened").join(", ")}
   select step.line, moved.version, moved.updated_at, moved.payment_expires_at, moved.held_from,
     queued.id as job_id,
     case when moved.line is null
       or (step.job_id is not null and ended.line is null and postponed.line is null)
       then refuse_write('the order changed concurrently, or its job was taken over') end as refused
   from step left join moved using (line) left join ended using (line)
     left join postponed using (line)
     left join queued on queued.order_id = step.order_id and queued.lease_token is not null`,
);

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

/** Writes all steps. Throws and writes nothing when one of the steps is refused. */
async function write(queryable: Queryable, steps: readonly OrderStep[]): Promise<AppliedStep[]> {
  const applied: AppliedStep[] = [];
  for (const row of await queryable.query<AppliedRow>(APPLY, [stepRows(steps)])) {
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

/** A requirement of the step is not met: the growth would exceed the asset's liquidity limit. */
export class RequirementUnmet extends Error {}

/**
 * Writes a step. Writes nothing and returns undefined when the step is refused. Throws `RequirementUnmet` when
 * a liquidity limit does not allow the step.
 */
export type ApplyStep = (step: OrderStep) => Promise<AppliedStep | undefined>;

/**
 * Steps that are applied at the same time share a statement and a commit. A step that requires a lock, that
 * accepts a new price, or that an operator decided, has a database transaction of its own.
 */
export function makeApplyStep(database: Database): ApplyStep {
  const apply = makeBatcher<OrderStep, AppliedStep | undefined>({
    run: (steps) => writeBatch(database, steps),
    keyOf: ({ order }) => String(order.id),
    batchesInFlightMax: 2,
    itemsMax: 32,
  });
  return (step) => {
    const isPlain = (step.requires ?? []).length === 0 && !step.price && !step.control;
    return isPlain ? apply(step) : applyAlone(database, step);
  };
}

async function applyAlone(database: Database, step: OrderStep): Promise<AppliedStep | undefined> {
  const { requires = [], price, control, order } = step;
  try {
    return await database.transaction(async (tx) => {
      if (price && !(await usePriceOffer(tx, { ...price, orderId: order.id }))) return undefined;
      // The locks come first: under READ COMMITTED the later statements see all earlier commits.
      if (requires.length > 0 && (await findOverdrawn(tx, requires)))
        throw new RequirementUnmet("the step exceeds the liquidity limit of an asset");
      const [applied] = await applyStepsIn(tx, [step]);
      if (control) await logControl(tx, control);
      return applied;
    });
  } catch (error) {
    if (isRefused(error)) return undefined;
    throw error;
  }
}

/** Writes steps in the caller's database transaction. The transaction fails when a step is refused. */
export async function applyStepsIn(tx: Tx, steps: readonly OrderStep[]): Promise<AppliedStep[]> {
  const applied = await write(tx, steps);
  for (const channel of channelsOf(steps)) tx.hint(channel);
  return applied;
}
