import { entryParts } from "../ledger/entries.ts";
import { statement } from "../postgres/statement.ts";
import { eventId, eventParts } from "../webhooks/outbox.ts";
import { STEP_LISTS } from "./step-rows.ts";

/** Counts the order's earlier timeline items at its status. A step with an event adds one. */
const TIMES_BEFORE = `(select count(*) from order_events earlier
  where earlier.order_id = moved.id and earlier.status = moved.status)`;

/** Columns of an order that follow its money. The API's role may not write them. */
const MONEY_COLUMNS = `
       received_units = coalesce(step.received_units, orders.received_units),
       completed_at = case when step.status = 'completed' then business_now()
         else orders.completed_at end,`;

/** An order's row is changed only if it still has the version that its step was decided on. */
const moved = (columns: string): string => `moved as (
     update orders set status = coalesce(step.status, orders.status),
       status_reason = case when step.status is null then orders.status_reason
         else step.status_reason end,
       card_attempts = coalesce(step.card_attempts, orders.card_attempts),${columns}
       quote_id = coalesce(step.quote_id, orders.quote_id),
       receive_units = coalesce(step.receive_units, orders.receive_units),
       payment_method_id = coalesce(step.payment_method_id, orders.payment_method_id),
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
         orders.payment_expires_at)
     from step where orders.id = step.order_id and orders.version = step.version
       and not (step.in_time and orders.payment_expires_at <= business_now())
     returning step.line, orders.*)`;

/** The parts that a customer's or a merchant's request may write beside its order. */
const REQUEST_PARTS = [
  `timeline as (
     insert into order_events (order_id, sequence, merchant_id, status, status_reason, actor, note,
       screening_hits)
     select moved.id, moved.version, moved.merchant_id, moved.status, moved.status_reason,
       step.actor, step.note, step.screening_hits
     from moved join step using (line) where step.note is not null)`,
  `paid as (
     insert into payment_attempts (id, order_id, merchant_id, number, card_token, brand, last_four,
       asset_id, units, billing_sealed)
     select id, order_id, merchant_id, number, card_token, brand, last_four, asset_id, units,
       billing_sealed
     from (${STEP_LISTS.payments}) payments)`,
  `instructed as (
     insert into payment_instructions (order_id, merchant_id, rail, asset_id, units, network_code,
       address, memo, reference, account)
     select order_id, merchant_id, rail, asset_id, units, network_code, address, memo, reference,
       account
     from (${STEP_LISTS.instructions}) instructions
     on conflict (order_id) do nothing)`,
  // A job with this key may be running, and may have found nothing to do before this step. So it runs once more.
  `queued as (
     insert into jobs (kind, key, order_id, merchant_id, run_at, lease_token, leased_until)
     select jobs.kind, jobs.key, jobs.order_id, jobs.merchant_id,
       case when at_window_end then moved.payment_expires_at else business_now() end,
       lease_token, clock_timestamp() + lease_seconds * interval '1 second'
     from (${STEP_LISTS.jobs}) jobs
       join moved on moved.id = jobs.order_id
     on conflict (key) do update set hurried = true where jobs.lease_token is not null
     returning id, order_id, lease_token, hurried)`,
  `happened as (
     select ${eventId("moved", "step.event_type", "moved.status", TIMES_BEFORE)} as id,
       step.merchant_id, step.order_id, step.event_type, step.payload
     from step join moved using (line) where step.event_type is not null)`,
  ...eventParts("happened"),
];

