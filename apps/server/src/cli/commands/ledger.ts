import { listBreaks } from "../../storage/audit/breaks.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import type { OnProgress } from "../../storage/ledger/entry-checks.ts";
import type { Command } from "../command.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";

export const ledgerCheck: Command = {
  name: "ledger check",
  summary: "Check that the books hold: every entry balances and agrees with its order.",
  options: {},
  example: "ledger check --json",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      const report = await checkLedger(database, progressEverySecond(context.progress));
      const problems = report.problems.map(({ check, problem }) => `  ${check}: ${problem}`);
      const head = `${report.orders} orders, ${report.entries} entries, ${report.postings} postings`;
      const text = report.ok
        ? `The ledger is right: ${head}.`
        : [`The ledger is wrong (${head}):`, ...problems].join("\n");
      return { json: report, text, ok: report.ok };
    }),
};

/** A million orders take minutes: a line a second, and one at the end of each part. */
function progressEverySecond(print: (line: string) => void): OnProgress {
  let toldAtMs = 0;
  return ({ what, done, of }) => {
    const nowMs = performance.now();
    if (done < of && nowMs - toldAtMs < 1_000) return;
    toldAtMs = nowMs;
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    print(`checking ${what}: ${done} of ${of} (${percent} %)`);
  };
}

export const ledgerBreaks: Command = {
  name: "ledger breaks",
  summary: "List what the running audit found wrong and still is; each has stopped all payouts.",
  options: { all: { description: "Also what is right again." } },
  example: "ledger breaks --all",
  run: (context, input) =>
    withDatabase(context, async ({ database }) => {
      const breaks = await listBreaks(database, input.has("all") ? "all" : "standing");
      const rows = breaks.map((one) => [
        one.foundAt.toISOString(),
        one.goneAt === null ? "stands" : `gone ${one.goneAt.toISOString()}`,
        one.check,
        one.problem,
      ]);
      const text = table([["FOUND", "NOW", "CHECK", "PROBLEM"], ...rows]);
      return { json: breaks, text: rows.length === 0 ? "The audit found nothing wrong." : text };
    }),
};
