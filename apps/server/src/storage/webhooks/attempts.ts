import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import type { HeldDelivery } from "./deliveries.ts";
import { BREAKER } from "./endpoint-health.ts";
import { isPending, isPendingOf, PENDING_COLUMNS } from "./pending-deliveries.ts";

/** The result of a request. */
export interface AttemptEnd {
  readonly durationMs: number;
  readonly status: number | null;
  readonly responseExcerpt: Uint8Array | null;
  /** The fault that was planted in the sandbox and applied to this request. */
  readonly plantedFault: string | null;
}

/** An attempt that has ended, of a delivery that the worker still holds. */
export interface EndedAttempt {
  readonly delivery: HeldDelivery & {
    /** The URL of the request. The endpoint may have another one since. */
    readonly endpoint: { readonly url: string };
  };
  readonly result: AttemptEnd;
}

export interface FailedAttemptRecord extends EndedAttempt {
  readonly errorClass: string;
  /** Undefined after the last attempt, when the delivery is exhausted. */
  readonly retryDelayMs: number | undefined;
}

const IN_WINDOW = `e.window_started_at > moment.now - interval '${BREAKER.windowSeconds} seconds'`;
/** A response that takes longer marks its endpoint as slow for a while. */
const SLOW_MS = 2_000;
const SLOW_FOR_SECONDS = 300;
const IS_SLOW = `took.slowest_ms >= ${SLOW_MS}`;

// One statement records many attempts, so that they share a commit. It does not update the row of a healthy
// endpoint, because another success changes nothing about it. An earlier URL proves nothing about the present one.
const RECORD_DELIVERED = statement(
  "delivery_attempts_record_delivered",
  `with moment as materialized (
     select business_now() as now
   ), ended as materialized (
     select * from unnest($1::text[], $2::uuid[], $3::int[], $4::int[], $5::smallint[], $6::bytea[],
         $7::text[], $8::text[])
       as ended (merchant_id, id, fence, duration_ms, status, response_excerpt, planted_fault, url)
   ), fenced as (
     update deliveries d set attempts = d.attempts + 1, fence = d.fence + 1,
       attempted_at = moment.now - ended.duration_ms * interval '1 millisecond',
       duration_ms = ended.duration_ms, status = ended.status,
       response_excerpt = ended.response_excerpt, planted_fault = ended.planted_fault
     from ended, moment
     where d.merchant_id = ended.merchant_id and d.id = ended.id and d.fence = ended.fence
       and ${isPending("d")}
     returning d.merchant_id, d.endpoint_id, d.order_id, d.sequence, d.id, d.duration_ms, ended.url
   ), sent as (
     delete from pending_deliveries p using fenced where ${isPendingOf("p", "fenced")}
   ), took as (
     select merchant_id, endpoint_id, url, count(*) as requests, max(duration_ms) as slowest_ms
     from fenced group by merchant_id, endpoint_id, url
   ), healthy as (
     update webhook_endpoints e set first_failure_at = null, failures = 0, failing_told_at = null,
       window_started_at = case when ${IN_WINDOW} then window_started_at end,
       window_requests = case when ${IN_WINDOW} then window_requests + took.requests else 0 end,
       window_failures = case when ${IN_WINDOW} then window_failures else 0 end,
       paused_until = case when paused_until > moment.now then paused_until end,
       proven_at = coalesce(proven_at, moment.now),
       slow_until = case when ${IS_SLOW} then moment.now + interval '${SLOW_FOR_SECONDS} seconds'
         else slow_until end
     from took, moment
     where e.merchant_id = took.merchant_id and e.id = took.endpoint_id and e.url = took.url
       and (e.first_failure_at is not null or e.window_started_at is not null
         or e.paused_until is not null or e.proven_at is null or ${IS_SLOW})
   )
   select id from ended where id not in (select id from fenced)`,
);

const RECORD_FAILED = statement(
  "delivery_attempts_record_failed",
  `with fenced as (
     update deliveries d set attempts = d.attempts + 1, fence = d.fence + 1,
       given_up = case when $4::bigint is null then 'exhausted' end
     where d.merchant_id = $1 and d.id = $2 and d.fence = $3 and ${isPending("d")}
     returning ${PENDING_COLUMNS}, attempts
   ), given_up as (
     delete from pending_deliveries p using fenced
     where ${isPendingOf("p", "fenced")} and $4::bigint is null
   ), to_retry as (
     update pending_deliveries p set attempts = p.attempts + 1,
       next_attempt_at = business_now() + $4::bigint * interval '1 millisecond'
     from fenced where ${isPendingOf("p", "fenced")} and $4::bigint is not null
   ), recorded as (
     insert into past_attempts (merchant_id, delivery_id, number, started_at, duration_ms,
       status, error_class, response_excerpt, planted_fault)
     select merchant_id, id, attempts, business_now() - $5::int * interval '1 millisecond',
       $5, $6, $7, $8, $9 from fenced
   )
   select id from fenced`,
);

/**
 * Marks deliveries as delivered and their endpoints as healthy. Returns the ids of deliveries that were
 * lost.
 */
export async function recordDelivered(
  queryable: Queryable,
  attempts: readonly EndedAttempt[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ id: string }>(RECORD_DELIVERED, [
    attempts.map(({ delivery }) => delivery.merchantId),
    attempts.map(({ delivery }) => delivery.id),
    attempts.map(({ delivery }) => delivery.fence),
    attempts.map(({ result }) => result.durationMs),
    attempts.map(({ result }) => result.status),
    attempts.map(({ result }) => toBytes(result.responseExcerpt)),
    attempts.map(({ result }) => result.plantedFault),
    attempts.map(({ delivery }) => delivery.endpoint.url),
  ]);
  return new Set(rows.map((row) => row.id));
}

/** Records a failed attempt and the time of the next one. Returns false when the worker lost the delivery. */
export async function recordFailed(tx: Tx, attempt: FailedAttemptRecord): Promise<boolean> {
  const { delivery, result } = attempt;
  const rows = await tx.query(RECORD_FAILED, [
    delivery.merchantId,
    delivery.id,
    delivery.fence,
    attempt.retryDelayMs ?? null,
    result.durationMs,
    result.status,
    attempt.errorClass,
    toBytes(result.responseExcerpt),
    result.plantedFault,
  ]);
  return rows.length > 0;
}

const toBytes = (bytes: Uint8Array | null): Buffer | null => bytes && Buffer.from(bytes);
