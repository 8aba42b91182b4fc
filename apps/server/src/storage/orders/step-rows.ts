import { type Entry, HOUSE } from "../../domain/ledger/entry.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { NewPaymentAttempt } from "../../domain/payments/payment-attempt.ts";
import type { NewPayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { JOB_LEASE_SECONDS, keyOfJob } from "../jobs/jobs.ts";
import { jsonRows } from "../postgres/json-rows.ts";
import { bytes, nullable } from "../postgres/table.ts";
import type { OrderStep } from "./order-step.ts";

/** Selects the lists in the statement's only parameter, which `stepRows` builds. */
export const STEP_LISTS = {
  steps: jsonRows(
    "steps",
    `line int, order_id bigint, merchant_id text, version int, in_time boolean, job_id bigint,
     job_lease uuid, run_again_ms float8, status text, status_reason text, card_attempts int,
     received_units numeric, window_seconds float8, actor text, note text, refund_address text,
     refund_memo text, requested_refund_address text, requested_refund_memo text,
     screening_hits jsonb, event_type text, payload text, attempt_id uuid, attempt_status text, attempt_units numeric,
     decline_reason text, challenge_url text, three_d_secure jsonb, intent_id uuid,
     intent_released boolean, intent_state text, void_reason text, confirmations int,
     settled_hash text, awaits_finality boolean, quote_id text, receive_units numeric,
     payment_method_id int`,
  ),
  entries: jsonRows(
    "entries",
    "merchant_id text, key text, kind text, asset_id int, order_id bigint, link text",
  ),
  lines: jsonRows(
    "lines",
    "merchant_id text, key text, line int, purpose text, asset_id int, units numeric",
  ),
  reversals: jsonRows("reversals", "of text, key text, kind text"),
  payments: jsonRows(
    "payments",
    `id uuid, order_id bigint, merchant_id text, number int, card_token text, brand text,
     last_four text, asset_id int, units numeric, billing_sealed bytea`,
  ),
  instructions: jsonRows(
    "instructions",
    `order_id bigint, merchant_id text, rail text, asset_id int, units numeric, network_code text,
     address text, memo text, reference text, account jsonb`,
  ),
  deposits: jsonRows(
    "deposits",
    `id uuid, order_id bigint, merchant_id text, rail text, source text, external_id text,
     asset_id int, units numeric, state text, confirmations int,
     confirmations_required int, block_hash text`,
  ),
  intents: jsonRows(
    "intents",
    `id uuid, order_id bigint, merchant_id text, purpose text, rail text, asset_id int,
     units numeric, network_code text, address text, memo text, attempt_id uuid, deposit_id uuid,
     euro_cents bigint`,
  ),
  jobs: jsonRows(
    "jobs",
    `kind text, key text, order_id bigint, merchant_id text, at_window_end boolean,
     lease_token uuid, lease_seconds float8`,
  ),
} as const;

/** Returns the rows of several steps as JSON: the only parameter of their statement. */
export function stepRows(steps: readonly OrderStep[]): string {
  return JSON.stringify({
    steps: steps.map(stepRow),
    entries: steps.flatMap(entryRows),
    lines: steps.flatMap(lineRows),
    reversals: steps.flatMap(({ reversals = [] }) =>
      reversals.map((reversal) => ({ is_a: "reversals", ...reversal })),
    ),
    payments: steps.flatMap(({ payment }) => (payment ? [paymentRow(payment)] : [])),
    instructions: steps.flatMap(instructionRows),
    deposits: steps.flatMap(depositRows),
    intents: steps.flatMap(({ intents = [] }) => intents.map(intentRow)),
    jobs: steps.flatMap(jobRows),
  });
}

function stepRow(step: OrderStep, line: number) {
  const { order, change, event, job, payment, attempt, payout } = step;
  const note = change ?? step.note;
  return {
    is_a: "steps",
    line,
    order_id: String(order.id),
    merchant_id: order.merchantId,
    version: order.version,
    in_time: step.inTime ?? false,
    job_id: job?.id,
    job_lease: job?.leaseToken,
    run_again_ms: job?.runAgainInMs,
    status: change?.status,
    status_reason: change?.statusReason,
    // A payment that a restore lost is adopted without a change of status.
    card_attempts:
      change?.cardAttempts ?? (payment && Math.max(order.cardAttempts, payment.number)),
    received_units: unitsText(change ? change.receivedUnits : step.receivedUnits),
    window_seconds: change?.paymentWindowSeconds ?? step.method?.windowSeconds,
    actor: note?.actor,
    note: note?.note,
    screening_hits: note?.screeningHits,
    ...refundRow(step),
    event_type: event?.eventType,
    payload: event?.payload,
    attempt_id: attempt?.id,
    attempt_status: attempt?.status,
    attempt_units: unitsText(attempt?.units),
    decline_reason: attempt?.declineReason,
    challenge_url: attempt?.challengeUrl,
    three_d_secure: attempt?.threeDSecure,
    intent_id: payout?.id,
    intent_released: payout?.isReleased,
    intent_state: payout?.state,
    void_reason: payout?.voidReason,
    confirmations: payout?.confirmations,
    settled_hash: payout?.settledHash,
    awaits_finality: payout?.awaitsFinality,
    quote_id: step.price?.quoteId,
    receive_units: step.price && String(step.price.receiveUnits),
    payment_method_id: step.method?.paymentMethodId,
  };
}

function refundRow({ refund }: OrderStep) {
  if (!refund) return {};
  return "refundAddress" in refund
    ? { refund_address: refund.refundAddress, refund_memo: refund.refundMemo }
    : {
        requested_refund_address: refund.requestedRefundAddress,
        requested_refund_memo: refund.requestedRefundMemo,
      };
}

/** JSON numbers are doubles, so exact amounts are sent as text. */
const unitsText = (units: bigint | null | undefined): string | undefined =>
  units == null ? undefined : String(units);

const entryRows = ({ order, entries = [] }: OrderStep) =>
  entries.map((entry) => ({
    is_a: "entries",
    merchant_id: ownerOf(entry, order),
    key: entry.key,
    kind: entry.kind,
    asset_id: entry.asset.id,
    // An entry of the house belongs to a transaction and not to an order.
    order_id: entry.owner === "house" ? null : String(order.id),
    link: entry.link,
  }));

const ownerOf = ({ owner }: Entry, { merchantId }: Order): string =>
  owner === "house" ? HOUSE : merchantId;

const lineRows = ({ order, entries = [] }: OrderStep) =>
  entries.flatMap((entry) =>
    entry.postings.map(({ purpose, units }, index) => ({
      is_a: "lines",
      merchant_id: ownerOf(entry, order),
      key: entry.key,
      line: index + 1,
      purpose,
      asset_id: entry.asset.id,
      units: String(units),
    })),
  );

const BILLING = nullable(bytes());

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
  billing_sealed: BILLING.write(payment.billingSealed),
});