/** The parts that only a worker or an operator writes: what rails report, entries, and payouts. */
const MONEY_PARTS = [
  `attempted as (
     update payment_attempts set status = step.attempt_status,
       units = coalesce(step.attempt_units, payment_attempts.units),
       decline_reason = step.decline_reason, challenge_url = step.challenge_url,
       three_d_secure = step.three_d_secure, updated_at = business_now()
     from step where payment_attempts.id = step.attempt_id)`,
  `deposited as (
     insert into deposits (id, order_id, merchant_id, rail, source, external_id, asset_id, units,
       state, confirmations, confirmations_required, block_hash, mined_at)
     select id, order_id, merchant_id, rail, source, external_id, asset_id, units, state,
       confirmations, confirmations_required, block_hash,
       case when block_hash is not null then business_now() end
     from (${STEP_LISTS.deposits}) deposits
     on conflict (id) do update set asset_id = excluded.asset_id, units = excluded.units,
       state = excluded.state, confirmations = excluded.confirmations,
       confirmations_required = excluded.confirmations_required,
       block_hash = excluded.block_hash,
       mined_at = coalesce(deposits.mined_at, excluded.mined_at), updated_at = business_now())`,
  ...entryParts(STEP_LISTS.entries, STEP_LISTS.lines),
  `reversal as (
     insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at,
       reverses)
     select original.merchant_id, reversals.key, reversals.kind, original.asset_id,
       original.order_id, original.link, business_now(),
       coalesce(original.id, run_again('there is no entry to reverse'))
     from (${STEP_LISTS.reversals}) reversals
       left join ledger_entries original on original.key = reversals.of
     returning id, reverses)`,
  `reversed as (
     insert into ledger_postings (entry_id, line, account_id, asset_id, units)
     select reversal.id, posting.line, posting.account_id, posting.asset_id, -posting.units
     from reversal join ledger_postings posting on posting.entry_id = reversal.reverses)`,
  `owed as (
     insert into payout_intents (id, order_id, merchant_id, purpose, rail, asset_id, units,
       network_code, address, memo, attempt_id, deposit_id, euro_cents)
     select id, order_id, merchant_id, purpose, rail, asset_id, units, network_code, address, memo,
       attempt_id, deposit_id, euro_cents
     from (${STEP_LISTS.intents}) intents)`,
  `advanced as (
     update payout_intents set state = coalesce(step.intent_state, payout_intents.state),
       void_reason = coalesce(step.void_reason, payout_intents.void_reason),
       confirmations = coalesce(step.confirmations, payout_intents.confirmations),
       settled_hash = coalesce(step.settled_hash, payout_intents.settled_hash),
       awaits_finality = coalesce(step.awaits_finality, payout_intents.awaits_finality),
       released_at = case when step.intent_released then coalesce(payout_intents.released_at, business_now())
         when step.intent_released is null then payout_intents.released_at end,
       updated_at = business_now()
     from step where payout_intents.id = step.intent_id)`,
];

// A step may end a job that was hurried, although `finishJob` does not. A step that asked for the job raised the order's
// version, so this one is refused unless it was decided after that step. Others only ask the job to look sooner, and the
// step says that nothing is left to look for. Its new jobs are due already.
const JOB_PARTS = [
  `ended as (
     delete from jobs using step where jobs.id = step.job_id and jobs.lease_token = step.job_lease
       and step.run_again_ms is null
     returning step.line)`,
  `postponed as (
     update jobs set lease_token = null, leased_until = null, hurried = false, attempts = 0, last_error = null,
       run_at = case when jobs.hurried then business_now()
         else business_now() + step.run_again_ms * interval '1 millisecond' end
     from step where jobs.id = step.job_id and jobs.lease_token = step.job_lease
       and step.run_again_ms is not null
     returning step.line)`,
];

const RESULT = `step.line, moved.version, moved.updated_at, moved.payment_expires_at, moved.held_from,
     queued.id as job_id`;
const WITH_STEPS = `with step as materialized (${STEP_LISTS.steps})`;
// A job that another worker runs is not the caller's next one.
const NEXT_JOB = `left join queued on queued.order_id = step.order_id and queued.lease_token is not null
     and not queued.hurried`;

// One statement writes any number of steps; an empty list writes nothing. The timeline's sequence is the order's
// version, so a change of status has one place in the timeline. A step with a note alone adds an item without moving
// the order.
export const APPLY = statement(
  "orders_apply_step",
  `${[WITH_STEPS, moved(MONEY_COLUMNS), ...JOB_PARTS, ...MONEY_PARTS, ...REQUEST_PARTS].join(", ")}
   select ${RESULT},
     case when moved.line is null
       or (step.job_id is not null and ended.line is null and postponed.line is null)
       then refuse_write('the order changed concurrently, or its job was taken over') end as refused
   from step left join moved using (line) left join ended using (line)
     left join postponed using (line) ${NEXT_JOB}`,
);

/** The same without money and jobs of a worker. PostgreSQL asks for rights to each table that a statement names. */
export const APPLY_REQUESTS = statement(
  "orders_apply_requests",
  `${[WITH_STEPS, moved(""), ...REQUEST_PARTS].join(", ")}
   select ${RESULT},
     case when moved.line is null then refuse_write('the order changed concurrently') end as refused
   from step left join moved using (line) ${NEXT_JOB}`,
);

// It writes, although its text does not show it.
export const OWE_REFUNDS = statement("orders_owe_refunds", "select owe_refunds($1::jsonb)");
