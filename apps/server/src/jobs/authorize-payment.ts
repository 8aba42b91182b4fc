import { money } from "@exchange/money";
import type { CardPayment, CardProcessor } from "../domain/ports/card-processor.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import { currencyOf } from "../flows/orders/event-payload.ts";
import { recordAuthorization, recordChallenge } from "../flows/payments/record-card-payment.ts";
import { recordUnasked } from "../flows/payments/record-void.ts";
import { type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { findOrder } from "../storage/orders/orders.ts";
import { findPaymentAttempt, type PaymentAttempt } from "../storage/payments/attempts.ts";
import { requireRail } from "./require-rail.ts";

/** How often the processor is asked while it or the cardholder's bank is not done. */
const ASK_AGAIN_MS = 300;

/** Asks the processor to authorize an attempt, with 3-D Secure, until the answer is final. */
export async function authorizePayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await findPaymentAttempt(deps.database, job.subject);
  if (!attempt) throw new Error(`payment attempt ${job.subject} is missing`);
  const earlier = await processor.lookUp(attempt.id);
  if (!earlier && !(await isWanted(deps, job))) {
    await recordUnasked(deps, { job, attempt });
    return undefined;
  }
  failpoint("payment.before_authorize");
  const payment = earlier ?? (await ask(deps, processor, attempt));
  failpoint("payment.after_authorize");
  const answer = { job, attempt, payment };
  if (payment.status === "processing") return giveBack(deps, job);
  if (payment.status === "challenge") {
    await recordChallenge(deps, answer, ASK_AGAIN_MS);
    return undefined;
  }
  const next = await recordAuthorization(deps, answer);
  failpoint("payment.after_authorize_recorded");
  return next;
}

async function giveBack(deps: Deps, job: LeasedJob): Promise<undefined> {
  await postponeJob(deps.database, job, ASK_AGAIN_MS);
}

/** An order that was cancelled meanwhile wants no money any more. */
async function isWanted(deps: Deps, job: LeasedJob): Promise<boolean> {
  const order = await findOrder(deps.database, job.orderId);
  return order?.status === "payment_pending" || order?.status === "in_review";
}

/** Authorizing again under the same reference is harmless, should its answer have been lost. */
const ask = (deps: Deps, processor: CardProcessor, attempt: PaymentAttempt): Promise<CardPayment> =>
  processor.authorize({
    reference: attempt.id,
    cardToken: attempt.cardToken,
    amount: money(currencyOf(deps.catalogue(), attempt.assetId), attempt.units),
  });
