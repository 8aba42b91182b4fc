import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { recordCapture } from "../flows/payments/record-capture.ts";
import type { LeasedJob } from "../storage/jobs/jobs.ts";
import { findPaymentAttempt } from "../storage/payments/attempts.ts";
import { requireRail } from "./require-rail.ts";

/** Takes the authorized money. Capturing again under the same reference takes nothing more. */
export async function capturePayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await findPaymentAttempt(deps.database, job.subject);
  if (!attempt) throw new Error(`payment attempt ${job.subject} is missing`);
  failpoint("payment.before_capture");
  const payment = await processor.capture(attempt.id);
  failpoint("payment.after_capture");
  if (payment.status !== "captured") {
    throw new Error(`attempt ${attempt.id} is ${payment.status} after its capture`);
  }
  const next = await recordCapture(deps, { job, attempt, payment });
  failpoint("payment.after_capture_recorded");
  return next;
}
