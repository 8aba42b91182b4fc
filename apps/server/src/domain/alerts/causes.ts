import { describeStop, type Stop } from "../payouts/stop.ts";

/** Something that needs a person. The same cause is reported once until it has ended. */
export interface Cause {
  /** The kind, and what it is about, as in `stop:rail chain:bitcoin`. */
  readonly cause: string;
  readonly summary: string;
  /** It begins no alert yet, because it may end by itself. An open alert goes on. */
  readonly onlyContinues?: boolean;
}

/** The facts that decide about causes. Ages are seconds. */
export interface AlertFacts {
  readonly stops: readonly Pick<Stop, "kind" | "subject" | "reason">[];
  readonly breaks: number;
  /** Refunds that the controls hold for approvals while their orders go on. */
  readonly heldRefunds: number;
  /** The oldest orders that ended and hold money beyond their amount, because its refund was rejected. */
  readonly heldExcess: readonly { readonly orderId: string; readonly status: string }[];
  readonly jobLate: number;
  /** Kinds of jobs that failed many times in a row, with the oldest order of each. */
  readonly jobsFailing: readonly {
    readonly kind: string;
    readonly count: number;
    readonly orderId: string;
  }[];
  /** The lateness of the most overdue delivery to an endpoint without failures. */
  readonly deliveryLate: number;
  /** The oldest webhook endpoints that the service disabled: they failed for five days, or answered that they are gone. */
  readonly endpointsDisabled: readonly {
    readonly endpointId: string;
    readonly merchantId: string;
    readonly host: string;
    readonly reason: "failing" | "gone";
  }[];
  /** The oldest order of each status, operation and reason. */
  readonly orders: readonly {
    readonly status: string;
    readonly reason: string | null;
    readonly count: number;
    readonly oldest: number;
    /** The id of the oldest order. */
    readonly orderId: string;
  }[];
  /** Payouts that completed their orders and are in no final block, with the order of the oldest one. */
  readonly notFinal: readonly { readonly oldest: number; readonly orderId: string }[];
  /** Since the audit last passed. */
  readonly auditAge: number;
  /** Since the books were last compared with the rails. */
  readonly comparedAge: number;
  /** The assets whose float is low. */
  readonly lowFloats: readonly string[];
  /** False in the first minutes of the service, while workers catch up. */
  readonly isSettled: boolean;
  /** Rails and networks that do not work, with why. */
  readonly railsDown: readonly { readonly rail: string; readonly why: string }[];
}

/** The kinds of causes, and the page that says what to do about each. */
export const RUNBOOKS = {
  stop: "payouts-stopped",
  audit_break: "ledger-break",
  payouts_held: "payouts-held",
  orders_in_review: "orders-in-review",
  excess_held: "orders-in-review",
  rail_down: "rail-down",
  workers_late: "jobs-late",
  jobs_failing: "jobs-failing",
  webhooks_late: "webhooks-late",
  endpoint_disabled: "endpoint-disabled",
  order_stuck: "order-stuck",
  audit_stale: "audit-stale",
  rails_not_compared: "rails-not-compared",
  float_low: "float-low",
} as const;
export type CauseKind = keyof typeof RUNBOOKS;

export const kindOf = (cause: string): CauseKind => cause.split(":")[0] as CauseKind;

/** The rules of Prometheus have the same limits (deploy/prometheus/rules.yml). */
const JOB_LATE_SECONDS = 60;
const DELIVERY_LATE_SECONDS = 300;
const ORDER_STUCK_SECONDS: Readonly<Record<string, number>> = {
  processing: 900,
  sending: 7_200,
  refund_pending: 7_200,
};
const NOT_FINAL_SECONDS = 21_600;
const AUDIT_STALE_SECONDS = 300;
const NOT_COMPARED_SECONDS = 900;
const SUMMARY_LENGTH_MAX = 500;

/** Returns everything that needs a person now. */
export function findCauses(facts: AlertFacts): readonly Cause[] {
  const { stops, breaks, heldExcess, lowFloats, railsDown } = facts;
  const found: Cause[] = stops.map((stop) => ({
    cause: `stop:${describeStop(stop)}`,
    summary: `Payouts are stopped (${describeStop(stop)}): ${stop.reason}`,
  }));
  if (breaks > 0) {
    found.push({
      cause: "audit_break",
      summary: `The audit found that orders, books and rails do not agree. Standing differences: ${breaks}.`,
    });
  }
  found.push(...findDecisions(facts));
  for (const { orderId, status } of heldExcess) {
    found.push({
      cause: `excess_held:${orderId}`,
      summary: `Order ${orderId} is ${status} and holds money beyond its amount: the refund was rejected.`,
    });
  }
  for (const { rail, why } of railsDown) {
    found.push({ cause: `rail_down:${rail}`, summary: `The rail ${rail} does not work: ${why}` });
  }
  found.push(...findWorkCauses(facts));
  for (const asset of lowFloats) {
    found.push({ cause: `float_low:${asset}`, summary: `The float of ${asset} is low.` });
  }
  for (const overdue of findOverdue(facts)) {
    found.push({ ...overdue, onlyContinues: !facts.isSettled });
  }
  return found.map((each) => ({ ...each, summary: each.summary.slice(0, SUMMARY_LENGTH_MAX) }));
}

