import type { PayoutIntent } from "../domain/payouts/payout-intent.ts";
import { plainWords } from "../domain/ports/plain-words.ts";
import type { Deps, JobTaker } from "../flows/deps.ts";
import { endPriceOffer } from "../flows/orders/answer-price.ts";
import { exchangeOrder } from "../flows/orders/exchange.ts";
import { expireOrder } from "../flows/orders/expire.ts";
import {
  makeReleasePayout,
  type PayoutDeps,
  type PayoutRelease,
} from "../flows/payouts/release.ts";
import {
  claimJobs,
  JOB_LEASE_SECONDS,
  JOB_RETRY_SECONDS_MAX,
  JOBS_DUE_CHANNEL,
  type LeasedJob,
  LeaseLost,
  postponeJob,
  retryJob,
} from "../storage/jobs/jobs.ts";
import { authorizePayment, capturePayment, voidPayment } from "./card-payment.ts";
import { followPayout } from "./follow-payout.ts";
import { sendPayout } from "./send-payout.ts";
import { watchPayment } from "./watch-payment.ts";

/** Runs a job and records it. Returns the order's next job if it is already leased to us. */
type Handler = (deps: PayoutDeps, job: LeasedJob) => Promise<LeasedJob | undefined | void>;

const HANDLERS = {
  authorize_payment: authorizePayment,
  capture_payment: capturePayment,
  void_payment: voidPayment,
  watch_payment: watchPayment,
  exchange_order: exchangeOrder,
  send_payout: sendPayout,
  follow_payout: followPayout,
  expire_order: expireOrder,
  end_price_offer: endPriceOffer,
} as const satisfies Record<LeasedJob["kind"], Handler>;

const waiting = (why: string): PayoutRelease => ({ outcome: "wait", delayMs: 1_000, why });
/** Until the rails' first statement was compared, nobody knows whether this database was restored. */
const NOT_COMPARED = waiting("the statements of the rails were not compared yet");
const NOT_READY = waiting("the hot wallet of the network is not registered yet");

const POLL_MS = 150;
// A job waits for rails most of its time. The pool bounds the jobs' load on the database.
const RUNNING_MAX = 512;
const RETRY_FIRST_MS = 500;

export interface JobWorker extends JobTaker {
  /** Claims no more jobs and waits for those that run. */
  stop(): Promise<void>;
}

/** The conditions of every release. */
export interface ReleaseConditions {
  readonly mayRelease?: () => boolean;
  /** Whether payouts of the network may take places. */
  readonly isReady?: (networkCode: string | null) => boolean;
}

/** Claims due jobs and runs several at once. Any number of workers may share one database. */
export function startJobs(common: Deps, conditions: ReleaseConditions = {}): JobWorker {
  const deps = withReleases(common, conditions);
  const running = new Set<Promise<void>>();
  let wakeUp: () => void = () => {};
  let woken = false;
  let stopping = false;

  const run = (job: LeasedJob): void => {
    const promise = runOrder(deps, job, () => stopping).finally(() => {
      running.delete(promise);
      wake();
    });
    running.add(promise);
  };
  const wake = (): void => {
    woken = true;
    wakeUp();
  };
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const loop = async (): Promise<void> => {
    while (!stopping) {
      deps.beat?.("jobs");
      woken = false;
      const jobs = await claim(deps, RUNNING_MAX - running.size);
      for (const job of jobs) run(job);
      if (jobs.length === 0 && !woken) await pause();
    }
    await Promise.all(running);
  };
  const finished = loop();
  // Every process that writes a job, or makes one due, sends a hint. Without hints the worker still polls.
  const listening = deps.database.listen(JOBS_DUE_CHANNEL, wake);
  return {
    leaseToken: () => (stopping || running.size >= RUNNING_MAX ? undefined : deps.ids.uuid()),
    run,
    stop: async () => {
      stopping = true;
      wakeUp();
      await finished;
      // Jobs that were leased to this worker while it stopped are returned to the queue.
      await Promise.all(running);
      await (await listening)();
    },
  };
}

function withReleases(
  deps: Deps,
  { mayRelease = () => true, isReady = () => true }: ReleaseConditions,
): PayoutDeps {
  const release = makeReleasePayout(deps);
  const releasePayout = async (intent: PayoutIntent): Promise<PayoutRelease> => {
    if (!mayRelease()) return NOT_COMPARED;
    return isReady(intent.networkCode) ? release(intent) : NOT_READY;
  };
  return { ...deps, releasePayout, mayRelease };
}

/** While the database is unavailable no jobs are claimed. The next poll asks again. */
async function claim(deps: Deps, limit: number): Promise<LeasedJob[]> {
  if (limit <= 0) return [];
  try {
    const leaseToken = deps.ids.uuid();
    return await claimJobs(deps.database, { leaseToken, limit, leaseSeconds: JOB_LEASE_SECONDS });
  } catch (error) {
    deps.log.error({ err: error }, "jobs could not be claimed, retrying");
    return [];
  }
}

/** Runs a job, and those that follow it while they are leased to us. */
async function runOrder(
  deps: PayoutDeps,
  first: LeasedJob,
  isStopping: () => boolean,
): Promise<void> {
  for (let job: LeasedJob | undefined = first; job; ) {
    if (isStopping()) return postponeJob(deps.database, job, 0).catch(() => {});
    job = await runJob(deps, job);
  }
}

/** Runs the job as a span of its order's trace, if the process is traced. */
async function runTraced(deps: PayoutDeps, job: LeasedJob): ReturnType<Handler> {
  const { kind, orderId, attempts } = job;
  const handle: Handler = HANDLERS[kind];
  if (deps.tracing === undefined) return handle(deps, job);
  const attributes = {
    "exchange.order.id": String(orderId),
    "exchange.merchant.id": job.merchantId,
    "exchange.job.kind": kind,
    "exchange.job.attempts": attempts,
  };
  return deps.tracing.runForOrder(orderId, { name: `job ${kind}`, attributes }, () =>
    handle(deps, job),
  );
}

/** A job that fails stays in the queue: an unknown outcome is always asked for again. */
async function runJob(deps: PayoutDeps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const { kind } = job;
  const count = (outcome: "done" | "retried" | "lost"): void =>
    deps.metrics.jobs.inc({ kind, outcome });
  const end = deps.metrics.jobSeconds.startTimer({ kind });
  try {
    const next = await runTraced(deps, job);
    count("done");
    return next ?? undefined;
  } catch (error) {
    count(error instanceof LeaseLost ? "lost" : "retried");
    if (error instanceof LeaseLost) return undefined;
    deps.log.warn({ err: error, job: kind, orderId: String(job.orderId) }, "a job will be retried");
    const delayMs = Math.min(RETRY_FIRST_MS * 2 ** job.attempts, JOB_RETRY_SECONDS_MAX * 1_000);
    const message = error instanceof Error ? error.message : String(error);
    await retryJob(deps.database, job, { delayMs, error: plainWords(message) }).catch(() => {});
    return undefined;
  } finally {
    end();
  }
}
