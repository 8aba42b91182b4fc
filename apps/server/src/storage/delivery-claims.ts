import type { WebhookEventType } from "@exchange/contract";
import { type Database, statement, type Tx } from "./database.ts";
import type { EndpointKey } from "./webhook-endpoints.ts";

/**
 * A delivery is leased, posted with no database transaction open, and recorded under its lease
 * token: whoever lost the lease records nothing. Claims of one endpoint exclude each other by a lock
 * on its row, so its bound of requests in flight holds over any number of workers.
 */
export interface ClaimedDelivery {
  readonly id: string;
  readonly merchantId: string;
  readonly endpointId: string;
  readonly leaseToken: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The place of this attempt in the schedule, which a replay begins anew; 1 for the first. */
  readonly scheduleNumber: number;
  readonly orderId: bigint;
  readonly eventType: WebhookEventType;
  readonly payload: string;
  readonly url: string;
  readonly secretSealed: Uint8Array;
  /** The secret before a rotation, while it signs too. */
  readonly previousSecretSealed: Uint8Array | null;
  /** Sent to try the endpoint: once, and its failure says nothing about the endpoint. */
  readonly isTest: boolean;
  /** A fault is planted that this delivery may be hit by. Sandbox only. */
  readonly hasFault: boolean;
  /** The endpoint has taken webhooks, and does so quickly. */
  readonly isTrusted: boolean;
  /** As many requests at most have other workers under way at its endpoint. */
  readonly leasedByOthers: number;
}

/** An endpoint that a worker is busy with, and may claim ahead for. */
export interface HeldEndpoint extends EndpointKey {
  readonly leaseTokens: readonly string[];
  /** How many more of its deliveries the worker wants. */
  readonly wanted: number;
}

export interface ClaimOptions {
  readonly deliveriesMax: number;
  /** How many of them may be for endpoints that are new, failing or slow; no bound when left out. */
  readonly untrustedMax?: number;
  readonly leaseMs: number;
  /** Where the worker is busy already; of any other endpoint at most four are taken. */
  readonly held?: readonly HeldEndpoint[];
}

export const IN_FLIGHT_PER_ENDPOINT_MAX = 4;
/** After so many failed attempts, some 5 minutes, an event no longer holds back its order's next. */
const ATTEMPTS_IN_ORDER = 3;

// Leases run on the real clock: moving the sandbox's clock must not end them. The time in brackets
// is asked once, not for each row; OFFSET 0 keeps the look at the order's earlier events from
// becoming a join over the whole backlog of the endpoint.
const CLAIMABLE = `
  d.state = 'pending' and d.next_attempt_at <= (select business_now())
  and (d.leased_until is null or d.leased_until <= statement_timestamp())
  and not exists (
    select from deliveries earlier
    where earlier.merchant_id = d.merchant_id and earlier.endpoint_id = d.endpoint_id
      and earlier.order_id = d.order_id and earlier.sequence < d.sequence
      and earlier.state = 'pending' and not earlier.out_of_order
      and (earlier.attempts - earlier.attempts_before < ${ATTEMPTS_IN_ORDER}
        or earlier.leased_until > statement_timestamp())
    offset 0)`;

/** The live leases of an endpoint; those whose tokens are not among the given, if any are. */
const leasesOf = (endpoint: string, notAmong?: string): string => `(
  select count(*) from deliveries busy
  where busy.merchant_id = ${endpoint}.merchant_id and busy.endpoint_id = ${endpoint}.id
    and busy.lease_token is not null and busy.leased_until > statement_timestamp()
    ${notAmong === undefined ? "" : `and busy.lease_token <> all (${notAmong}::uuid[])`})`;

const IS_TRUSTED = `(e.proven_at is not null and e.first_failure_at is null
  and e.paused_until is null
  and (e.slow_until is null or e.slow_until <= (select business_now())))`;

// Merchants take turns, so that many endpoints get one no more than its share; within a turn the
// order is random, so that no endpoint waits behind others for ever. After a pause one request tries
// the endpoint; only its success lets more of them go. The inner OFFSET 0 asks each
// endpoint for itself: as a join it reads the whole backlog once for each of them, wherever the
// table was never analyzed.
const LOCK_ENDPOINTS = statement(
  "deliveries_lock_endpoints",
  `select e.merchant_id, e.id, waiting.wanted, e.paused_until is not null as "isPaused"
   from webhook_endpoints e join (
     select c.merchant_id, c.id, c.wanted,
       row_number() over (partition by c.merchant_id order by random()) as turn
     from (
       select e.merchant_id, e.id, mine.wanted
       from webhook_endpoints e
       left join unnest($3::text[], $4::uuid[], $5::int[]) as mine (merchant_id, id, wanted)
         on mine.merchant_id = e.merchant_id and mine.id = e.id
       where e.state = 'active' and ${IS_TRUSTED} = $2 and coalesce(mine.wanted > 0, true)
         and case when e.paused_until is null
           then ${leasesOf("e", "$6")} < ${IN_FLIGHT_PER_ENDPOINT_MAX}
           else e.paused_until <= (select business_now()) and ${leasesOf("e")} = 0 end
         and exists (
           select from deliveries d
           where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and ${CLAIMABLE}
           offset 0)
       offset 0) c
   ) waiting on waiting.merchant_id = e.merchant_id and waiting.id = e.id
   where e.state = 'active'
   order by waiting.turn, random() limit $1
   for no key update of e skip locked`,
);

