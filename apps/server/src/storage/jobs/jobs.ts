import { type Queryable, statement } from "../postgres/database.ts";

/**
 * Deferred work. A worker leases a job, commits, does the work outside, and deletes the job in the
 * database transaction that records the result. The lease token fences: a worker that lost its lease can
 * record nothing.
 */
export const JOB_KINDS = [
  "authorize_payment",
  "capture_payment",
  "void_payment",
  "watch_payment",
  "exchange_order",
  "send_payout",
  "expire_order",
] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export interface LeasedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly subject: string;
  readonly orderId: bigint;
  readonly merchantId: string;
  readonly attempts: number;
  readonly leaseToken: string;
}

interface JobRow {
  readonly id: string;
  readonly kind: JobKind;
  readonly key: string;
  readonly order_id: string;
  readonly merchant_id: string;
  readonly attempts: number;
  readonly lease_token: string;
}

/** Long enough for any call to a rail; a crash delays a job by no more than this. */
export const JOB_LEASE_SECONDS = 15;

/** The workers listen here. A hint only: they poll as well. */
export const JOBS_DUE_CHANNEL = "jobs_due";

// Leases run on the real clock: moving the sandbox's clock must not end them. A claim does not wait for
// the disk: one that a crash of the database forgets is as one that ran out.
const CLAIM = statement(
  "jobs_claim",
  `update jobs set hurried = false, lease_token = $1,
     leased_until = clock_timestamp() + $3 * interval '1 second'
   where id = any (array(
     select id from jobs
     where (select set_config('synchronous_commit', 'off', true)) = 'off'
       and run_at <= business_now() and (leased_until is null or leased_until < clock_timestamp())
     order by run_at limit $2 for update skip locked))
   returning id, kind, key, order_id, merchant_id, attempts, lease_token`,
);

const FINISH = statement(
  "jobs_finish",
  "delete from jobs where id = $1 and lease_token = $2 returning id",
);

const POSTPONE = statement(
  "jobs_postpone",
  `update jobs set lease_token = null, leased_until = null, hurried = false,
     run_at = case when hurried then business_now()
       else business_now() + $3 * interval '1 millisecond' end,
     attempts = attempts + $4, last_error = $5
   where id = $1 and lease_token = $2 returning id`,
);

export interface NewJob {
  readonly kind: JobKind;
  /** The id of the attempt, payout or order that the job is about. With the kind it is the job's natural key. */
  readonly subject: string;
  readonly orderId: bigint;
  readonly merchantId: string;
  /** Due when the order's payment window ends; only in a step, which knows when that is. */
  readonly isAtWindowEnd?: boolean;
}

/** The natural key of a job: the same work is stored once. */
export const keyOfJob = ({ kind, subject }: Pick<NewJob, "kind" | "subject">): string =>
  `${kind}:${subject}`;

/** Leases due jobs that nobody else holds. */
export async function claimJobs(
  queryable: Queryable,
  claim: { readonly leaseToken: string; readonly limit: number; readonly leaseSeconds: number },
): Promise<LeasedJob[]> {
  const rows = await queryable.query<JobRow>(CLAIM, [
    claim.leaseToken,
    claim.limit,
    claim.leaseSeconds,
  ]);
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    subject: row.key.slice(row.kind.length + 1),
    orderId: BigInt(row.order_id),
    merchantId: row.merchant_id,
    attempts: row.attempts,
    leaseToken: row.lease_token,
  }));
}

/** The lease ran out and another worker may have the job: nothing of this run may be recorded. */
export class LeaseLost extends Error {}

/** Ends the job. Throws LeaseLost when it is not ours. */
export async function finishJob(queryable: Queryable, job: LeasedJob): Promise<void> {
  const rows = await queryable.query(FINISH, [job.id, job.leaseToken]);
  if (rows.length === 0) throw new LeaseLost(`job ${job.id} is no longer ours`);
}

/** Returns the job to the queue, to run again after the delay: it waits for something. */
export async function postponeJob(
  queryable: Queryable,
  job: LeasedJob,
  delayMs: number,
): Promise<void> {
  const rows = await queryable.query(POSTPONE, [job.id, job.leaseToken, delayMs, 0, null]);
  if (rows.length === 0) throw new LeaseLost(`job ${job.id} is no longer ours`);
}

/** Returns the job to the queue after an error; errors are counted. */
export async function retryJob(
  queryable: Queryable,
  job: LeasedJob,
  failure: { readonly delayMs: number; readonly error: string },
): Promise<void> {
  await queryable.query(POSTPONE, [job.id, job.leaseToken, failure.delayMs, 1, failure.error]);
}

// A running job may have asked its rail a moment too early: it is marked to ask again.
const HURRY = statement(
  "jobs_hurry",
  `update jobs set run_at = least(run_at, business_now()), hurried = lease_token is not null
   where order_id = $1`,
);

/** Makes an order's jobs due now: something happened that they ask for. */
export async function hurryJobs(queryable: Queryable, orderId: bigint): Promise<void> {
  await queryable.query(HURRY, [orderId]);
}
