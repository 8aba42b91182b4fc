import { JOB_LEASE_SECONDS, keyOfJob } from "../jobs/jobs.ts";
import type { NewPaymentAttempt } from "../payments/attempts.ts";
import type { NewPayoutIntent } from "../payouts/intents.ts";
import type { OrderStep } from "./order-step.ts";

/** What the parts read, as the one parameter of their statement. */
export function inputOf(steps: readonly OrderStep[]): string {
  const payments = steps.flatMap(({ payment }) => (payment ? [paymentRow(payment)] : []));
  const intents = steps.flatMap(({ intent }) => (intent ? [intentRow(intent)] : []));
  return JSON.stringify({
    steps: steps.map(stepRow),
    entries: steps.flatMap(entryRows),
    lines: steps.flatMap(lineRows),
    payments,
    intents,
    jobs: steps.flatMap(jobRows),
  });
}

function stepRow(step: OrderStep, line: number) {
  const { order, change, event, job, attempt, payout } = step;
  return {
    is_a: "steps",
    line,
    order_id: String(order.id),
    merchant_id: order.merchantId,
    version: order.version,
    in_time: step.inTime ?? false,
    job_id: job?.id,
    job_lease: job?.leaseToken,
    status: change?.status,
    status_reason: change?.statusReason,
    card_attempts: change?.cardAttempts,
    received_units: textOf(change ? change.receivedUnits : step.received),
    window_seconds: change?.paymentWindowSeconds,
    actor: change?.actor,
    note: change?.note,
    event_type: event?.eventType,
    payload: event?.payload,
    attempt_id: attempt?.id,
    attempt_status: attempt?.status,
    decline_reason: attempt?.declineReason,
    challenge_url: attempt?.challengeUrl,
    three_d_secure: attempt?.threeDSecure,
    intent_id: payout?.id,
    intent_state: payout?.state,
    confirmations: payout?.confirmations,
    settled_hash: payout?.settledHash,
  };
}

/** JSON numbers are doubles: exact ones travel as text. */
const textOf = (units: bigint | null | undefined): string | undefined =>
  units == null ? undefined : String(units);

const entryRows = ({ order, entries = [] }: OrderStep) =>
  entries.map((entry) => ({
    is_a: "entries",
    merchant_id: order.merchantId,
    key: entry.key,
    kind: entry.kind,
    asset_id: entry.asset.id,
    order_id: String(order.id),
    link: entry.link,
  }));

const lineRows = ({ order, entries = [] }: OrderStep) =>
  entries.flatMap((entry) =>
    entry.postings.map(({ purpose, units }, index) => ({
      is_a: "lines",
      merchant_id: order.merchantId,
      key: entry.key,
      line: index + 1,
      purpose,
      asset_id: entry.asset.id,
      units: String(units),
    })),
  );

const paymentRow = (payment: NewPaymentAttempt) => ({
  is_a: "payments",
  id: payment.id,
  order_id: String(payment.orderId),
  merchant_id: payment.merchantId,
  number: payment.number,
  card_token: payment.cardToken,
  brand: payment.brand,
  last_four: payment.lastFour,
  asset_id: payment.assetId,
  units: String(payment.units),
  billing_address: payment.billingAddress,
});

const intentRow = (intent: NewPayoutIntent) => ({
  is_a: "intents",
  id: intent.id,
  order_id: String(intent.orderId),
  merchant_id: intent.merchantId,
  purpose: intent.purpose,
  rail: intent.rail,
  asset_id: intent.assetId,
  units: String(intent.units),
  network_code: intent.networkCode,
  address: intent.address,
  memo: intent.memo,
  attempt_id: intent.attemptId,
  deposit_id: intent.depositId,
  euro_cents: String(intent.euroCents),
});

const jobRows = ({ jobs = [], leaseToken }: OrderStep) =>
  jobs.map((job, index) => ({
    is_a: "jobs",
    kind: job.kind,
    key: keyOfJob(job),
    order_id: String(job.orderId),
    merchant_id: job.merchantId,
    at_window_end: job.isAtWindowEnd ?? false,
    ...(index === 0 && leaseToken !== undefined
      ? { lease_token: leaseToken, lease_seconds: JOB_LEASE_SECONDS }
      : {}),
  }));
