import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement, type Tx, unnamedStatement } from "../postgres/database.ts";
import type { EndpointKey } from "./endpoints.ts";
import { WEBHOOKS_DUE_CHANNEL } from "./outbox.ts";
import { insertPending, isPending, isPendingOf, PENDING_COLUMNS } from "./pending-deliveries.ts";
import { TEST_ORDER_ID } from "./test-events.ts";

/** The events in a range of time that one endpoint receives again. */
export interface ReplayRange extends EndpointKey {
  /** Unix seconds; inclusive. */
  readonly createdFrom: number;
  /** Unix seconds; exclusive. Undefined means until now. */
  readonly createdTo: number | undefined;
  readonly eventType: WebhookEventType | undefined;
  /** `all` includes the deliveries that the endpoint accepted. */
  readonly include: "undelivered" | "all";
}

/** Returns an insert that moves the successful attempt of each delivery to the past attempts. */
const moveSuccesses = (chosen: string): string =>
  `insert into past_attempts
     (merchant_id, delivery_id, number, started_at, duration_ms, status, response_excerpt, planted_fault)
   select merchant_id, id, attempts, attempted_at, duration_ms, status, response_excerpt, planted_fault
   from ${chosen} where status is not null`;
const RESET_RESULT = `given_up = null, attempted_at = null, duration_ms = null, status = null,
  response_excerpt = null, planted_fault = null`;

const insertPendingAgain = (source: string, attempts: string): string =>
  `${insertPending(source, `order_id = ${TEST_ORDER_ID}`)}
   on conflict (merchant_id, endpoint_id, order_id, sequence) do update set
     next_attempt_at = excluded.next_attempt_at, attempts = ${attempts}`;

// A worker that holds the delivery finishes its attempt, and the result that it records ends the delivery as usual.
const REPLAY_ONE = statement(
  "delivery_replays_one",
  `with chosen as (
     select d.* from deliveries d
     join webhook_endpoints e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id
     where d.merchant_id = $1 and d.id = $2 and e.state <> 'removed' for no key update of d
   ), moved as (
     ${moveSuccesses("chosen")}
   ), replayed as (
     update deliveries d set ${RESET_RESULT}
     from chosen where d.merchant_id = chosen.merchant_id and d.id = chosen.id
     returning d.*, is_held(d) as is_held
   ), pending as (
     ${insertPendingAgain("replayed", "case when (select is_held from replayed) then pending_deliveries.attempts else 0 end")}
   ), notified as (
     select pg_notify('${WEBHOOKS_DUE_CHANNEL}', '') from replayed
   )
   select id from replayed, notified`,
);

const IN_RANGE = `event.merchant_id = $1 and not event.is_test
  and event.created_at >= timestamptz 'epoch' + $3::bigint * interval '1 second'
  and ($4::bigint is null
    or event.created_at < timestamptz 'epoch' + $4::bigint * interval '1 second')
  and ($5::text is null or event.event_type = $5)`;

/** The condition that a delivery can be replayed. A delivery that is already due does not match. */
const IS_REPLAYABLE = `(d.given_up = 'exhausted'
  or ${isPending("d")} and not is_held(d) and exists (
    select from pending_deliveries p
    where ${isPendingOf("p", "d")} and p.next_attempt_at > (select business_now()))
  or d.status is not null and $6 = 'all')`;

const OF_EVENT = `from deliveries d
  where d.merchant_id = event.merchant_id and d.event_id = event.id and d.endpoint_id = $2`;

const replayable = (lock: string): string => `from events event
   cross join lateral (select d.* ${OF_EVENT} and ${IS_REPLAYABLE} ${lock}) d
   where ${IN_RANGE}`;

/** Events without a delivery, from before the endpoint was added or subscribed to their type. */
const MISSING = `from events event
   join webhook_endpoints e on e.merchant_id = event.merchant_id and e.id = $2
     and event.event_type = any(e.event_types) and e.state <> 'removed'
   where ${IN_RANGE} and not exists (select ${OF_EVENT})`;

const COUNT_RANGE = unnamedStatement(
  `select (select count(*) ${replayable("")})::int + (select count(*) ${MISSING})::int as matched`,
);

const REPLAY_RANGE = unnamedStatement(
  `with chosen as (
     select d.* ${replayable("for no key update of d")}
   ), moved as (
     ${moveSuccesses("chosen")}
   ), again as (
     update deliveries d set ${RESET_RESULT}
     from chosen where d.merchant_id = chosen.merchant_id and d.id = chosen.id
     returning d.*
   ), pending_again as (
     ${insertPendingAgain("again", "0")}
   ), added as (
     insert into deliveries (id, merchant_id, event_id, endpoint_id, order_id, sequence, created_at)
     select delivery_id(event.id, $2), event.merchant_id, event.id, $2, event.order_id, event.sequence, event.created_at
     ${MISSING}
     order by event.sequence
     on conflict do nothing
     returning ${PENDING_COLUMNS}
   ), pending as (
     ${insertPending("added")}
   ), notified as (
     select pg_notify('${WEBHOOKS_DUE_CHANNEL}', '')
   )
   select (select count(*) from again)::int + (select count(*) from added)::int as replayed
   from notified`,
);

/**
 * Makes a delivery due again, with a new schedule. Returns false when there is no such delivery, or its endpoint was
 * removed.
 */
export async function replayDelivery(
  queryable: Queryable,
  key: { readonly merchantId: string; readonly id: string },
): Promise<boolean> {
  const rows = await queryable.query(REPLAY_ONE, [key.merchantId, key.id]);
  return rows.length > 0;
}

/** Returns the number of deliveries that a replay of the range would send. */
export async function countReplayRange(queryable: Queryable, range: ReplayRange): Promise<number> {
  const [row] = await queryable.query<{ matched: number }>(COUNT_RANGE, valuesOf(range));
  return row?.matched ?? 0;
}

/** Makes the deliveries of the range due again. Returns their number. */
export async function replayRange(tx: Tx, range: ReplayRange): Promise<number> {
  const [row] = await tx.query<{ replayed: number }>(REPLAY_RANGE, valuesOf(range));
  return row?.replayed ?? 0;
}

const valuesOf = (range: ReplayRange): readonly unknown[] => [
  range.merchantId,
  range.endpointId,
  range.createdFrom,
  range.createdTo ?? null,
  range.eventType ?? null,
  range.include,
];
