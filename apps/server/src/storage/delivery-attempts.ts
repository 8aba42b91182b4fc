import { type Queryable, statement, type Tx } from "./database.ts";
import type { ClaimedDelivery } from "./deliveries.ts";

/** An attempt that is over, under the lease it was made with. */
export interface EndedAttempt {
  readonly delivery: Pick<ClaimedDelivery, "merchantId" | "id" | "leaseToken">;
  readonly durationMs: number;
  readonly status: number | null;
  readonly responseExcerpt: Uint8Array | null;
}

export interface FailedAttemptRecord extends EndedAttempt {
  readonly errorClass: string;
  /** Undefined after the last attempt: the delivery is exhausted. */
  readonly retryDelayMs: number | undefined;
}

// One statement for many attempts, so that their commits are one.
const RECORD_DELIVERED = statement(
  "delivery_attempts_record_delivered",
  `with ended as (
     select * from unnest($1::text[], $2::uuid[], $3::uuid[], $4::int[], $5::smallint[], $6::bytea[])
       as ended (merchant_id, id, lease_token, duration_ms, status, response_excerpt)
   ), fenced as (
     update deliveries d set state = 'delivered', lease_token = null, leased_until = null
     from ended
     where d.merchant_id = ended.merchant_id and d.id = ended.id
       and d.lease_token = ended.lease_token
     returning d.merchant_id, d.id, d.endpoint_id, d.attempts, d.attempted_at,
       ended.duration_ms, ended.status, ended.response_excerpt
   ), healthy as (
     update webhook_endpoints e set first_failure_at = null from fenced
     where e.merchant_id = fenced.merchant_id and e.id = fenced.endpoint_id
       and e.first_failure_at is not null
   ), recorded as (
     insert into delivery_attempts
       (merchant_id, delivery_id, number, started_at, duration_ms, status, response_excerpt)
     select merchant_id, id, attempts, attempted_at, duration_ms, status, response_excerpt
     from fenced
   )
   select id from fenced`,
);

const RECORD_FAILED = statement(
  "delivery_attempts_record_failed",
  `with fenced as (
     update deliveries
     set state = case when $4::bigint is null then 'exhausted' else state end,
         next_attempt_at =
           coalesce(business_now() + $4::bigint * interval '1 millisecond', next_attempt_at),
         lease_token = null, leased_until = null
     where merchant_id = $1 and id = $2 and lease_token = $3
     returning merchant_id, id, attempts, attempted_at
   ), recorded as (
     insert into delivery_attempts (merchant_id, delivery_id, number, started_at, duration_ms,
       status, error_class, response_excerpt)
     select merchant_id, id, attempts, attempted_at, $5, $6, $7, $8 from fenced
   )
   select id from fenced`,
);

/** Marks deliveries as delivered and their endpoints as healthy. Returns the ids still leased. */
export async function recordDelivered(
  queryable: Queryable,
  attempts: readonly EndedAttempt[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ id: string }>(RECORD_DELIVERED, [
    attempts.map(({ delivery }) => delivery.merchantId),
    attempts.map(({ delivery }) => delivery.id),
    attempts.map(({ delivery }) => delivery.leaseToken),
    attempts.map((attempt) => attempt.durationMs),
    attempts.map((attempt) => attempt.status),
    attempts.map((attempt) => toBytes(attempt.responseExcerpt)),
  ]);
  return new Set(rows.map((row) => row.id));
}

/** Records a failed attempt and when the next one is due. False when the lease was lost. */
export async function recordFailed(tx: Tx, attempt: FailedAttemptRecord): Promise<boolean> {
  const rows = await tx.query(RECORD_FAILED, [
    attempt.delivery.merchantId,
    attempt.delivery.id,
    attempt.delivery.leaseToken,
    attempt.retryDelayMs ?? null,
    attempt.durationMs,
    attempt.status,
    attempt.errorClass,
    toBytes(attempt.responseExcerpt),
  ]);
  return rows.length > 0;
}

const toBytes = (bytes: Uint8Array | null): Buffer | null => bytes && Buffer.from(bytes);
