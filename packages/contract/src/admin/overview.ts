import { type Static, Type } from "@sinclair/typebox";
import { listEnvelope, okEnvelope } from "../envelopes.ts";
import { ORDER_STATUSES } from "../orders.ts";
import { PAGE_QUERY } from "../pages.ts";
import { literals, named, nullable, TimeInput } from "../schema.ts";
import { type AdminEndpoint, CSV_FILE, EXPORT_WORDS, PERSON_ERRORS } from "./endpoint.ts";
import { PayoutWait } from "./order-story.ts";
import { AdminStop } from "./payouts.ts";
import {
  ADMIN_REASONS,
  AUDIT_CHECKS,
  CHANGE_WAYS,
  CONTROL_ACTIONS,
  PAYOUT_STATES,
} from "./words.ts";

const Time = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` });
const Count = Type.Integer();
const Age = Type.Integer({ description: "seconds since the least recent change" });

/** A difference that the audit found and that is still there. */
export const OpenBreak = named(
  "OpenBreak",
  Type.Object({
    subject: Type.String(),
    check: literals(AUDIT_CHECKS),
    problem: Type.String(),
    foundAt: Time("when the audit found it"),
  }),
);
export type OpenBreak = Static<typeof OpenBreak>;

/** Everything that waits, is late or is stopped: the figures of `exchange status` without the age of prices. */
export const Overview = named(
  "Overview",
  Type.Object({
    needsPerson: Type.Boolean(),
    orders: Type.Array(
      Type.Object({
        status: literals(ORDER_STATUSES),
        reason: nullable(literals(ADMIN_REASONS)),
        count: Count,
        oldestSeconds: Age,
      }),
    ),
    payouts: Type.Array(
      Type.Object({
        state: literals(PAYOUT_STATES),
        waitsFor: nullable(Type.String()),
        wait: nullable(PayoutWait),
        count: Count,
        oldestSeconds: Age,
      }),
    ),
    proposals: Type.Object({
      count: Type.Integer({ description: "price changes that wait for another person's approval" }),
      oldestSeconds: Type.Integer({ description: "seconds since the oldest was proposed" }),
    }),
    stops: Type.Array(AdminStop),
    breaks: Type.Array(OpenBreak),
    alerts: Type.Array(
      Type.Object({
        cause: Type.String({ description: "such as rail_down:chain:ethereum" }),
        summary: Type.String(),
        beganAt: Time("when it began"),
      }),
      { description: "the causes of messages to the operator that have not ended" },
    ),
    networks: Type.Array(
      Type.Object({
        networkCode: Type.String(),
        problem: nullable(Type.String()),
        movedAt: Time("when a block was last read"),
      }),
    ),
    dueJobs: Count,
    jobsLateSeconds: nullable(Type.Integer()),
    pendingDeliveries: Count,
    deliveriesLateSeconds: nullable(Type.Integer()),
    failingEndpoints: Count,
    disabledEndpoints: Count,
    newestQuoteSeconds: nullable(Type.Integer()),
    lastDay: Type.Object({
      from: Time("the beginning of these hours, which is included"),
      before: Time("their end, which is not included"),
      placed: Count,
      completed: Count,
      refunded: Count,
      paidOut: Count,
      paidOutEuroCents: Type.Integer(),
    }),
  }),
);
export type Overview = Static<typeof Overview>;

/** A change that a person made, from the log that is never changed. */
export const LoggedChange = named(
  "LoggedChange",
  Type.Object({
    changeId: Type.Integer(),
    at: Time("when it was made"),
    person: Type.String(),
    via: literals(CHANGE_WAYS),
    account: nullable(Type.String()),
    address: nullable(
      Type.String({ description: "the network address that the request came from" }),
    ),
    action: literals(CONTROL_ACTIONS),
    subject: Type.String(),
    reason: nullable(Type.String()),
    changes: Type.Array(
      Type.Object({
        name: Type.String(),
        before: nullable(Type.String()),
        after: nullable(Type.String()),
      }),
    ),
  }),
);
export type LoggedChange = Static<typeof LoggedChange>;

const Filter = Type.String({ minLength: 1, maxLength: 128 });

const CHANGE_FILTERS = {
  person: Type.Optional(Filter),
  action: Type.Optional(Filter),
  subject: Type.Optional(Filter),
  from: Type.Optional(TimeInput()),
  before: Type.Optional(TimeInput()),
};

export const OVERVIEW_ENDPOINTS = {
  readOverview: {
    caller: "person",
    kind: "operator",
    tag: "Overview",
    permission: "overview.read",
    errors: PERSON_ERRORS,
    operationId: "readOverview",
    method: "GET",
    path: "/admin/overview",
    summary: "Read what waits, is late or is stopped",
    description: "The figures of `exchange status` without the age of prices.",
    success: { status: 200, schema: okEnvelope(Overview) },
  },
  listChanges: {
    caller: "person",
    tag: "Audit",
    permission: "audit.read",
    errors: PERSON_ERRORS,
    operationId: "listChanges",
    method: "GET",
    path: "/admin/audit",
    summary: "Search the log of changes",
    description:
      "The latest first: who changed what, from what to what, why and from where. A merchant's people see changes by people of their merchant.",
    query: Type.Object({ ...CHANGE_FILTERS, ...PAGE_QUERY }),
    success: { status: 200, schema: listEnvelope(LoggedChange) },
  },
  exportChanges: {
    caller: "person",
    tag: "Audit",
    permission: "audit.read",
    errors: PERSON_ERRORS,
    operationId: "exportChanges",
    method: "GET",
    path: "/admin/audit/export",
    summary: "Download the log of changes as CSV",
    description: EXPORT_WORDS,
    query: Type.Object(CHANGE_FILTERS),
    ...CSV_FILE,
  },
} as const satisfies Record<string, AdminEndpoint>;
