import { IS_RESTORED } from "../history.ts";
import { statement } from "../postgres/database.ts";
import { isPending } from "./pending-deliveries.ts";

export const IN_FLIGHT_PER_ENDPOINT_MAX = 4;
/** After this many failed attempts, about 5 minutes, an event no longer holds back the order's next event. */
const ATTEMPTS_IN_ORDER = 3;

// A delivery that any worker holds cannot be claimed, and it holds back the order's later deliveries.
// OFFSET 0 keeps the search for earlier deliveries from becoming a join over the endpoint's whole backlog
// (docs/internals/query-plans.md).
const isClaimable = (held: string, others: string): string => `
  p.next_attempt_at <= (select business_now())
  and p.delivery_id <> all (${held}) and p.delivery_id <> all (${others})
  and not exists (
    select from pending_deliveries earlier
    where earlier.merchant_id = p.merchant_id and earlier.endpoint_id = p.endpoint_id
      and earlier.order_id = p.order_id and earlier.sequence < p.sequence
      and not earlier.out_of_order
      and (earlier.attempts < ${ATTEMPTS_IN_ORDER}
        or earlier.delivery_id = any (${held}) or earlier.delivery_id = any (${others}))
    offset 0)`;

/** Selects the deliveries of an endpoint that other workers hold. Leases run on the real clock. */
const heldByOthers = (endpoint: string, worker: string): string => `
  select coalesce(array_agg(d.id), '{}') as ids, count(*)::int as number
  from delivery_leases lease
    cross join lateral unnest(lease.delivery_ids, lease.fences) as held (id, fence)
    cross join lateral (
      select d.id from deliveries d
      where d.merchant_id = lease.merchant_id and d.id = held.id and d.fence = held.fence
        and ${isPending("d")}) d
  where lease.merchant_id = ${endpoint}.merchant_id and lease.endpoint_id = ${endpoint}.id
    and lease.worker <> ${worker} and lease.leased_until > statement_timestamp()`;

const IS_TRUSTED = `(e.proven_at is not null and e.first_failure_at is null
  and e.paused_until is null
  and (e.slow_until is null or e.slow_until <= (select business_now())))`;

// Trusted endpoints come first. Merchants take turns, so that a merchant with many endpoints gets no more
// than its share. Within a turn the order is random, so that no endpoint always waits behind others. After
// a pause one request tries the endpoint; only its success allows more requests. OFFSET 0 checks each
// endpoint by itself: as a join, the statement would read the whole backlog (docs/internals/query-plans.md).
export const LOCK_ENDPOINTS = statement(
  "deliveries_lock_endpoints",
  `with mine as materialized (
     select * from jsonb_to_recordset($2::jsonb)
       as mine (merchant_id text, id uuid, wanted int, held uuid[], fences int[])
   )
   select e.merchant_id, e.id, e.url, e.secret_sealed,
     case when e.previous_secret_until > (select business_now())
       then e.previous_secret_sealed end as previous_secret_sealed,
     e.paused_until is not null as is_paused, waiting.is_trusted, waiting.held, waiting.fences,
     waiting.wanted,
     exists (select from delivery_leases lease
       where lease.merchant_id = e.merchant_id and lease.endpoint_id = e.id
         and lease.worker <> $3 and lease.leased_until <= statement_timestamp()) as has_ended_lease
   from webhook_endpoints e join (
     select c.*, row_number() over (partition by c.is_trusted, c.merchant_id order by random()) as turn
     from (
       select e.merchant_id, e.id, mine.wanted, mine.held, mine.fences, ${IS_TRUSTED} as is_trusted
       from webhook_endpoints e
       left join mine on mine.merchant_id = e.merchant_id and mine.id = e.id
       cross join lateral (${heldByOthers("e", "$3")}) others
       where e.state = 'active' and coalesce(mine.wanted > 0, true)
         and case when e.paused_until is null
           then others.number < ${IN_FLIGHT_PER_ENDPOINT_MAX}
           else e.paused_until <= (select business_now()) and others.number = 0
             and coalesce(mine.held = '{}', true) end
         and exists (
           select from pending_deliveries p
           where p.merchant_id = e.merchant_id and p.endpoint_id = e.id
             and ${isClaimable("coalesce(mine.held, '{}')", "others.ids")}
           offset 0)) c
   ) waiting on waiting.merchant_id = e.merchant_id and waiting.id = e.id
   where e.state = 'active' and not ${IS_RESTORED}
   order by waiting.is_trusted desc, waiting.turn, random() limit $1
   for no key update of e skip locked`,
);

