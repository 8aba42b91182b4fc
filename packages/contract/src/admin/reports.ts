import { type Static, Type } from "@sinclair/typebox";
import { okEnvelope } from "../envelopes.ts";
import { literals, matching, named } from "../schema.ts";
import { type AdminEndpoint, PERSON_ERRORS } from "./endpoint.ts";
import { OPERATION_NAMES } from "./order-story.ts";

const Day = (description: string) =>
  matching("^20[0-9]{2}-[0-9]{2}-[0-9]{2}$", "a UTC day such as 2026-01-31", {
    description: `a UTC day such as 2026-01-31; ${description}`,
  });

/** The members of a query that name a span of days. */
export const SPAN_QUERY = {
  from: Day("the first one"),
  to: Day("the last one, which is included"),
  merchantId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "a client id; a merchant's people always read their own",
    }),
  ),
};

/** The most days of one report. */
export const SPAN_DAYS_MAX = 366;

/** The most rows of a report in one file. A longer report is refused, never cut. */
export const REPORT_ROWS_MAX = 100_000;

const Coins = (description: string) =>
  Type.String({ description: `${description}, exact and in whole coins` });

const FIGURES = {
  operation: literals([...OPERATION_NAMES, ""], {
    description: "empty for entries without an order",
  }),
  currency: Type.String({ description: "the currency's reference, such as btc" }),
  orders: Type.Integer({
    description: "orders exchanged whose customer paid in it, less those that were reversed",
  }),
  volume: Coins("money that customers paid in it for those orders"),
  delivered: Coins("money that customers were owed in it by exchanges"),
  spread: Coins("earned as spread"),
  transactionFee: Coins("earned as transaction fees"),
  deliveryFee: Coins("earned as delivery fees"),
  fees: Coins("the three together"),
};

/** The exchanges of a day in one operation and currency. Each figure is a sum of the ledger's postings. */
export const ReportDay = named(
  "ReportDay",
  Type.Object({ day: Type.String({ description: "such as 2026-01-31" }), ...FIGURES }),
);
export type ReportDay = Static<typeof ReportDay>;

export const ReportTotal = named("ReportTotal", Type.Object(FIGURES));
export type ReportTotal = Static<typeof ReportTotal>;

export const DaysReport = named(
  "DaysReport",
  Type.Object({
    from: Type.String(),
    to: Type.String(),
    days: Type.Array(ReportDay, { description: "days without an exchange are left out" }),
    totals: Type.Array(ReportTotal),
  }),
);
export type DaysReport = Static<typeof DaysReport>;

/** The reports that can be downloaded. A statement and balances are of one merchant for its own people. */
export const REPORT_NAMES = ["days", "fees", "payouts", "balances", "statement"] as const;
export type ReportName = (typeof REPORT_NAMES)[number];

export const REPORT_FORMATS = ["csv", "json"] as const;

const read = {
  caller: "person",
  tag: "Reports",
  permission: "reports.read",
  errors: PERSON_ERRORS,
  method: "GET",
} as const;

export const REPORT_ENDPOINTS = {
  readDays: {
    ...read,
    operationId: "readDays",
    path: "/admin/reports/days",
    summary: "Read volume and fees by day, operation and currency",
    description: `Each figure is a sum of the ledger, for at most ${SPAN_DAYS_MAX} days. A reversed exchange counts against its day. The same rows as the file \`days\`.`,
    query: Type.Object(SPAN_QUERY),
    success: { status: 200, schema: okEnvelope(DaysReport) },
  },
  downloadReport: {
    ...read,
    operationId: "downloadReport",
    path: "/admin/reports/{report}/download",
    summary: "Download a report",
    description: `The same rows as \`exchange reports\`, as CSV or JSON. More than ${REPORT_ROWS_MAX} rows are refused: choose a shorter span, or run the command.`,
    params: Type.Object({ report: literals(REPORT_NAMES) }),
    query: Type.Object({ ...SPAN_QUERY, format: Type.Optional(literals(REPORT_FORMATS)) }),
    download: ["text/csv", "application/json"],
    success: { status: 200, schema: Type.String() },
  },
} as const satisfies Record<string, AdminEndpoint>;