const CLAIM = statement(
  "deliveries_claim",
  `with picked as (
     select d.*, e.by_others
     from (
       select e.*, ${leasesOf("e", "$8")} as by_others
       from unnest($1::text[], $2::uuid[], $5::boolean[], $6::int[])
         as e (merchant_id, id, is_paused, wanted)
       offset 0
     ) e
     cross join lateral (
       select d.merchant_id, d.id, d.lease_token, d.attempts, d.attempted_at
       from deliveries d
       where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and ${CLAIMABLE}
       order by d.next_attempt_at, d.sequence
       limit least($7::int, case when e.is_paused then greatest(0, 1 - ${leasesOf("e")})
         when e.by_others >= ${IN_FLIGHT_PER_ENDPOINT_MAX} then 0
         else coalesce(e.wanted, ${IN_FLIGHT_PER_ENDPOINT_MAX} - e.by_others) end)
       for update skip locked
     ) d
     limit $3
   ), interrupted as (
     insert into delivery_attempts (merchant_id, delivery_id, number, started_at, error_class)
     select merchant_id, id, attempts, attempted_at, 'interrupted' from picked
     where lease_token is not null
     on conflict do nothing
   ), claimed as (
     update deliveries d
     set attempts = d.attempts + 1, attempted_at = (select business_now()),
         lease_token = gen_random_uuid(),
         leased_until = clock_timestamp() + $4 * interval '1 millisecond'
     from picked where d.merchant_id = picked.merchant_id and d.id = picked.id
     returning d.*, picked.by_others
   )
   select claimed.id, claimed.merchant_id, claimed.endpoint_id, claimed.lease_token,
     claimed.attempts, claimed.attempts - claimed.attempts_before as schedule_number,
     claimed.order_id, claimed.by_others::int, event.event_type, event.payload, event.is_test,
     e.url, e.secret_sealed,
     case when e.previous_secret_until > (select business_now())
       then e.previous_secret_sealed end as previous_secret_sealed,
     exists (select from webhook_faults f
       where f.merchant_id = claimed.merchant_id and f.deliveries_left > 0) as has_fault
   from claimed
   join events event on event.merchant_id = claimed.merchant_id and event.id = claimed.event_id
   join webhook_endpoints e
     on e.merchant_id = claimed.merchant_id and e.id = claimed.endpoint_id
   order by claimed.sequence`,
);

interface ClaimedRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly endpoint_id: string;
  readonly lease_token: string;
  readonly attempts: number;
  readonly schedule_number: number;
  readonly order_id: string;
  readonly event_type: WebhookEventType;
  readonly payload: string;
  readonly is_test: boolean;
  readonly url: string;
  readonly secret_sealed: Buffer;
  readonly previous_secret_sealed: Buffer | null;
  readonly has_fault: boolean;
  readonly by_others: number;
}

/** Leases what is due, and commits. */
export function claimDeliveries(
  database: Database,
  options: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  return database.transaction(async (tx) => {
    const { deliveriesMax, untrustedMax = deliveriesMax } = options;
    const trusted = await claimSome(tx, options, { isTrusted: true, limit: deliveriesMax });
    const limit = Math.min(deliveriesMax - trusted.length, untrustedMax);
    if (limit <= 0) return trusted;
    return [...trusted, ...(await claimSome(tx, options, { isTrusted: false, limit }))];
  });
}

/** The second statement sees what others committed before the first one took its locks. */
async function claimSome(
  tx: Tx,
  { leaseMs, held = [] }: ClaimOptions,
  { isTrusted, limit }: { readonly isTrusted: boolean; readonly limit: number },
): Promise<ClaimedDelivery[]> {
  const leaseTokens = held.flatMap((endpoint) => endpoint.leaseTokens);
  const endpoints = await tx.query<LockedEndpoint>(LOCK_ENDPOINTS, [
    limit,
    isTrusted,
    held.map(({ merchantId }) => merchantId),
    held.map(({ endpointId }) => endpointId),
    held.map(({ wanted }) => wanted),
    leaseTokens,
  ]);
  if (endpoints.length === 0) return [];
  const rows = await tx.query<ClaimedRow>(CLAIM, [
    endpoints.map((endpoint) => endpoint.merchant_id),
    endpoints.map((endpoint) => endpoint.id),
    limit,
    leaseMs,
    endpoints.map((endpoint) => endpoint.isPaused),
    endpoints.map((endpoint) => endpoint.wanted),
    // Where places are few, each endpoint gets one before any gets two.
    Math.max(1, Math.floor(limit / endpoints.length)),
    leaseTokens,
  ]);
  return rows.map((row) => toClaimed(row, isTrusted));
}

interface LockedEndpoint {
  readonly merchant_id: string;
  readonly id: string;
  readonly wanted: number | null;
  readonly isPaused: boolean;
}

const toClaimed = (row: ClaimedRow, isTrusted: boolean): ClaimedDelivery => ({
  id: row.id,
  merchantId: row.merchant_id,
  endpointId: row.endpoint_id,
  leaseToken: row.lease_token,
  attempt: row.attempts,
  scheduleNumber: row.schedule_number,
  orderId: BigInt(row.order_id),
  eventType: row.event_type,
  payload: row.payload,
  url: row.url,
  secretSealed: row.secret_sealed,
  previousSecretSealed: row.previous_secret_sealed,
  isTest: row.is_test,
  hasFault: row.has_fault,
  isTrusted,
  leasedByOthers: row.by_others,
});