const instructionRows = ({ order, instruction }: OrderStep) =>
  instruction
    ? [
        {
          is_a: "instructions",
          order_id: String(order.id),
          merchant_id: order.merchantId,
          rail: instruction.rail,
          asset_id: instruction.assetId,
          units: String(instruction.units),
          network_code: instruction.networkCode,
          address: instruction.address,
          memo: instruction.memo,
          reference: instruction.reference,
          account: instruction.account,
        },
      ]
    : [];

const depositRows = ({ order, deposits = [] }: OrderStep) =>
  deposits.map((deposit) => ({
    is_a: "deposits",
    id: deposit.id,
    order_id: String(order.id),
    merchant_id: order.merchantId,
    rail: deposit.rail,
    source: deposit.source,
    external_id: deposit.externalId,
    asset_id: deposit.assetId,
    units: String(deposit.units),
    state: deposit.state,
    confirmations: deposit.confirmations,
    confirmations_required: deposit.confirmationsRequired,
    block_hash: deposit.blockHash,
  }));

const intentRow = (intent: NewPayoutIntent) => ({
  is_a: "intents",
  id: intent.id,
  order_id: String(intent.orderId),
  merchant_id: intent.merchantId,
  purpose: intent.purpose,
  rail: intent.rail,
  asset_id: intent.amount.asset.id,
  units: String(intent.amount.units),
  network_code: intent.networkCode,
  address: intent.address,
  memo: intent.memo,
  attempt_id: intent.attemptId,
  deposit_id: intent.depositId,
  euro_cents: String(intent.euroCents),
});

const jobRows = ({ order, jobs = [], leaseToken }: OrderStep) =>
  jobs.map((job, index) => ({
    is_a: "jobs",
    kind: job.kind,
    key: keyOfJob(job),
    order_id: String(order.id),
    merchant_id: order.merchantId,
    at_window_end: job.isAtWindowEnd ?? false,
    ...(index === 0 && leaseToken !== undefined
      ? { lease_token: leaseToken, lease_seconds: JOB_LEASE_SECONDS }
      : {}),
  }));
