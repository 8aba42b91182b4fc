import { REPORTS } from "../../flows/reports/read.ts";
import { reportSource } from "../../flows/reports/source.ts";
import { csvFormat, jsonFormat } from "../../http/report-format.ts";
import { openStandby } from "../../start/database-server.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { type Command, type CommandContext, type CommandInput, UsageError } from "../command.ts";
import { ANY_CLIENT } from "../operator-options.ts";
import { dayOf } from "../times.ts";
import { withDatabase } from "../with-database.ts";

const OPTIONS = {
  from: { value: "DAY", required: true, description: "The first UTC day, such as 2026-01-01." },
  to: { value: "DAY", required: true, description: "The last UTC day, which is included." },
  client: ANY_CLIENT,
  format: { value: "FORMAT", description: "csv or json. Default: csv." },
} as const;

const makeReport = (name: keyof typeof REPORTS, summary: string, format = ""): Command => ({
  name: `reports ${name}`,
  summary,
  options: OPTIONS,
  example: `reports ${name} --from 2026-01-01 --to 2026-01-31${format}`,
  run: (context, input) => write(context, input, name),
});

export const reportsBalances = makeReport(
  "balances",
  "Report each account's balance at the end of each UTC day, and its debits and credits.",
);
export const reportsDays = makeReport(
  "days",
  "Report volume and earnings by UTC day, operation and currency.",
);
export const reportsFees = makeReport(
  "fees",
  "Report the earnings of each exchange: spread, transaction fee, delivery fee.",
  " --format json",
);
export const reportsPayouts = makeReport(
  "payouts",
  "Report every payout and refund of the time span, and its state.",
);
export const reportsStatement = makeReport(
  "statement",
  "Report the opening balances, every posting with its order, and the closing balances.",
  " --client client_dev_01HY",
);

/** Writes each part of the report when it is read, so that a long report is never held in memory. */
async function write(context: CommandContext, input: CommandInput, name: keyof typeof REPORTS) {
  const span = {
    fromDay: dayOf(input, "from"),
    toDay: dayOf(input, "to"),
    merchantId: input.one("client") ?? null,
  };
  if (span.fromDay > span.toDay)
    throw new UsageError("--from is after --to. Write the earlier day first.");
  const { columns, read } = REPORTS[name];
  const format = isJson(context, input) ? jsonFormat(columns) : csvFormat(columns);
  await withDatabase(context, async ({ database }) => {
    await readFrom(context, database, async (source) => {
      await context.write(format.head);
      await read(source, span, (rows) => context.write(format.rows(rows)));
    });
    await context.write(format.foot);
  });
  return { json: null, text: "", written: true };
}

/** Reads from the standby that the settings name, or else from the service's own database. */
async function readFrom(
  context: CommandContext,
  database: Database,
  read: (source: Database) => Promise<void>,
): Promise<void> {
  const standby = openStandby(context.config());
  try {
    await read(await reportSource({ database, standby }));
  } finally {
    await standby?.close();
  }
}

function isJson(context: CommandContext, input: CommandInput): boolean {
  const format = input.one("format") ?? (context.json ? "json" : "csv");
  if (format !== "csv" && format !== "json") {
    throw new UsageError(`--format must be csv or json, not "${format}".`);
  }
  return format === "json";
}
