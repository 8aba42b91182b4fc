import { checkLedger } from "../../storage/ledger.ts";
import type { Command } from "../command.ts";
import { withDatabase } from "../with-database.ts";

export const ledgerCheck: Command = {
  name: "ledger check",
  summary: "Check that the books hold: every entry balances and agrees with its order.",
  options: {},
  example: "ledger check --json",
  run: (context) =>
    withDatabase(context, async ({ database }) => {
      context.progress("checking the ledger");
      const report = await checkLedger(database);
      const problems = report.problems.map(({ check, problem }) => `  ${check}: ${problem}`);
      const head = `${report.entries} entries, ${report.postings} postings`;
      const text = report.ok
        ? `The ledger is right: ${head}.`
        : [`The ledger is wrong (${head}):`, ...problems].join("\n");
      return { json: report, text, ok: report.ok };
    }),
};
