import { money } from "@exchange/money";
import type { PaymentAttempt } from "../domain/payments/payment-attempt.ts";
import type { CardPayment, CardProcessor } from "../domain/ports/card-processor.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import {
  recordAuthorization,
  recordCapture,
  recordChallenge,
  recordNeverAuthorized,
  recordVoid,
} from "../flows/payments/record-card-payment.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { findOrder } from "../storage/orders/orders.ts";
import { findPaymentAttempt } from "../storage/payments/attempts.ts";
import { requireRail } from "./payout-rails.ts";

/** Asks the processor to authorize an attempt, with 3-D Secure, until the answer is final. */
export async function authorizePayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await requireAttempt(deps, job);
  const earlier = await processor.lookUp(attempt.id);
  if (!earlier && !(await isWanted(deps, job))) {
    await recordNeverAuthorized(deps, { job, attempt });
    return undefined;
  }
  failpoint("payment.before_authorize");
  const payment = earlier ?? (await ask(deps, processor, attempt));
  failpoint("payment.after_authorize");
  const answer = { job, attempt, payment };
  if (payment.status === "processing") {
    await postponeJob(deps.database, job, payment.askAgainMs);
    return undefined;
  }
  if (payment.status === "challenge") {
    await recordChallenge(deps, answer);
    return undefined;
  }
  const next = await recordAuthorization(deps, answer);
  failpoint("payment.after_authorize_recorded");
  return next;
}

/** An order that was cancelled meanwhile takes no money. */
async function isWanted(deps: Deps, job: LeasedJob): Promise<boolean> {
  const order = job.order ?? (await findOrder(deps.database, job.orderId));
  return order?.status === "payment_pending" || order?.status === "in_review";
}

/** Authorizing again under the same reference is harmless if its answer was lost. */
const ask = (deps: Deps, processor: CardProcessor, attempt: PaymentAttempt): Promise<CardPayment> =>
  processor.authorize({
    reference: attempt.id,
    cardToken: attempt.cardToken,
    amount: money(deps.catalogue().requireCurrency(attempt.assetId), attempt.units),
  });

/** Captures the authorized money. A second capture under the same reference takes nothing more. */
export async function capturePayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await requireAttempt(deps, job);
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

/** The wait for the authorization's own job, which asks the processor for the payment first. */
const UNASKED_MS = 500;

/**
 * Voids the authorization of an order that ended meanwhile. A payment that the processor does not
 * know may still arrive, so the authorization's own job asks for it first.
 */
export async function voidPayment(deps: Deps, job: LeasedJob): Promise<void> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await requireAttempt(deps, job);
  if (attempt.status === "voided") {
    return finishJob(deps.database, job);
  }
  const earlier = await processor.lookUp(attempt.id);
  if (earlier === undefined || earlier.status === "processing") {
    return postponeJob(deps.database, job, earlier?.askAgainMs ?? UNASKED_MS);
  }
  failpoint("payment.before_void");
  const payment = await processor.void(attempt.id);
  failpoint("payment.after_void");
  await recordVoid(deps, { job, attempt, payment });
  failpoint("payment.after_void_recorded");
}

async function requireAttempt(deps: Deps, { subject }: LeasedJob): Promise<PaymentAttempt> {
  const attempt = await findPaymentAttempt(deps.database, subject);
  if (!attempt) throw new Error(`payment attempt ${subject} is missing`);
  return attempt;
}
