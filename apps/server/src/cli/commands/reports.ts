import {
  type Report,
  reportBalances,
  reportFees,
  reportPayouts,
} from "../../storage/audit/reports.ts";
import { type Command, type CommandContext, type CommandInput, UsageError } from "../command.ts";
import { ANY_CLIENT } from "../operator-options.ts";
import { csvFormat, jsonFormat } from "../report-format.ts";
import { dayOf } from "../times.ts";
import { withDatabase } from "../with-database.ts";

const OPTIONS = {
  from: { value: "DAY", required: true, description: "The first UTC day, such as 2026-01-01." },
  to: { value: "DAY", required: true, description: "The last UTC day, which is included." },
  client: ANY_CLIENT,
  format: { value: "FORMAT", description: "csv or json. Default: csv." },
} as const;

/** The columns of each report in their order. An empty report has them too. */
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
  summary: "Report each account's balance at the end of each UTC day, and its debits and credits.",
  options: OPTIONS,
  example: "reports balances --from 2026-01-01 --to 2026-01-31",
  run: (context, input) => write(context, input, { report: reportBalances, name: "balances" }),
};

export const reportsFees: Command = {
  name: "reports fees",
  summary: "Report the earnings of each exchange: spread, transaction fee, delivery fee.",
  options: OPTIONS,
  example: "reports fees --from 2026-01-01 --to 2026-01-31 --format json",
  run: (context, input) => write(context, input, { report: reportFees, name: "fees" }),
};

export const reportsPayouts: Command = {
  name: "reports payouts",
  summary: "Report every payout and refund of the time span, and its state.",
  options: OPTIONS,
  example: "reports payouts --from 2026-01-01 --to 2026-01-31",
  run: (context, input) => write(context, input, { report: reportPayouts, name: "payouts" }),
};

/** Writes each part of the report when it is read, so that a long report is never held in memory. */
async function write(
  context: CommandContext,
  input: CommandInput,
  { report, name }: { readonly report: Report; readonly name: keyof typeof COLUMNS },
) {
  const span = {
    fromDay: dayOf(input, "from"),
    toDay: dayOf(input, "to"),
    merchantId: input.one("client") ?? null,
  };
  if (span.fromDay > span.toDay)
    throw new UsageError("--from is after --to. Write the earlier day first.");
  const columns = COLUMNS[name];
  const format = isJson(context, input) ? jsonFormat(columns) : csvFormat(columns);
  await withDatabase(context, async ({ database }) => {
    await context.write(format.head);
    await report(database, span, (rows) => context.write(format.rows(rows)));
    await context.write(format.foot);
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
