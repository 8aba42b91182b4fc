import type { Order } from "../../domain/orders/order.ts";
import type { JobKind } from "../../domain/orders/transition.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/**
 * Jobs are deferred work. A worker leases a job, commits, and does the work outside any database transaction.
 * It deletes the job in the database transaction that records the result. The lease token is a fencing token:
 * a worker that lost its lease can record nothing.
 */
export interface LeasedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly subject: string;
  readonly orderId: bigint;
  readonly merchantId: string;
  readonly attempts: number;
  readonly leaseToken: string;
  /** The order as the step left it that made this job. A claimed job has none. */
  readonly order?: Order;
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

/** Any call to a rail ends within this time. A crash delays a job by no more than this. */
export const JOB_LEASE_SECONDS = 15;

/** A job that failed runs again within this time. */
export const JOB_RETRY_SECONDS_MAX = 60;

/** The workers listen on this channel. A notification is only a hint: they poll as well. */
export const JOBS_DUE_CHANNEL = "jobs_due";

// Leases run on the real clock, because moving the sandbox's clock must not end them. A claim does not wait for the
// disk. If the database crashes and loses it, the lease has ended, in effect.
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
  "delete from jobs where id = $1 and lease_token = $2 and not hurried returning id",
);

const POSTPONE = statement(
  "jobs_postpone",
  `update jobs set lease_token = null, leased_until = null, hurried = false,
     run_at = case when hurried then business_now()
       else business_now() + $3 * interval '1 millisecond' end,
     attempts = case when $4 then attempts + 1 else 0 end, last_error = $5
   where id = $1 and lease_token = $2 returning id`,
);

export interface NewJob {
  readonly kind: JobKind;
  /** The id of the attempt, payout or order that the job is about. Kind and subject are its natural key. */
  readonly subject: string;
  readonly orderId: bigint;
  readonly merchantId: string;
  /** The job is due when the order's payment window ends. Only a step can set this: it has that time. */
  readonly isAtWindowEnd?: boolean;
}

/** Returns the natural key of a job. It makes the database store the same work only once. */
export const keyOfJob = ({ kind, subject }: Pick<NewJob, "kind" | "subject">): string =>
  `${kind}:${subject}`;

/** Leases due jobs that no other worker holds. */
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

/** The lease ended and another worker may hold the job, so this run must record nothing. */
export class LeaseLost extends Error {}

/**
 * Deletes a finished job. A job that was asked for again while it ran returns to the queue instead, because its run
 * may have missed the new work. Throws `LeaseLost` when another worker holds the job or has finished it.
 */
export async function finishJob(queryable: Queryable, job: LeasedJob): Promise<void> {
  const rows = await queryable.query(FINISH, [job.id, job.leaseToken]);
  if (rows.length === 0) await postponeJob(queryable, job, 0);
}

/** Puts a job that waits for something back into the queue. It runs again after the delay. Its run did not fail. */
export async function postponeJob(
  queryable: Queryable,
  job: LeasedJob,
  delayMs: number,
): Promise<void> {
  const rows = await queryable.query(POSTPONE, [job.id, job.leaseToken, delayMs, false, null]);
  if (rows.length === 0) throw new LeaseLost(`job ${job.id} is no longer ours`);
}

/** Puts the job back into the queue after an error and counts it, up to the next run without one. */
export async function retryJob(
  queryable: Queryable,
  job: LeasedJob,
  failure: { readonly delayMs: number; readonly error: string },
): Promise<void> {
  await queryable.query(POSTPONE, [job.id, job.leaseToken, failure.delayMs, true, failure.error]);
}

// A running job may have asked its rail just before the change, so it is marked to run again.
const HURRY = statement(
  "jobs_hurry",
  `update jobs set run_at = least(run_at, business_now()), hurried = lease_token is not null
   where order_id = $1`,
);

/**
 * Makes an order's jobs due now, because something happened that they wait for. A step of the order may lock them in another
 * order, and only a database transaction runs again after a deadlock.
 */
export async function hurryJobs(tx: Tx, orderId: bigint): Promise<void> {
  await tx.query(HURRY, [orderId]);
  tx.hint(JOBS_DUE_CHANNEL);
}

const HURRY_SEND = statement(
  "jobs_hurry_send",
  `update jobs set run_at = least(run_at, business_now()), hurried = lease_token is not null
   from chain_send_outputs output
   where output.send_id = $1 and jobs.key = 'send_payout:' || output.intent_id`,
);

/** Makes the jobs of a send's payouts due now. */
export async function hurrySendJobs(tx: Tx, sendId: string): Promise<void> {
  await tx.query(HURRY_SEND, [sendId]);
  tx.hint(JOBS_DUE_CHANNEL);
}
