import {
  type Report,
  type ReportRow,
  reportBalances,
  reportFees,
  reportPayouts,
} from "../../storage/audit/reports.ts";
import { UsageError } from "../arguments.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { csvLine } from "../csv.ts";
import { withDatabase } from "../with-database.ts";

const OPTIONS = {
  from: { value: "DAY", required: true, description: "The first UTC day, such as 2026-01-01." },
  to: { value: "DAY", required: true, description: "The last UTC day, included." },
  merchant: { value: "ID", description: "One merchant's client id; all merchants when left out." },
  format: { value: "FORMAT", description: "csv or json; csv when left out." },
} as const;

/** Columns of each report in the order they are written. An empty report has them too. */
const COLUMNS = {
  balances: ["day", "merchant", "account", "currency", "debits", "credits", "balance"],
  fees: [
    ...["time", "merchant", "order", "operation", "currency"],
    ...["spread", "transactionFee", "deliveryFee", "total", "note"],
  ],
  payouts: [
    ...["created", "payout", "merchant", "order", "purpose", "rail", "network", "currency"],
    ...["amount", "euroValue", "state", "reason", "released", "reference"],
  ],
} as const satisfies Record<string, readonly string[]>;

export const reportsBalances: Command = {
  name: "reports balances",
  summary: "What every account held at the end of each UTC day, and what moved on it.",
  options: OPTIONS,
  example: "reports balances --from 2026-01-01 --to 2026-01-31",
  run: (context, input) => write(context, input, { report: reportBalances, name: "balances" }),
};

export const reportsFees: Command = {
  name: "reports fees",
  summary: "What was earned with each exchange: spread, transaction fee, delivery fee.",
  options: OPTIONS,
  example: "reports fees --from 2026-01-01 --to 2026-01-31 --format json",
  run: (context, input) => write(context, input, { report: reportFees, name: "fees" }),
};

export const reportsPayouts: Command = {
  name: "reports payouts",
  summary: "Every payout and refund that was owed in the span, and how far it is.",
  options: OPTIONS,
  example: "reports payouts --from 2026-01-01 --to 2026-01-31",
  run: (context, input) => write(context, input, { report: reportPayouts, name: "payouts" }),
};

/** Writes the report while it is read: however long it is, it is never held whole. */
async function write(
  context: CommandContext,
  input: CommandInput,
  what: { readonly report: Report; readonly name: keyof typeof COLUMNS },
) {
  const span = {
    fromDay: dayOf(input, "from"),
    toDay: dayOf(input, "to"),
    merchantId: input.one("merchant") ?? null,
  };
  if (span.fromDay > span.toDay) throw new UsageError("--from is after --to.");
  const columns = COLUMNS[what.name];
  const form = isJson(context, input) ? jsonForm(columns) : csvForm(columns);
  await withDatabase(context, async ({ database }) => {
    await context.write(form.head);
    await what.report(database, span, (rows) => context.write(form.rows(rows)));
    await context.write(form.foot);
  });
  return { json: null, text: "", written: true };
}

function isJson(context: CommandContext, input: CommandInput): boolean {
  const format = input.one("format") ?? (context.json ? "json" : "csv");
  if (format !== "csv" && format !== "json") {
    throw new UsageError(`--format must be csv or json, not "${format}".`);
  }
  return format === "json";
}

/** A real day of the calendar: 2026-02-30 is none. */
function dayOf(input: CommandInput, name: string): string {
  const text = input.required(name);
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
  throw new UsageError(`--${name} must be a day such as 2026-01-31, not "${text}".`);
}

interface Form {
  readonly head: string;
  readonly rows: (rows: readonly ReportRow[]) => string;
  readonly foot: string;
}

const csvForm = (columns: readonly string[]): Form => ({
  head: csvLine(columns),
  rows: (rows) => rows.map((row) => csvLine(columns.map((name) => row[name] ?? ""))).join(""),
  foot: "",
});

/** One array, a row on each line. Amounts are texts: JSON numbers lose digits. */
function jsonForm(columns: readonly string[]): Form {
  let before = "[\n";
  return {
    head: "",
    rows: (rows) =>
      rows
        .map((row) => {
          const members = Object.fromEntries(columns.map((name) => [name, row[name] ?? ""]));
          const line = `${before}${JSON.stringify(members)}`;
          before = ",\n";
          return line;
        })
        .join(""),
    get foot() {
      return before === "[\n" ? "[]\n" : "\n]\n";
    },
  };
}