/** Returns the causes that wait for a decision: payouts that are held, and orders in review. */
function findDecisions({ heldRefunds, orders }: AlertFacts): readonly Cause[] {
  const inReview = orders.filter(({ status }) => status === "in_review");
  // The payout of such an order is held.
  const byLimit = inReview.filter(({ reason }) => reason === "limit_exceeded");
  const others = inReview.filter(({ reason }) => reason !== "limit_exceeded");
  const found: Cause[] = [];
  const heldPayouts = heldRefunds + countOf(byLimit);
  if (heldPayouts > 0) {
    found.push({
      cause: "payouts_held",
      summary: `Payouts wait for the decision of a person: ${heldPayouts}.`,
    });
  }
  const oldest = oldestOf(others);
  if (oldest !== undefined) {
    found.push({
      cause: "orders_in_review",
      summary: `Orders wait in review for the decision of a person: ${countOf(others)}. The oldest is ${oldest.orderId}.`,
    });
  }
  return found;
}

/** Returns the causes of the work on jobs and webhooks: late, failing, or disabled. */
function findWorkCauses(facts: AlertFacts): readonly Cause[] {
  const { jobLate, jobsFailing, deliveryLate, endpointsDisabled } = facts;
  const found: Cause[] = [];
  if (jobLate > JOB_LATE_SECONDS) {
    found.push({
      cause: "workers_late",
      summary: `Work on orders is late. The most overdue job waits for ${Math.round(jobLate)} seconds.`,
    });
  }
  for (const { kind, count, orderId } of jobsFailing) {
    found.push({
      cause: `jobs_failing:${kind}`,
      summary: `Jobs of kind ${kind} fail again and again: ${count}. The oldest order with one is ${orderId}.`,
    });
  }
  if (deliveryLate > DELIVERY_LATE_SECONDS) {
    found.push({
      cause: "webhooks_late",
      summary: `Webhooks are late. The most overdue one waits for ${Math.round(deliveryLate)} seconds.`,
    });
  }
  for (const { endpointId, merchantId, host, reason } of endpointsDisabled) {
    const why = reason === "gone" ? "it answered 410" : "it failed for five days";
    found.push({
      cause: `endpoint_disabled:${endpointId}`,
      summary: `The webhook endpoint ${endpointId} of merchant ${merchantId} at ${host} was disabled, because ${why}.`,
    });
  }
  return found;
}

type Orders = AlertFacts["orders"];

const countOf = (orders: Orders): number => orders.reduce((sum, { count }) => sum + count, 0);

const oldestOf = (orders: Orders): Orders[number] | undefined =>
  orders.toSorted((one, other) => other.oldest - one.oldest)[0];

const minutesOf = (seconds: number): number => Math.round(seconds / 60);

/** Returns the causes that are overdue: stuck orders, a stale audit, books that were not compared. */
function findOverdue({ orders, notFinal, auditAge, comparedAge }: AlertFacts): readonly Cause[] {
  const found: Cause[] = [];
  for (const [status, limit] of Object.entries(ORDER_STUCK_SECONDS)) {
    const first = oldestOf(orders.filter((each) => each.status === status));
    if (first === undefined || first.oldest <= limit) continue;
    const summary = `Order ${first.orderId} has been ${status} for ${minutesOf(first.oldest)} minutes.`;
    found.push({ cause: `order_stuck:${status}`, summary });
  }
  const [first] = notFinal.toSorted((a, b) => b.oldest - a.oldest);
  if (first && first.oldest > NOT_FINAL_SECONDS) {
    const summary = `The payout of order ${first.orderId} completed it ${minutesOf(first.oldest)} minutes ago, and is in no final block.`;
    found.push({ cause: "order_stuck:not_final", summary });
  }
  if (auditAge > AUDIT_STALE_SECONDS) {
    const summary = `No process has finished a pass of the audit for ${minutesOf(auditAge)} minutes.`;
    found.push({ cause: "audit_stale", summary });
  }
  if (comparedAge > NOT_COMPARED_SECONDS) {
    const summary = `The books were last compared with the rails ${minutesOf(comparedAge)} minutes ago.`;
    found.push({ cause: "rails_not_compared", summary });
  }
  return found;
}
