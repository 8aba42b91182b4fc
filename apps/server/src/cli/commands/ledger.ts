import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import { bookFloat } from "../../flows/payouts/book-float.ts";
import { listBreaks } from "../../storage/audit/breaks.ts";
import { checkLedger } from "../../storage/ledger/checks.ts";
import type { OnProgress } from "../../storage/ledger/entry-checks.ts";
import { listFloats } from "../../storage/ledger/house.ts";
import { type Command, type CommandContext, type CommandResult, UsageError } from "../command.ts";
import { AS, amountOrNone, LIMIT, limitOf, operatorOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withDatabase } from "../with-database.ts";
import { withFlows } from "../with-flows.ts";

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

export const ledgerFloat: Command = {
  name: "ledger float",
  summary: "List the house's capital, or book coins that you moved into or out of a wallet.",
  options: {
    currency: {
      value: "REF",
      description:
        "The coin on its network, such as btc or usdt-tron. Without it capital is listed.",
    },
    amount: { value: "AMOUNT", description: "How many, in whole coins." },
    transaction: {
      value: "HASH",
      description: "The transaction, or HASH:NUMBER for one of its outputs. Each is booked once.",
    },
    out: { description: "The coins left the wallet. Default: they came in." },
    limit: LIMIT,
    as: AS,
  },
  example: "ledger float --currency btc --amount 1.5 --transaction 4f3c1a9be02d7d41 --as anna",
  run: (context, input) => {
    const words = ["currency", "amount", "transaction"];
    const [currency, , transaction] = words.map((name) => input.one(name));
    const amount = amountOrNone(input, "amount");
    if (words.every((name) => input.one(name) === undefined))
      return showFloats(context, limitOf(input));
    if (!amount || currency === undefined || transaction === undefined) {
      throw new UsageError(
        "To book coins give --currency, --amount in whole coins such as 1.5, and --transaction.",
      );
    }
    const direction = input.hasFlag("out") ? "out" : "in";
    return withFlows(context, async (deps) => {
      const by = operatorOf(context, input);
      await bookFloat(deps, { currency, amount, transaction, direction, by });
      const json = { currency, transaction, direction };
      return { json, text: `Booked ${input.required("amount")} ${currency} ${direction}.` };
    });
  },
};

const showFloats = (context: CommandContext, limit: number): Promise<CommandResult> =>
  withFlows(context, async ({ database, catalogue }) => {
    const floats = (await listFloats(database, limit)).map(({ units, ...float }) => {
      const currency = catalogue().currencyByCodeOrReference(float.assetReference);
      const amount = currency ? unitsText(currency, units) : String(units);
      return { ...float, bookedAt: float.bookedAt.toISOString(), amount };
    });
    const rows = floats.map((one) => [one.bookedAt, one.amount, one.assetReference, one.key]);
    const text =
      rows.length === 0
        ? "No capital is booked."
        : table([["AT", "AMOUNT", "CURRENCY", "ENTRY"], ...rows]);
    return { json: floats, text };
  });

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
  summary:
    "List the open breaks found by the audit. Each stopped all payouts, or those of its network.",
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
