import { money } from "@exchange/money";
import type { CardPayment, CardProcessor } from "../domain/ports/card-processor.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { currencyOf } from "../flows/order-event-payload.ts";
import { recordAuthorization, recordChallenge } from "../flows/record-card-payment.ts";
import { type LeasedJob, postponeJob } from "../storage/jobs.ts";
import { findPaymentAttempt, type PaymentAttempt } from "../storage/payment-attempts.ts";
import { requireRail } from "./require-rail.ts";

/** How often the processor is asked while it or the cardholder's bank is not done. */
const ASK_AGAIN_MS = 300;

/** Asks the processor to authorize an attempt, with 3-D Secure, until the answer is final. */
export async function authorizePayment(deps: Deps, job: LeasedJob): Promise<void> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await findPaymentAttempt(deps.database, job.subject);
  if (!attempt) throw new Error(`payment attempt ${job.subject} is missing`);
  failpoint("payment.before_authorize");
  const payment = await ask(deps, processor, attempt);
  failpoint("payment.after_authorize");
  const answer = { job, attempt, payment };
  if (payment.status === "processing") return postponeJob(deps.database, job, ASK_AGAIN_MS);
  if (payment.status === "challenge") return recordChallenge(deps, answer, ASK_AGAIN_MS);
  await recordAuthorization(deps, answer);
  failpoint("payment.after_authorize_recorded");
}

/** Authorizing again under the same reference is harmless, but a known payment is only looked up. */
async function ask(
  deps: Deps,
  processor: CardProcessor,
  attempt: PaymentAttempt,
): Promise<CardPayment> {
  const known = await processor.lookUp(attempt.id);
  if (known) return known;
  return processor.authorize({
    reference: attempt.id,
    cardToken: attempt.cardToken,
    amount: money(currencyOf(deps.catalogue(), attempt.assetId), attempt.units),
  });
}
