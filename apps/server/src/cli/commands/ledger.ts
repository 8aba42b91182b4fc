import { listBreaks } from "../../storage/audit/breaks.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import type { OnProgress } from "../../storage/ledger/entry-checks.ts";
import type { Command } from "../command.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";

export const ledgerCheck: Command = {
  name: "ledger check",
  summary: "Check that the ledger is right: every entry balances and agrees with its order.",
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

/** Prints a line each second and one at the end of each part: a million orders take minutes. */
function progressEverySecond(print: (line: string) => void): OnProgress {
  let printedAtMs = 0;
  return ({ kind, done, of }) => {
    const nowMs = performance.now();
    if (done < of && nowMs - printedAtMs < 1_000) return;
    printedAtMs = nowMs;
    const percent = of === 0 ? 100 : Math.floor((done / of) * 100);
    print(`checking ${kind}: ${done} of ${of} (${percent} %)`);
  };
}

export const ledgerBreaks: Command = {
  name: "ledger breaks",
  summary: "List the open breaks found by the audit. Each has stopped all payouts.",
  options: { all: { description: "Also list breaks that no longer exist." } },
  example: "ledger breaks --all",
  run: (context, input) =>
    withDatabase(context, async ({ database }) => {
      const breaks = await listBreaks(database, input.hasFlag("all") ? "all" : "standing");
      const rows = breaks.map((one) => [
        one.foundAt.toISOString(),
        one.goneAt === null ? "open" : `gone ${one.goneAt.toISOString()}`,
        one.check,
        one.problem,
      ]);
      const text = table([["FOUND", "NOW", "CHECK", "PROBLEM"], ...rows]);
      return { json: breaks, text: rows.length === 0 ? "The audit found nothing wrong." : text };
    }),
};
