import type { Outgoing } from "@exchange/contract";
import {
  ADMIN_ENDPOINTS,
  type DaysReport,
  REPORT_ROWS_MAX,
  type ReportName,
  type ReportTotal,
  SPAN_DAYS_MAX,
} from "@exchange/contract/admin";
import { Refusal } from "../../flows/refusal.ts";
import {
  REPORTS,
  type ReportRow,
  type ReportSpan,
  readDays,
  readReport,
} from "../../flows/reports/read.ts";
import { csvFormat, jsonFormat } from "../report-format.ts";
import { ok } from "../wire.ts";
import type { AdminCaller } from "./callers.ts";
import type { AdminDeps, Download, RegisterAdmin } from "./registrar.ts";

/** Volume and fees, and the files of finance. */
export function registerReports(register: RegisterAdmin, deps: AdminDeps): void {
  register(ADMIN_ENDPOINTS.readDays, async ({ caller, query }) =>
    ok(await daysReport(deps, spanFor(caller, query))),
  );
  register(ADMIN_ENDPOINTS.downloadReport, ({ caller, params, query }) => {
    const { report } = params;
    if (report === "statement" || report === "balances") requireRight(caller);
    const span = spanFor(caller, query);
    return reportFile(deps, { report, span, format: query.format ?? "csv" });
  });
}

function requireRight(caller: AdminCaller): void {
  if (!caller.may("ledger.read")) throw new Refusal("ROLE_REQUIRED");
}

interface SpanQuery {
  readonly from: string;
  readonly to: string;
  readonly merchantId?: string | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Returns the span that a person may read: a merchant's people read their merchant. Refuses INVALID_INPUT for a day
 * that the calendar does not have, and for a span that is too long.
 */
export function spanFor(
  { merchantId }: Pick<AdminCaller, "merchantId">,
  query: SpanQuery,
): ReportSpan {
  const { from, to } = query;
  const times = [from, to].map((day) => Date.parse(`${day}T00:00:00Z`));
  const [first = Number.NaN, last = Number.NaN] = times;
  const areDays = [from, to].every((day, index) => isDay(day, times[index] ?? Number.NaN));
  const days = (last - first) / DAY_MS + 1;
  if (areDays && days >= 1 && days <= SPAN_DAYS_MAX) {
    return { fromDay: from, toDay: to, merchantId: merchantId ?? query.merchantId ?? null };
  }
  throw new Refusal("INVALID_INPUT", {
    message: `${from} to ${to} is not a span of days. Write two days of the calendar, the earlier one first, at most ${SPAN_DAYS_MAX} days.`,
  });
}

/** 2026-02-30 is parsed as a day of March. */
const isDay = (day: string, time: number): boolean =>
  !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);

export async function daysReport(deps: AdminDeps, span: ReportSpan): Promise<Outgoing<DaysReport>> {
  const { days, totals } = await readDays(deps, span);
  return {
    from: span.fromDay,
    to: span.toDay,
    days: days.map((row) => ({ day: row["day"] ?? "", ...figures(row) })),
    totals: totals.map(figures),
  };
}

const figures = (row: ReportRow): ReportTotal => {
  const text = (name: string): string => row[name] ?? "";
  return {
    operation: text("operation") as ReportTotal["operation"],
    currency: text("currency"),
    orders: Number(text("orders")),
    volume: text("volume"),
    delivered: text("delivered"),
    spread: text("spread"),
    transactionFee: text("transactionFee"),
    deliveryFee: text("deliveryFee"),
    fees: text("fees"),
  };
};

interface ReportFile {
  readonly report: ReportName;
  readonly span: ReportSpan;
  readonly format: "csv" | "json";
}

/**
 * Makes the whole file before its first byte is sent. No snapshot of the database stays open while a browser reads
 * slowly. A report that fails is an error and not a short file.
 */
async function reportFile(
  deps: AdminDeps,
  { report, span, format: name }: ReportFile,
): Promise<Download> {
  const { columns } = REPORTS[report];
  const format = name === "csv" ? csvFormat(columns) : jsonFormat(columns);
  const parts = [format.head];
  let count = 0;
  await readReport(deps, report, span, async (rows) => {
    count += rows.length;
    if (count > REPORT_ROWS_MAX) throw tooLong(report);
    parts.push(format.rows(rows));
  });
  return {
    name: `${report}-${span.fromDay}-${span.toDay}.${name}`,
    type: name === "csv" ? "text/csv" : "application/json",
    parts: [...parts, format.foot],
  };
}

const tooLong = (report: ReportName): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `The report has more than ${REPORT_ROWS_MAX} rows, which is the most that the console sends. Choose fewer days, or run on the server: exchange reports ${report}`,
  });
