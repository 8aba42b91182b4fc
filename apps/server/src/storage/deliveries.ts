import type { WebhookEventType } from "@exchange/contract";
import { type Database, type Queryable, statement, type Tx } from "./database.ts";
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
  readonly orderId: bigint;
  readonly eventType: WebhookEventType;
  readonly payload: string;
  readonly url: string;
  readonly secretSealed: Uint8Array;
}

export interface ClaimOptions {
  readonly deliveriesMax: number;
  readonly leaseMs: number;
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
      and earlier.state = 'pending'
      and (earlier.attempts < ${ATTEMPTS_IN_ORDER}
        or earlier.leased_until > statement_timestamp())
    offset 0)`;

const IN_FLIGHT = `(
  select count(*) from deliveries busy
  where busy.merchant_id = e.merchant_id and busy.endpoint_id = e.id
    and busy.lease_token is not null and busy.leased_until > statement_timestamp())`;

// Random, so that no endpoint waits behind others for ever.
const LOCK_ENDPOINTS = statement(
  "deliveries_lock_endpoints",
  `select e.merchant_id, e.id from webhook_endpoints e
   where e.state = 'active' and ${IN_FLIGHT} < ${IN_FLIGHT_PER_ENDPOINT_MAX}
     and exists (
       select from deliveries d
       where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and ${CLAIMABLE})
   order by random() limit $1
   for no key update of e skip locked`,
);

const CLAIM = statement(
  "deliveries_claim",
  `with picked as (
     select d.* from unnest($1::text[], $2::uuid[]) as e (merchant_id, id)
     cross join lateral (
       select d.merchant_id, d.id, d.lease_token, d.attempts, d.attempted_at
       from deliveries d
       where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and ${CLAIMABLE}
       order by d.next_attempt_at, d.sequence
       limit greatest(0, ${IN_FLIGHT_PER_ENDPOINT_MAX} - ${IN_FLIGHT})
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
     returning d.*
   )
   select claimed.id, claimed.merchant_id, claimed.endpoint_id, claimed.lease_token,
     claimed.attempts, claimed.order_id, event.event_type, event.payload,
     endpoint.url, endpoint.secret_sealed
   from claimed
   join events event on event.merchant_id = claimed.merchant_id and event.id = claimed.event_id
   join webhook_endpoints endpoint
     on endpoint.merchant_id = claimed.merchant_id and endpoint.id = claimed.endpoint_id
   order by claimed.sequence`,
);

const RELEASE = statement(
  "deliveries_release",
  `with released as (
     update deliveries set lease_token = null, leased_until = null
     where merchant_id = $1 and id = $2 and lease_token = $3
     returning merchant_id, id, attempts, attempted_at
   )
   insert into delivery_attempts (merchant_id, delivery_id, number, started_at, error_class)
   select merchant_id, id, attempts, attempted_at, 'interrupted' from released`,
);

const DROP = statement(
  "deliveries_drop",
  `update deliveries set state = 'dropped', lease_token = null, leased_until = null
   where merchant_id = $1 and endpoint_id = $2 and state = 'pending'`,
);

interface ClaimedRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly endpoint_id: string;
  readonly lease_token: string;
  readonly attempts: number;
  readonly order_id: string;
  readonly event_type: WebhookEventType;
  readonly payload: string;
  readonly url: string;
  readonly secret_sealed: Buffer;
}

/** Leases what is due, at most four in flight for each endpoint, and commits. */
export function claimDeliveries(
  database: Database,
  options: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  return database.transaction((tx) => claimInTransaction(tx, options));
}

/** The second statement sees what others committed before the first one took its locks. */
async function claimInTransaction(tx: Tx, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const endpoints = await tx.query<{ merchant_id: string; id: string }>(LOCK_ENDPOINTS, [
    options.deliveriesMax,
  ]);
  if (endpoints.length === 0) return [];
  const rows = await tx.query<ClaimedRow>(CLAIM, [
    endpoints.map((endpoint) => endpoint.merchant_id),
    endpoints.map((endpoint) => endpoint.id),
    options.deliveriesMax,
    options.leaseMs,
  ]);
  return rows.map(toClaimed);
}

/** Gives a claimed delivery back, due at once: its attempt was broken off, its outcome unknown. */
export async function releaseDelivery(
  queryable: Queryable,
  delivery: Pick<ClaimedDelivery, "merchantId" | "id" | "leaseToken">,
): Promise<void> {
  await queryable.query(RELEASE, [delivery.merchantId, delivery.id, delivery.leaseToken]);
}

/** Gives up what was still to be sent to an endpoint that was removed. */
export async function dropDeliveries(queryable: Queryable, endpoint: EndpointKey): Promise<void> {
  await queryable.query(DROP, [endpoint.merchantId, endpoint.endpointId]);
}

const toClaimed = (row: ClaimedRow): ClaimedDelivery => ({
  id: row.id,
  merchantId: row.merchant_id,
  endpointId: row.endpoint_id,
  leaseToken: row.lease_token,
  attempt: row.attempts,
  orderId: BigInt(row.order_id),
  eventType: row.event_type,
  payload: row.payload,
  url: row.url,
  secretSealed: row.secret_sealed,
});
