import { entryParts } from "../ledger/entries.ts";
import { isIn } from "../payouts/intents.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { type Statement, statement } from "../postgres/statement.ts";
import { REFUSED } from "../postgres/transaction.ts";
import { eventParts } from "../webhooks/outbox.ts";

/** What a step may write; each is a part of the one statement, and one that is not written costs nothing. */
export type StepPart =
  | "change"
  | "received"
  | "job"
  | "attempt"
  | "payment"
  | "entries"
  | "intent"
  | "payout"
  | "jobs"
  | "event";

const STEPS = jsonRows(
  "steps",
  `line int, order_id bigint, merchant_id text, version int, in_time boolean, job_id bigint,
   job_lease uuid, status text, status_reason text, card_attempts int, received_units numeric,
   window_seconds float8, actor text, note text, event_type text, payload text, attempt_id uuid,
   attempt_status text, decline_reason text, challenge_url text, three_d_secure jsonb,
   intent_id uuid, intent_state text, confirmations int, settled_hash text`,
);

// The order is changed, or locked, only where it still is as it was decided upon.
const CHANGED = `moved as (
  update orders set status = step.status, status_reason = step.status_reason,
    card_attempts = step.card_attempts, received_units = step.received_units,
    version = orders.version + 1, updated_at = business_now(),
    held_from = case when step.status = 'in_review' then orders.status end,
    payment_expires_at = coalesce(business_now() + step.window_seconds * interval '1 second',
      orders.payment_expires_at),
    completed_at = case when step.status = 'completed' then business_now()
      else orders.completed_at end
  from step where orders.id = step.order_id and orders.version = step.version
    and not (step.in_time and orders.payment_expires_at <= business_now())
  returning step.line, orders.*)`;
const LOCKED = `moved as materialized (
  select step.line, orders.* from step join orders on orders.id = step.order_id
  where orders.version = step.version for no key update of orders)`;
const RECEIVED = `moved as (
  update orders set received_units = step.received_units, version = orders.version + 1,
    updated_at = business_now()
  from step where orders.id = step.order_id and orders.version = step.version
  returning step.line, orders.*)`;
// The timeline's sequence is the order's version: a move is told once, in the statement that makes it.
const TOLD = `told as (
  insert into order_events (order_id, sequence, merchant_id, status, status_reason, actor, note)
  select moved.id, moved.version, moved.merchant_id, moved.status, moved.status_reason, step.actor,
    step.note from moved join step using (line))`;

const ENDED = `ended as (
  delete from jobs using step where jobs.id = step.job_id and jobs.lease_token = step.job_lease
  returning step.line)`;

const PARTS: Readonly<Record<StepPart, readonly string[]>> = {
  change: [CHANGED, TOLD],
  received: [RECEIVED],
  job: [ENDED],
  attempt: [
    `attempted as (
       update payment_attempts set status = step.attempt_status,
         decline_reason = step.decline_reason, challenge_url = step.challenge_url,
         three_d_secure = step.three_d_secure, updated_at = business_now()
       from step where payment_attempts.id = step.attempt_id)`,
  ],
  payment: [
    `paid as (
       insert into payment_attempts (id, order_id, merchant_id, number, card_token, brand,
         last_four, asset_id, units, status, billing_address)
       select id, order_id, merchant_id, number, card_token, brand, last_four, asset_id, units,
         'processing', billing_address
       from (${jsonRows("payments", "id uuid, order_id bigint, merchant_id text, number int, card_token text, brand text, last_four text, asset_id int, units numeric, billing_address jsonb")}) payments)`,
  ],
  entries: entryParts(
    jsonRows(
      "entries",
      "merchant_id text, key text, kind text, asset_id int, order_id bigint, link text",
    ),
    jsonRows(
      "lines",
      "merchant_id text, key text, line int, purpose text, asset_id int, units numeric",
    ),
  ),
  intent: [
    `owed as (
       insert into payout_intents (id, order_id, merchant_id, purpose, rail, asset_id, units,
         network_code, address, memo, attempt_id, deposit_id, euro_cents)
       select id, order_id, merchant_id, purpose, rail, asset_id, units, network_code, address,
         memo, attempt_id, deposit_id, euro_cents
       from (${jsonRows("intents", "id uuid, order_id bigint, merchant_id text, purpose text, rail text, asset_id int, units numeric, network_code text, address text, memo text, attempt_id uuid, deposit_id uuid, euro_cents bigint")}) intents)`,
  ],
  payout: [
    `advanced as (
       update payout_intents set state = step.intent_state, confirmations = step.confirmations,
         settled_hash = step.settled_hash, updated_at = business_now()
       from step where payout_intents.id = step.intent_id
         and ${isIn("'signed', 'broadcast'")})`,
  ],
  jobs: [
    `queued as (
       insert into jobs (kind, key, order_id, merchant_id, run_at, lease_token, leased_until)
       select jobs.kind, jobs.key, jobs.order_id, jobs.merchant_id,
         case when at_window_end then moved.payment_expires_at else business_now() end,
         lease_token, clock_timestamp() + lease_seconds * interval '1 second'
       from (${jsonRows("jobs", "kind text, key text, order_id bigint, merchant_id text, at_window_end boolean, lease_token uuid, lease_seconds float8")}) jobs
         join moved on moved.id = jobs.order_id
       on conflict (key) do nothing returning id, order_id, lease_token)`,
  ],
  event: eventParts("step"),
};

const made = new Map<string, Statement>();

/** The one statement that writes these parts of any number of steps, or nothing. */
export function stepStatement(parts: readonly StepPart[]): Statement {
  const name = `order_steps_${parts.join("_")}`;
  const known = made.get(name) ?? statement(name, textOf(parts));
  made.set(name, known);
  return known;
}

function textOf(parts: readonly StepPart[]): string {
  const has = (part: StepPart): boolean => parts.includes(part);
  const written = [
    ...(has("change") || has("received") ? [] : [LOCKED]),
    ...parts.flatMap((part) => PARTS[part]),
  ];
  const isRefused = has("job") ? "moved.line is null or ended.line is null" : "moved.line is null";
  return `with step as materialized (${STEPS}), ${written.join(", ")}
    select step.line, moved.version, moved.updated_at, moved.payment_expires_at, moved.held_from,
      ${has("jobs") ? "queued.id" : "null"} as job_id,
      case when ${isRefused} then run_again('${REFUSED}') end as refused
    from step left join moved using (line)
      ${has("job") ? "left join ended using (line)" : ""}
      ${has("jobs") ? "left join queued on queued.order_id = step.order_id and queued.lease_token is not null" : ""}`;
}
