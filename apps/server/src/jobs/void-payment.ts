import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { recordVoid } from "../flows/payments/record-void.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { findPaymentAttempt } from "../storage/payments/attempts.ts";
import { requireRail } from "./require-rail.ts";

/** How soon the processor is asked again while it still works on the payment. */
const ASK_AGAIN_MS = 500;

/**
 * Lets go of what a card was authorized for, of an order that ended meanwhile. What the processor
 * never heard of is first given time to arrive: the authorization's own job asks for it.
 */
export async function voidPayment(deps: Deps, job: LeasedJob): Promise<void> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await findPaymentAttempt(deps.database, job.subject);
  if (!attempt) throw new Error(`payment attempt ${job.subject} is missing`);
  if (attempt.status === "voided") {
    return deps.database.transaction((tx) => finishJob(tx, job));
  }
  const known = await processor.lookUp(attempt.id);
  if (known === undefined || known.status === "processing") {
    return postponeJob(deps.database, job, ASK_AGAIN_MS);
  }
  failpoint("payment.before_void");
  const payment = await processor.void(attempt.id);
  failpoint("payment.after_void");
  await recordVoid(deps, { job, attempt, payment });
  failpoint("payment.after_void_recorded");
}
