import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement, type Tx, unkeptStatement } from "../postgres/database.ts";
import type { EndpointKey } from "./endpoints.ts";
import { WEBHOOKS_DUE_CHANNEL } from "./outbox.ts";
import { enterPending, isPending, isPendingOf, PENDING_COLUMNS } from "./pending-deliveries.ts";
import { TEST_ORDER_ID } from "./test-events.ts";

/** What happened in a range of time, as far as one endpoint is concerned. */
export interface ReplayRange extends EndpointKey {
  /** Unix seconds; inclusive. */
  readonly createdFrom: number;
  /** Unix seconds; exclusive. Until now when undefined. */
  readonly createdTo: number | undefined;
  readonly eventType: WebhookEventType | undefined;
  /** Whether what the endpoint took is sent again too. */
  readonly include: "undelivered" | "all";
}

/** What the attempt that delivered them says, kept as one of those before. */
const keepAttempts = (chosen: string): string =>
  `insert into past_attempts
     (merchant_id, delivery_id, number, started_at, duration_ms, status, response_excerpt, planted_fault)
   select merchant_id, id, attempts, attempted_at, duration_ms, status, response_excerpt, planted_fault
   from ${chosen} where status is not null`;
const FORGET_END = `given_up = null, attempted_at = null, duration_ms = null, status = null,
  response_excerpt = null, planted_fault = null`;

const enterAgain = (source: string, attempts: string): string =>
  `${enterPending(source, `order_id = ${TEST_ORDER_ID}`)}
   on conflict (merchant_id, endpoint_id, order_id, sequence) do update set
     next_attempt_at = excluded.next_attempt_at, attempts = ${attempts}`;

// A worker that holds it goes on: what it records ends this delivery as any other.
const REPLAY_ONE = statement(
  "delivery_replays_one",
  `with chosen as (
     select * from deliveries
     where merchant_id = $1 and id = $2 and given_up is distinct from 'dropped' for no key update
   ), kept as (
     ${keepAttempts("chosen")}
   ), replayed as (
     update deliveries d set ${FORGET_END}
     from chosen where d.merchant_id = chosen.merchant_id and d.id = chosen.id
     returning d.*, is_held(d) as is_held
   ), pending as (
     ${enterAgain("replayed", "case when (select is_held from replayed) then pending_deliveries.attempts else 0 end")}
   ), told as (
     select pg_notify('${WEBHOOKS_DUE_CHANNEL}', '') from replayed
   )
   select id from replayed, told`,
);

const IN_RANGE = `event.merchant_id = $1 and not event.is_test
  and event.created_at >= timestamptz 'epoch' + $3::bigint * interval '1 second'
  and ($4::bigint is null
    or event.created_at < timestamptz 'epoch' + $4::bigint * interval '1 second')
  and ($5::text is null or event.event_type = $5)`;

/** What is due already is on its way and matches nothing. */
const TO_REPLAY = `(d.given_up = 'exhausted'
  or ${isPending("d")} and not is_held(d) and exists (
    select from pending_deliveries p
    where ${isPendingOf("p", "d")} and p.next_attempt_at > (select business_now()))
  or d.status is not null and $6 = 'all')`;

const OF_EVENT = `from deliveries d
  where d.merchant_id = event.merchant_id and d.event_id = event.id and d.endpoint_id = $2`;

const made = (lock: string): string => `from events event
   cross join lateral (select d.* ${OF_EVENT} and ${TO_REPLAY} ${lock}) d
   where ${IN_RANGE}`;

/** What happened before the endpoint was registered or subscribed, of the types it wants now. */
const MISSING = `from events event
   join webhook_endpoints e on e.merchant_id = event.merchant_id and e.id = $2
     and event.event_type = any(e.event_types) and e.state <> 'removed'
   where ${IN_RANGE} and not exists (select ${OF_EVENT})`;

const COUNT_RANGE = unkeptStatement(
  `select (select count(*) ${made("")})::int + (select count(*) ${MISSING})::int as matched`,
);

const REPLAY_RANGE = unkeptStatement(
  `with chosen as (
     select d.* ${made("for no key update of d")}
   ), kept as (
     ${keepAttempts("chosen")}
   ), again as (
     update deliveries d set ${FORGET_END}
     from chosen where d.merchant_id = chosen.merchant_id and d.id = chosen.id
     returning d.*
   ), pending_again as (
     ${enterAgain("again", "0")}
   ), added as (
     insert into deliveries (merchant_id, event_id, endpoint_id, order_id, sequence, created_at)
     select event.merchant_id, event.id, $2, event.order_id, event.sequence, event.created_at
     ${MISSING}
     order by event.sequence
     on conflict do nothing
     returning ${PENDING_COLUMNS}
   ), pending as (
     ${enterPending("added")}
   ), told as (
     select pg_notify('${WEBHOOKS_DUE_CHANNEL}', '')
   )
   select (select count(*) from again)::int + (select count(*) from added)::int as replayed
   from told`,
);

/** Sends a delivery again, its schedule begun anew. False when there is none that can be sent. */
export async function replayDelivery(
  queryable: Queryable,
  key: { readonly merchantId: string; readonly id: string },
): Promise<boolean> {
  const rows = await queryable.query(REPLAY_ONE, [key.merchantId, key.id]);
  return rows.length > 0;
}

/** How many deliveries a replay of the range would send. */
export async function countReplayRange(queryable: Queryable, range: ReplayRange): Promise<number> {
  const [row] = await queryable.query<{ matched: number }>(COUNT_RANGE, valuesOf(range));
  return row?.matched ?? 0;
}

/** Sends them. Returns how many. */
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
