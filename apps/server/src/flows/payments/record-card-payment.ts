import { fromDecimal, money, normalize, parseDecimal } from "@exchange/money";
import type { Currency } from "../../domain/catalogue/currency.ts";
import { type CardRefusalReason, writesOf } from "../../domain/orders/machine.ts";
import type { Order } from "../../domain/orders/order.ts";
import { coverageOf } from "../../domain/orders/received.ts";
import type { PaymentAttempt } from "../../domain/payments/payment-attempt.ts";
import type { CardAmount, CardPayment } from "../../domain/ports/card-processor.ts";
import type { LeasedJob, NewJob } from "../../storage/jobs/jobs.ts";
import type { Deps } from "../deps.ts";
import { advanceOrder, type BuildStep } from "../orders/advance.ts";
import { stepOf, stepOfWrites } from "../orders/step-of.ts";

/** The processor's answer about an attempt, and the job that asked for it. */
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

/** Returns whether the processor's answer is that this payment will never be made. */
export const isRefused = ({ status }: CardPayment): boolean => REFUSALS[status] !== undefined;

/**
 * Records the final answer to an authorization, or the refusal of a capture. An approved card is
 * captured next. A refused card returns the order to the customer for another payment. The job ends
 * in the same database transaction. Returns the next job, leased to this worker.
 */
export function recordAuthorization(
  deps: Deps,
  answer: CardAnswer,
): Promise<LeasedJob | undefined> {
  const { attempt: before, payment } = answer;
  const attempt = attemptOf(answer);
  const reason = REFUSALS[payment.status];
  return record(deps, answer.job, (order, now) => {
    if (!reason) return { attempt, jobs: [jobOf(moneyJob(order), order, before)] };
    return { ...stepOf(deps, order, { kind: "card_payment_refused", reason }, now), attempt };
  });
}

/** An order that ended meanwhile takes no money: its authorization is voided. */
const moneyJob = ({ status }: Order): NewJob["kind"] =>
  status === "payment_pending" || status === "in_review" ? "capture_payment" : "void_payment";

const jobOf = (kind: NewJob["kind"], order: Order, attempt: PaymentAttempt): NewJob => ({
  kind,
  subject: attempt.id,
  orderId: order.id,
  merchantId: order.merchantId,
});

/**
 * Shows the issuer's challenge to the customer, and schedules the job to ask for the result. A
 * worker that lost its lease shows nothing, because another may have recorded a later state.
 */
export async function recordChallenge(deps: Deps, answer: CardAnswer): Promise<void> {
  const { askAgainMs: runAgainInMs } = answer.payment;
  const isShown = answer.attempt.challengeUrl === answer.payment.challengeUrl;
  await record(deps, answer.job, () =>
    isShown ? { runAgainInMs } : { attempt: attemptOf(answer), runAgainInMs },
  );
}

/**
 * Records a capture: attempt, ledger entry and the order's move are one database transaction. The capture of an order
 * that had ended is late money. Returns the job that exchanges the money, leased to this worker.
 */
export function recordCapture(deps: Deps, answer: CardAnswer): Promise<LeasedJob | undefined> {
  const { attempt: before, payment } = answer;
  const { assetId } = before;
  const units = unitsOf(deps, answer);
  const amount = money(deps.catalogue().requireCurrency(assetId), units);
  const attempt = {
    id: before.id,
    units,
    status: "captured",
    declineReason: null,
    challengeUrl: null,
    threeDSecure: payment.threeDSecure ?? before.threeDSecure,
  } as const;
  return record(deps, answer.job, (order, now) => {
    const receivedUnits = (order.receivedUnits ?? 0n) + amount.units;
    const coverage = coverageOf(order, [{ assetId, units }]);
    const captured = { attemptId: before.id, coverage, amount, receivedUnits };
    const event = { kind: "payment_captured", ...captured } as const;
    return {
      ...(stepOf(deps, order, event, now) ?? stepOfWrites(order, writesOf(event))),
      attempt,
    };
  });
}

/**
 * Returns the units that the processor authorized or captured. Throws where it states none, or another currency than the
 * attempt's: nobody knows then what it took.
 */
function unitsOf(
  { catalogue }: Pick<Deps, "catalogue">,
  {
    attempt: { id, assetId },
    payment: { status, amount },
  }: Pick<CardAnswer, "attempt" | "payment">,
): bigint {
  const currency = catalogue().requireCurrency(assetId);
  const isOfCurrency = amount?.assetReference === currency.reference;
  const units = isOfCurrency ? wholeUnits(currency, amount) : undefined;
  if (units !== undefined && units > 0n) return units;
  const stated = amount === null ? "no amount" : `an unusable amount of ${amount.assetReference}`;
  throw new Error(
    `the card processor states ${stated} for payment ${id}, which is ${status}. An amount in ${currency.reference} is needed: ask the processor`,
  );
}

/** Returns undefined for an amount with more digits than the currency has, which would be rounded. */
function wholeUnits(currency: Currency, amount: CardAmount): bigint | undefined {
  if ("units" in amount) return amount.units;
  const coins = parseDecimal(amount.coins);
  if (coins === undefined || normalize(coins).scale > currency.decimals) return undefined;
  return fromDecimal(currency, coins, "down").units;
}

/** Returns whether the processor authorized another amount than the attempt's. */
export const isOfOtherAmount = (
  deps: Pick<Deps, "catalogue">,
  answer: Pick<CardAnswer, "attempt" | "payment">,
): boolean =>
  answer.payment.status === "authorized" && unitsOf(deps, answer) !== answer.attempt.units;

/** Records that the authorization was voided or refused, so it will never be captured. */
export async function recordVoid(deps: Deps, answer: CardAnswer): Promise<void> {
  const { job, attempt, payment } = answer;
  if (payment.status === "captured" || payment.status === "authorized") {
    throw new Error(`attempt ${attempt.id} is ${payment.status} after it was voided`);
  }
  await record(deps, job, () => ({ attempt: { ...attemptOf(answer), challengeUrl: null } }));
}

/**
 * Records that the order ended before the processor knew of the payment. The request of a worker that lost its lease
 * may still arrive, so a job looks for it. Returns that job, unless the order has it already.
 */
export function recordNeverAuthorized(
  deps: Deps,
  { job, attempt }: Pick<CardAnswer, "job" | "attempt">,
): Promise<LeasedJob | undefined> {
  const { id, declineReason, threeDSecure } = attempt;
  const voided = { id, status: "voided", declineReason, challengeUrl: null, threeDSecure } as const;
  return record(deps, job, (order) => ({
    attempt: voided,
    jobs: [jobOf("void_payment", order, attempt)],
  }));
}

async function record(
  deps: Deps,
  job: LeasedJob,
  build: BuildStep,
): Promise<LeasedJob | undefined> {
  const { orderId, order, leaseToken: nextLease } = job;
  return (await advanceOrder(deps, { orderId, job, order, nextLease }, build)).next;
}

const attemptOf = ({ attempt, payment }: CardAnswer) => ({
  id: attempt.id,
  status: payment.status,
  declineReason: payment.declineReason,
  challengeUrl: payment.challengeUrl,
  threeDSecure: payment.threeDSecure ?? attempt.threeDSecure,
});
