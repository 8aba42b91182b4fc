import { type Static, Type } from "@sinclair/typebox";
import { listEnvelope, okEnvelope } from "../envelopes.ts";
import { ORDER_STATUSES, OrderIdParams } from "../orders.ts";
import { literals, named, nullable, Uuid } from "../schema.ts";
import { type AdminEndpoint, CSV_FILE, PERSON_ERRORS } from "./endpoint.ts";
import { ExactAmount, PayoutWait, WAIT_SEEN } from "./order-story.ts";
import { ADMIN_REASONS, PAYOUT_PURPOSES, PAYOUT_STATES } from "./words.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });

/** The kinds of stops that refuse new business beside payouts. */
export const EXCHANGE_STOP_KINDS = ["network", "currency", "method", "pair", "merchant"] as const;
export const STOP_KIND_NAMES = ["all", "rail", ...EXCHANGE_STOP_KINDS] as const;

const StopKind = literals(STOP_KIND_NAMES);
export const StopSubject = Type.String({
  maxLength: 80,
  description:
    "by kind: a rail such as chain:bitcoin, a network's code, a currency's or a payment method's reference, a pair such as eur-btc, a merchant's client id; empty for all",
});
/** Names the stop that the person saw. Somebody may have set another one meanwhile. */
export const StopReasonSeen = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 4_000,
    description:
      "the reason of the stop as you read it. The call is refused if it has another by now",
  }),
);
const StopKey = Type.Object({ kind: StopKind, subject: StopSubject });

/** A payout or a refund under way. */
export const AdminPayout = named(
  "AdminPayout",
  Type.Object({
    payoutId: Uuid("the payout's id"),
    orderId: Type.Integer(),
    orderStatus: literals(ORDER_STATUSES),
    orderReason: nullable(literals(ADMIN_REASONS)),
    merchantId: Type.String({ description: "the merchant's client id" }),
    merchantName: Type.String(),
    purpose: literals(PAYOUT_PURPOSES),
    state: literals(PAYOUT_STATES),
    amount: ExactAmount,
    countsAsEuroCents: Type.Integer({ description: "the value that limits count" }),
    rail: Type.String({ description: "such as chain:bitcoin, bank:sepa or card" }),
    address: nullable(Type.String()),
    memo: nullable(Type.String()),
    waitsFor: nullable(Type.String()),
    wait: nullable(PayoutWait),
    stoppedBy: Type.Array(StopKey),
    approvedBy: Type.Array(Type.String()),
    approvalsNeeded: Type.Integer(),
    mayApprove: Type.Boolean({
      description: "you have the right, and neither approved it nor asked for it",
    }),
    transactionHash: nullable(Type.String()),
    releasedAt: nullable(Time("when it was released")),
    createdAt: Time("when it was owed"),
  }),
);
export type AdminPayout = Static<typeof AdminPayout>;

/** The payouts of one asset together. */
export const PayoutTotal = named(
  "PayoutTotal",
  Type.Object({
    amount: ExactAmount,
    count: Type.Integer(),
    countsAsEuroCents: Type.Integer({ description: "the value that limits count" }),
  }),
);
export type PayoutTotal = Static<typeof PayoutTotal>;

export const AdminStop = named(
  "AdminStop",
  Type.Object({
    kind: StopKind,
    subject: StopSubject,
    reason: Type.String(),
    setBy: Type.String(),
    since: Time("when it was set"),
    peopleToResume: Type.Integer(),
    agreed: Type.Array(Type.String(), { description: "the people who agreed to resume" }),
  }),
);
export type AdminStop = Static<typeof AdminStop>;

const Cents = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description });
const Limit = (description: string) =>
  nullable(Type.Integer({ description: `${description}, in euro cents; null without a limit` }));
const Released = (description: string) =>
  nullable(
    Type.Integer({
      description: `euro cents ${description}; null for the default, whose currencies are counted one by one`,
    }),
  );

/** The limits of payouts of one currency, of each currency without its own, or of all together. */
export const AdminPayoutLimits = named(
  "AdminPayoutLimits",
  Type.Object({
    kind: literals(["total", "default", "currency"]),
    currency: nullable(Type.String({ description: "the reference, such as btc" })),
    isSet: Type.Boolean({
      description: "false for built-in limits, and for a currency that has the default ones",
    }),
    payoutCents: Limit("the highest value of one payout"),
    hourCents: Limit("the highest total of an hour"),
    dayCents: Limit("the highest total of a day"),
    approvalAboveCents: Limit("a payout above it needs two people"),
    releasedHourCents: Released("released in the last hour"),
    releasedDayCents: Released("released in the last day"),
  }),
);
export type AdminPayoutLimits = Static<typeof AdminPayoutLimits>;

const TOTAL_FILTERS = {
  which: Type.Optional(literals(["waiting", "under_way"])),
  orderId: Type.Optional(OrderIdParams.properties.orderId),
};
const PAYOUT_FILTERS = Type.Object({
  ...TOTAL_FILTERS,
  currency: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 80 },
      description: "the reference of the currency that is paid, such as btc",
    }),
  ),
});
const PayoutParams = Type.Object({ payoutId: Uuid("the payout's id") });
const read = {
  caller: "person",
  kind: "operator",
  tag: "Payouts",
  permission: "payouts.read",
  errors: PERSON_ERRORS,
} as const;

