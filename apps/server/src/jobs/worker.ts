import type { Deps } from "../flows/deps.ts";
import { exchangeOrder } from "../flows/exchange-order.ts";
import { expireOrder } from "../flows/expire-order.ts";
import {
  claimJobs,
  JOBS_DUE_CHANNEL,
  type JobKind,
  type LeasedJob,
  LeaseLost,
  retryJob,
} from "../storage/jobs.ts";
import { authorizePayment } from "./authorize-payment.ts";
import { capturePayment } from "./capture-payment.ts";
import { sendPayout } from "./send-payout.ts";
import { voidPayment } from "./void-payment.ts";
import { watchPayment } from "./watch-payment.ts";

const HANDLERS = {
  authorize_payment: authorizePayment,
  capture_payment: capturePayment,
  void_payment: voidPayment,
  watch_payment: watchPayment,
  exchange_order: exchangeOrder,
  send_payout: sendPayout,
  expire_order: expireOrder,
} as const satisfies Record<JobKind, (deps: Deps, job: LeasedJob) => Promise<void>>;

const POLL_MS = 150;
// Long enough for any call to a rail; a crash delays a job by no more than this.
const LEASE_SECONDS = 15;
// Most of a job's time it waits for others; what each may ask of the database at once is the pool's.
const RUNNING_MAX = 128;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 60_000;

export interface JobWorker {
  /** There may be work: look now instead of at the next poll. */
  wake(): void;
  /** Claims nothing more and waits for what is running. */
  stop(): Promise<void>;
}

/** Claims due jobs and runs them, several at once. Any number of workers may share one database. */
export function startJobs(deps: Deps): JobWorker {
  const running = new Set<Promise<void>>();
  let wakeUp: () => void = () => {};
  let woken = false;
  let stopping = false;

  const run = (job: LeasedJob): void => {
    const promise = runJob(deps, job).finally(() => {
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
      woken = false;
      const jobs = await claim(deps, RUNNING_MAX - running.size);
      for (const job of jobs) run(job);
      if (jobs.length === 0 && !woken) await pause();
    }
    await Promise.all(running);
  };
  const finished = loop();
  const listening = listen(deps, wake);
  return {
    wake,
    stop: async () => {
      stopping = true;
      wakeUp();
      await finished;
      await (await listening)();
    },
  };
}

/** Other processes tell of new jobs. Without that the worker still polls. */
async function listen(deps: Deps, wake: () => void): Promise<() => Promise<void>> {
  try {
    return await deps.database.listen(JOBS_DUE_CHANNEL, wake);
  } catch (error) {
    deps.log.warn({ err: error }, "notifications of jobs are not available");
    return async () => {};
  }
}

/** A database that is away gives no jobs; the next poll asks again. */
async function claim(deps: Deps, limit: number): Promise<LeasedJob[]> {
  if (limit <= 0) return [];
  try {
    const leaseToken = deps.ids.uuid();
    return await claimJobs(deps.database, { leaseToken, limit, leaseSeconds: LEASE_SECONDS });
  } catch (error) {
    deps.log.error({ err: error }, "jobs cannot be claimed");
    return [];
  }
}

/** Whatever goes wrong, the job stays: an unknown outcome is asked for again, never given up. */
async function runJob(deps: Deps, job: LeasedJob): Promise<void> {
  try {
    await HANDLERS[job.kind](deps, job);
    deps.wakeWebhooks();
  } catch (error) {
    if (error instanceof LeaseLost) return;
    deps.log.warn(
      { err: error, job: job.kind, orderId: String(job.orderId) },
      "a job will be retried",
    );
    const delayMs = Math.min(RETRY_FIRST_MS * 2 ** job.attempts, RETRY_MAX_MS);
    const message = error instanceof Error ? error.message : String(error);
    await retryJob(deps.database, job, { delayMs, error: message }).catch(() => {});
  }
}