/**
 * Ends the leases of dead workers. Their attempts are recorded as interrupted and do not use up the schedule,
 * so a delivery can be claimed again however often workers die.
 */
export const END_LEASES = statement(
  "deliveries_end_leases",
  `with ended as (
     delete from delivery_leases lease using unnest($1::text[], $2::uuid[]) as e (merchant_id, id)
     where lease.merchant_id = e.merchant_id and lease.endpoint_id = e.id and lease.worker <> $3
       and lease.leased_until <= statement_timestamp()
     returning lease.*
   ), broken_off as (
     update deliveries d set attempts = d.attempts + 1, fence = d.fence + 1
     from ended cross join lateral unnest(ended.delivery_ids, ended.fences) as held (id, fence)
     where d.merchant_id = ended.merchant_id and d.id = held.id and d.fence = held.fence
       and ${isPending("d")}
     returning d.merchant_id, d.id, d.attempts, ended.claimed_at
   )
   insert into past_attempts (merchant_id, delivery_id, number, started_at, error_class)
   select merchant_id, id, attempts, claimed_at, 'interrupted' from broken_off`,
);

// A worker's lease of an endpoint lists every delivery that the worker holds there, earlier and new ones.
export const CLAIM = statement(
  "deliveries_claim",
  `with endpoint as materialized (
     select e.merchant_id, e.id, e.is_paused, e.wanted, coalesce(e.held, '{}') as held,
       coalesce(e.fences, '{}') as fences, others.ids as others, others.number as by_others
     from jsonb_to_recordset($1::jsonb)
       as e (merchant_id text, id uuid, is_paused boolean, wanted int, held uuid[], fences int[])
     cross join lateral (${heldByOthers("e", "$5")}) others
   ), picked as materialized (
     select p.*, e.by_others
     from endpoint e
     cross join lateral (
       select p.*
       from pending_deliveries p
       where p.merchant_id = e.merchant_id and p.endpoint_id = e.id
         and ${isClaimable("e.held", "e.others")}
       order by p.next_attempt_at, p.sequence
       limit least($4::int, case
         when e.is_paused then greatest(0, 1 - e.by_others - cardinality(e.held))
         when e.by_others >= ${IN_FLIGHT_PER_ENDPOINT_MAX} then 0
         else coalesce(e.wanted, ${IN_FLIGHT_PER_ENDPOINT_MAX} - e.by_others) end)
     ) p
     limit $2
   ), claimed as materialized (
     select p.*, d.fence, d.attempts as attempts_made
     from picked p cross join lateral (
       select d.fence, d.attempts from deliveries d
       where d.merchant_id = p.merchant_id and d.id = p.delivery_id) d
   ), leased as (
     insert into delivery_leases
       (merchant_id, endpoint_id, worker, leased_until, claimed_at, delivery_ids, fences)
     select e.merchant_id, e.id, $5, clock_timestamp() + $3 * interval '1 millisecond',
       (select business_now()), e.held || c.ids, e.fences || c.fences
     from endpoint e join (
       select merchant_id, endpoint_id, array_agg(delivery_id) as ids, array_agg(fence) as fences
       from claimed group by merchant_id, endpoint_id
     ) c on c.merchant_id = e.merchant_id and c.endpoint_id = e.id
     on conflict (merchant_id, endpoint_id, worker) do update set
       leased_until = excluded.leased_until, claimed_at = excluded.claimed_at,
       delivery_ids = excluded.delivery_ids, fences = excluded.fences
   )
   select c.delivery_id as id, c.endpoint_id, c.fence, c.attempts_made + 1 as attempt,
     c.attempts + 1 as schedule_number, c.order_id, c.by_others,
     event.event_type, event.payload, event.is_test
   from claimed c cross join lateral (
     select event.event_type, event.payload, event.is_test from events event
     where event.merchant_id = c.merchant_id and event.id = c.event_id) event
   order by c.sequence`,
);