export const ADMIN_PAYOUT_ENDPOINTS = {
  listPayouts: {
    ...read,
    operationId: "listPayouts",
    method: "GET",
    path: "/admin/payouts",
    summary: "List payouts and refunds under way",
    description:
      "The oldest first, at most 200: those that wait for a person, or all under way. `orderId` lists those of one order, and `currency` those of one currency.",
    query: PAYOUT_FILTERS,
    success: { status: 200, schema: listEnvelope(AdminPayout) },
  },
  readPayoutTotals: {
    ...read,
    operationId: "readPayoutTotals",
    method: "GET",
    path: "/admin/payouts/totals",
    summary: "Add up payouts and refunds under way by currency",
    description:
      "The exact sum of each currency, the highest value first. Unlike the list it has every payout, however many there are.",
    query: Type.Object(TOTAL_FILTERS),
    success: { status: 200, schema: listEnvelope(PayoutTotal) },
  },
  exportPayouts: {
    ...read,
    operationId: "exportPayouts",
    method: "GET",
    path: "/admin/payouts/export",
    summary: "Download the list of payouts as CSV",
    description: "The filters are those of the list. The oldest come first, at most 20,000.",
    query: PAYOUT_FILTERS,
    ...CSV_FILE,
  },
  listPayoutLimits: {
    ...read,
    operationId: "listPayoutLimits",
    method: "GET",
    path: "/admin/payouts/limits",
    summary: "List the limits of payouts, and the part that is used",
    description:
      "Of all currencies together, of each currency without limits of its own, and of each currency that has its own or paid out in the last day.",
    success: { status: 200, schema: listEnvelope(AdminPayoutLimits) },
  },
  lowerPayoutLimits: {
    ...read,
    operationId: "lowerPayoutLimits",
    method: "POST",
    path: "/admin/payouts/limits",
    permission: "payouts.stop",
    stepUp: true,
    summary: "Lower limits of payouts",
    description:
      "Limits that the body does not name do not change. The limits of a currency without its own begin as the default ones. From the answer on payouts are released against the new limits. A limit is raised or removed by `exchange payouts limits` only.",
    body: Type.Object(
      {
        kind: literals(["total", "default", "currency"]),
        currency: Type.Optional(
          Type.String({ maxLength: 80, description: "the reference; for the kind currency" }),
        ),
        payoutCents: Type.Optional(Cents("the highest value of one payout, in euro cents")),
        hourCents: Type.Optional(Cents("the highest total of an hour, in euro cents")),
        dayCents: Type.Optional(Cents("the highest total of a day, in euro cents")),
        approvalAboveCents: Type.Optional(Cents("a payout above it needs two people")),
        reason: Type.String({ minLength: 3, maxLength: 500 }),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: listEnvelope(AdminPayoutLimits) },
  },
  readPayout: {
    ...read,
    operationId: "readPayout",
    method: "GET",
    path: "/admin/payouts/{payoutId}",
    summary: "Read a payout",
    description: "Its destination, its value in euro and its approvals.",
    params: PayoutParams,
    success: { status: 200, schema: okEnvelope(AdminPayout) },
  },
  approvePayout: {
    ...read,
    operationId: "approvePayout",
    method: "POST",
    path: "/admin/payouts/{payoutId}/approve",
    permission: "payouts.approve",
    stepUp: true,
    summary: "Approve a payout",
    description:
      "It goes on when two different people have approved it. Nobody approves twice, or a refund that they asked for.",
    params: PayoutParams,
    body: Type.Object(
      {
        reason: Type.Optional(Type.String({ minLength: 3, maxLength: 500 })),
        ...WAIT_SEEN,
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(AdminPayout) },
  },
  listStops: {
    ...read,
    operationId: "listStops",
    method: "GET",
    path: "/admin/stops",
    summary: "List the stops in force",
    description: "The oldest first.",
    success: { status: 200, schema: listEnvelope(AdminStop) },
  },
  stopPayouts: {
    ...read,
    operationId: "stopPayouts",
    method: "POST",
    path: "/admin/stops",
    permission: "payouts.stop",
    summary: "Stop payouts",
    description:
      "After the answer no payout of the kind is released or signed until it is resumed.",
    body: Type.Object(
      {
        kind: StopKind,
        subject: StopSubject,
        reason: Type.String({ minLength: 3, maxLength: 500 }),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: listEnvelope(AdminStop) },
  },
  resumePayouts: {
    ...read,
    operationId: "resumePayouts",
    method: "POST",
    path: "/admin/stops/resume",
    permission: "payouts.approve",
    stepUp: true,
    summary: "Agree to resume stopped payouts",
    description:
      "A stop of all payouts or of a rail, and each stop by the service, ends when two people have agreed.",
    body: Type.Object(
      { kind: StopKind, subject: StopSubject, stopReason: StopReasonSeen },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: listEnvelope(AdminStop) },
  },
} as const satisfies Record<string, AdminEndpoint>;
