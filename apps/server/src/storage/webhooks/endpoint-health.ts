import { statement, type Tx } from "../postgres/database.ts";
import type { EndpointKey } from "./endpoints.ts";

/** The circuit breaker opens when enough requests were sent within the window and enough of them failed. */
export const BREAKER = {
  requestsMin: 10,
  failurePercentMin: 70,
  windowSeconds: 30,
  pauseSeconds: 30,
} as const;

/** The limits after which a failing endpoint is announced to its merchant and disabled. */
const DISABLING = { failuresMin: 10, days: 5, announceAfterDays: 1 } as const;

/** The consequences of a failure for its endpoint. */
export interface EndpointFailure {
  /** The endpoint has only failed for so long and so often that it must be disabled. */
  readonly isDead: boolean;
  /** The endpoint has failed for a day, and this was not announced before. */
  readonly isToAnnounce: boolean;
  /**
   * The closed circuit breaker opened, so the service sends no deliveries for a while. A pause that
   * continues is not reported again, because a dead endpoint would fill the log.
   */
  readonly isPaused: boolean;
}

// The statement does not set the state, because a change of state makes every process read its configuration
// again. While the endpoint is paused, responses to earlier requests change nothing.
const NOTE_FAILURE = statement(
  "endpoint_health_note_failure",
  `with moment as materialized (select business_now() as now), counted as (
     select e.merchant_id, e.id, moment.now,
       coalesce(e.first_failure_at, moment.now) as first_failure_at, e.failures + 1 as failures,
       w.is_open, case when w.is_open then e.window_requests + 1 else 1 end as requests,
       case when w.is_open then e.window_failures + 1 else 1 end as failed,
       e.paused_until, e.failing_told_at
     from webhook_endpoints e, moment, lateral (select coalesce(
       e.window_started_at > moment.now - interval '${BREAKER.windowSeconds} seconds', false)
       as is_open) w
     where e.merchant_id = $1 and e.id = $2 and e.url = $3 and e.state <> 'removed'
     for no key update of e
   ), judged as (
     select *, case when paused_until is null
         then requests >= ${BREAKER.requestsMin}
           and failed * 100 >= requests * ${BREAKER.failurePercentMin}
         else paused_until <= now end as opens,
       failing_told_at is null
         and first_failure_at <= now - interval '${DISABLING.announceAfterDays} days' as is_to_announce,
       failures >= ${DISABLING.failuresMin}
         and first_failure_at <= now - interval '${DISABLING.days} days' as is_dead
     from counted
   ), noted as (
     update webhook_endpoints e set
       first_failure_at = j.first_failure_at, failures = j.failures,
       failing_told_at = case when j.is_to_announce then j.now else e.failing_told_at end,
       window_started_at = case when j.opens then null
         when j.is_open then e.window_started_at else j.now end,
       window_requests = case when j.opens then 0 else j.requests end,
       window_failures = case when j.opens then 0 else j.failed end,
       paused_until = case when j.opens
         then j.now + interval '${BREAKER.pauseSeconds} seconds' else e.paused_until end
     from judged j where e.merchant_id = j.merchant_id and e.id = j.id
     returning 1
   )
   select is_dead as "isDead", is_to_announce as "isToAnnounce", opens and paused_until is null as "isPaused"
   from judged, noted`,
);

const DISABLE = statement(
  "endpoint_health_disable",
  `update webhook_endpoints
   set state = 'disabled', disabled_at = business_now(), disabled_reason = $3
   where merchant_id = $1 and id = $2 and state = 'active' returning id`,
);

const IS_MOVED = statement(
  "endpoint_health_is_moved",
  `select from webhook_endpoints
   where merchant_id = $1 and id = $2 and url <> $3 and state <> 'removed'`,
);

/** Returns whether the endpoint has another URL now. */
export async function isMovedFrom(
  tx: Tx,
  { merchantId, endpointId, url }: EndpointKey & { readonly url: string },
): Promise<boolean> {
  return (await tx.query(IS_MOVED, [merchantId, endpointId, url])).length > 0;
}

/**
 * Counts a failed attempt at the URL. Returns undefined when the endpoint was moved to another one or removed
 * meanwhile.
 */
export async function noteEndpointFailure(
  tx: Tx,
  { merchantId, endpointId, url }: EndpointKey & { readonly url: string },
): Promise<EndpointFailure | undefined> {
  const values = [merchantId, endpointId, url];
  const [failure] = await tx.query<EndpointFailure>(NOTE_FAILURE, values);
  return failure;
}

/** Disables an endpoint because of its failures. Returns false when it was not active. */
export async function disableEndpoint(
  tx: Tx,
  endpoint: EndpointKey & { readonly reason: "gone" | "failing" },
): Promise<boolean> {
  const { merchantId, endpointId, reason } = endpoint;
  const rows = await tx.query(DISABLE, [merchantId, endpointId, reason]);
  return rows.length > 0;
}
