import { money } from "@exchange/money";
import type { PaymentAttempt } from "../domain/payments/payment-attempt.ts";
import type { CardPayment, CardProcessor } from "../domain/ports/card-processor.ts";
import { failpoint } from "../failpoints.ts";
import type { Deps } from "../flows/deps.ts";
import {
  isOfOtherAmount,
  isRefused,
  recordAuthorization,
  recordCapture,
  recordChallenge,
  recordNeverAuthorized,
  recordVoid,
} from "../flows/payments/record-card-payment.ts";
import { finishJob, type LeasedJob, postponeJob } from "../storage/jobs/jobs.ts";
import { findOrder } from "../storage/orders/orders.ts";
import { findPaymentAttempt, secondsSinceChange } from "../storage/payments/attempts.ts";
import { requireRail } from "./require-rail.ts";

/** Asks the processor to authorize an attempt, with 3-D Secure, until the answer is final. */
export async function authorizePayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await requireAttempt(deps, job);
  if (attempt.status === "captured") {
    await finishJob(deps.database, job);
    return undefined;
  }
  const earlier = requireOwn(attempt, await processor.lookUp(attempt.id));
  if (!earlier && !(await isWanted(deps, job))) {
    return recordNeverAuthorized(deps, { job, attempt });
  }
  failpoint("payment.before_authorize");
  const authorized = earlier ?? requireOwn(attempt, await ask(deps, processor, attempt));
  failpoint("payment.after_authorize");
  const payment = isOfOtherAmount(deps, { attempt, payment: authorized })
    ? await voidOther(processor, attempt)
    : authorized;
  const answer = { job, attempt, payment };
  if (payment.status === "processing") {
    await postponeJob(deps.database, job, payment.askAgainMs);
    return undefined;
  }
  if (payment.status === "challenge") {
    await recordChallenge(deps, answer);
    return undefined;
  }
  // A restored database may not know of a capture. The money is there, so it is booked whatever became of the order.
  const next =
    payment.status === "captured"
      ? await recordCapture(deps, answer)
      : await recordAuthorization(deps, answer);
  failpoint("payment.after_authorize_recorded");
  return next;
}

/** Frees an authorization of another amount: a part of the money pays for no order. The card counts as refused. */
async function voidOther(processor: CardProcessor, attempt: PaymentAttempt): Promise<CardPayment> {
  const payment = requireOwn(attempt, await processor.void(attempt.id));
  if (payment.status !== "authorized") return payment;
  throw new Error(
    `attempt ${attempt.id} is of another amount, and is authorized after it was voided`,
  );
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

/**
 * Captures the authorized money. A second capture under the same reference takes nothing more. A processor may refuse the
 * capture for good: then the card is refused. Any other answer may be older than the capture, so it is asked again.
 */
export async function capturePayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await requireAttempt(deps, job);
  failpoint("payment.before_capture");
  const payment = requireOwn(attempt, await processor.capture(attempt.id));
  failpoint("payment.after_capture");
  if (isRefused(payment)) return recordAuthorization(deps, { job, attempt, payment });
  if (payment.status !== "captured") {
    throw new Error(`attempt ${attempt.id} is ${payment.status} after its capture`);
  }
  const next = await recordCapture(deps, { job, attempt, payment });
  failpoint("payment.after_capture_recorded");
  return next;
}

/** The wait for the authorization's own job, which asks the processor for the payment first. */
const UNASKED_MS = 500;
/** A request to authorize a payment may reach the processor this long after the attempt had ended. */
const LATE_REQUEST_SECONDS = 15 * 60;
/** The first wait for such a request. Each wait is as long as those before it together. */
const LATE_REQUEST_FIRST_MS = 10_000;

/**
 * Voids the authorization of an order that ended meanwhile. A payment that the processor does not know may still
 * arrive, so the authorization's own job asks for it first, and this job looks for it a while after that. A captured
 * payment cannot be voided: it is booked as late money, and a person decides about it. Returns the job that follows.
 */
export async function voidPayment(deps: Deps, job: LeasedJob): Promise<LeasedJob | undefined> {
  const processor = requireRail(deps.cardProcessor, "card processor");
  const attempt = await requireAttempt(deps, job);
  if (attempt.status === "captured") {
    await finishJob(deps.database, job);
    return undefined;
  }
  const earlier = requireOwn(attempt, await processor.lookUp(attempt.id));
  if (earlier === undefined || earlier.status === "processing") {
    const waitMs = earlier?.askAgainMs ?? (await waitForRequestMs(deps, attempt));
    if (waitMs === undefined) await finishJob(deps.database, job);
    else await postponeJob(deps.database, job, waitMs);
    return undefined;
  }
  failpoint("payment.before_void");
  const isLate = earlier.status === "captured";
  const payment = isLate ? earlier : requireOwn(attempt, await processor.void(attempt.id));
  failpoint("payment.after_void");
  const answer = { job, attempt, payment };
  if (payment.status === "captured") return recordCapture(deps, answer);
  await recordVoid(deps, answer);
  failpoint("payment.after_void_recorded");
  return undefined;
}

/** Returns the wait for a payment that the processor does not know; undefined once it is too late for one. */
async function waitForRequestMs(
  { database }: Deps,
  { id, status }: PaymentAttempt,
): Promise<number | undefined> {
  if (status !== "voided") return UNASKED_MS;
  const seconds = await secondsSinceChange(database, id);
  if (seconds >= LATE_REQUEST_SECONDS) return undefined;
  return Math.max(seconds * 1_000, LATE_REQUEST_FIRST_MS);
}

/** Returns the processor's answer. Throws for one about another payment: the outcome of this attempt is unknown. */
function requireOwn<Answer extends CardPayment | undefined>(
  { id }: PaymentAttempt,
  answer: Answer,
): Answer {
  if (answer === undefined || answer.reference === id) return answer;
  throw new Error(`the card processor was asked about payment ${id}, and answered about another`);
}

async function requireAttempt(deps: Deps, { subject }: LeasedJob): Promise<PaymentAttempt> {
  const attempt = await findPaymentAttempt(deps.database, subject);
  if (!attempt) throw new Error(`payment attempt ${subject} is missing`);
  return attempt;
}
