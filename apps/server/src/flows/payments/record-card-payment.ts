import { type CardRefusalReason, decide } from "../../domain/orders/machine.ts";
import type { CardPayment } from "../../domain/ports/card-processor.ts";
import { type LeasedJob, type NewJob, postponeJob } from "../../storage/jobs/jobs.ts";
import type { Order } from "../../storage/orders/orders.ts";
import { type PaymentAttempt, updatePaymentAttempt } from "../../storage/payments/attempts.ts";
import type { Deps } from "../deps.ts";
import { goOn } from "../orders/go-on.ts";
import { stepOf } from "../orders/move.ts";

/** What the processor said of an attempt, and the job that asked. */
export interface CardAnswer {
  readonly job: LeasedJob;
  readonly attempt: PaymentAttempt;
  readonly payment: CardPayment;
}

const REFUSALS: Partial<Record<CardPayment["status"], CardRefusalReason>> = {
  declined: "card_declined",
  authentication_failed: "three_ds_failed",
  voided: "provider_error",
};

/**
 * Records a final answer to an authorization: an approved card goes on to its capture, a refused one
 * gives the order back to the customer. The job ends in the same database transaction; gives the next
 * one, where it is ours to go on with.
 */
export async function recordAuthorization(
  deps: Deps,
  { job, attempt, payment }: CardAnswer,
): Promise<LeasedJob | undefined> {
  const answered = { ...toAttemptChange(payment), id: attempt.id };
  const refusal = REFUSALS[payment.status];
  const { next } = await goOn(deps, job, (order: Order) => {
    if (!refusal) return { order, attempt: answered, jobs: [moneyJob(order, attempt)] };
    const event = { kind: "card_payment_refused", reason: refusal } as const;
    const move = decide(order, event, deps.clock.now());
    return { ...(move ? stepOf(deps, { order, move }) : { order }), attempt: answered };
  });
  return next;
}

const moneyJob = (order: Order, attempt: PaymentAttempt): NewJob => ({
  kind: takesMoney(order) ? "capture_payment" : "void_payment",
  subject: attempt.id,
  orderId: order.id,
  merchantId: order.merchantId,
});

/** An order that ended meanwhile wants no money: what was authorized for it is let go. */
const takesMoney = (order: Order): boolean =>
  order.status === "payment_pending" || order.status === "in_review";

/**
 * Shows the customer that the issuer asks for a challenge, and gives the job back to ask for its end.
 * A worker that lost its lease shows nothing: another may have recorded what came after.
 */
export async function recordChallenge(
  deps: Deps,
  answer: CardAnswer,
  askAgainMs: number,
): Promise<void> {
  const { job, attempt, payment } = answer;
  await deps.database.transaction(async (tx) => {
    await postponeJob(tx, job, askAgainMs);
    if (attempt.challengeUrl === payment.challengeUrl) return;
    updatePaymentAttempt(tx, attempt.id, toAttemptChange(payment));
  });
}

const toAttemptChange = (payment: CardPayment) => ({
  status: payment.status,
  declineReason: payment.declineReason,
  challengeUrl: payment.challengeUrl,
  threeDSecure: payment.threeDSecure,
});
