import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { unitsText } from "../../domain/catalogue/exact-amount.ts";
import type { Operator } from "../../domain/operators/operator.ts";
import type { Deps } from "../../flows/deps.ts";
import { type Difference, listDifferences } from "../../flows/history/differences.ts";
import type { RailLine } from "../../flows/history/rail-lines.ts";
import { adoptLine, bookLine, finishReconciling } from "../../flows/history/reconcile.ts";
import { WHY, whyRestored } from "../../start/follow-history.ts";
import { HISTORY_FILE, openHistoryFile } from "../../start/history-file.ts";
import { readAuditTimes } from "../../storage/audit/progress.ts";
import { readHistory } from "../../storage/history.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { type Command, type CommandInput, UsageError } from "../command.ts";
import { bad, type Finding, good, unread } from "../finding.ts";
import { AS, operatorOf } from "../operator-options.ts";
import { table } from "../table.ts";
import { withFlows } from "../with-flows.ts";
import { isAnswering } from "./service.ts";

export const payoutsReconcile: Command = {
  name: "payouts reconcile",
  summary:
    "List the rails' movements that the books do not have, and adopt or book them after a restore.",
  options: {
    since: {
      value: "TIME",
      description:
        "Statements from this time on, such as 2026-01-31T12:00Z. Default: the last comparison that the database has.",
    },
    adopt: { description: "Adopt every payment of an order that is in the books." },
    book: {
      value: "REFERENCE",
      multiple: true,
      description: "Book a line of a lost order against suspense, or `all` such payments.",
    },
    client: {
      value: "ID",
      description: "The merchant of the lines that are booked. Default: the only merchant.",
    },
    as: AS,
  },
  example: "payouts reconcile --adopt --book all --as anna",
  run: (context, input) =>
    withFlows(context, async (deps) => {
      const since = await sinceOf(deps, input);
      const operator = operatorOf(context, input);
      const books = input.many("book");
      const isChanging = input.hasFlag("adopt") || books.length > 0;
      const found = await listDifferences(deps, since);
      if (input.hasFlag("adopt")) await adoptAll(deps, found, operator);
      if (books.length > 0) {
        await bookAll(deps, chosen(found, books), {
          merchantId: await clientOf(deps, input),
          operator,
        });
      }
      const wasRestored = (await readHistory(deps.database)).restoredWhy !== null;
      const left = isChanging ? await finishReconciling(deps, { since, operator }) : found;
      const { restoredWhy } = await readHistory(deps.database);
      const end = wasRestored && restoredWhy === null ? RECONCILED : "";
      const text = [describe(deps, left), advise(left, restoredWhy), end]
        .filter(Boolean)
        .join("\n\n");
      const json = { since: since.toISOString(), restored: restoredWhy, left: left.map(show) };
      return { json, text, ok: restoredWhy === null };
    }),
};

const RECONCILED =
  "Reconciled. Webhooks go out again. Two people now run: exchange payouts resume --all";

async function sinceOf({ database }: Deps, input: CommandInput): Promise<Date> {
  const text = input.one("since");
  if (text === undefined) {
    return (
      (await readHistory(database)).comparedUntil ??
      (await readAuditTimes(database)).railsComparedAt
    );
  }
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time);
  throw new UsageError(`--since must be a time such as 2026-01-31T12:00Z, not "${text}".`);
}

async function clientOf({ database }: Deps, input: CommandInput): Promise<string> {
  const named = input.one("client");
  if (named !== undefined) return named;
  const [merchant, ...others] = await listMerchants(database);
  if (merchant && others.length === 0) return merchant.id;
  throw new UsageError(
    "There are several merchants. Name the one of the booked lines with --client.",
  );
}

async function adoptAll(
  deps: Deps,
  differences: readonly Difference[],
  operator: Operator,
): Promise<void> {
  for (const difference of differences) {
    const { cure } = difference;
    if (cure === "adopt_payout" || cure === "adopt_capture") {
      await adoptLine(deps, difference, operator);
    }
  }
}

async function bookAll(
  deps: Deps,
  lines: readonly RailLine[],
  by: { readonly merchantId: string; readonly operator: Operator },
): Promise<void> {
  for (const line of lines) await bookLine(deps, line, by);
}

/** Returns the lines to book. A deposit is booked only by its name, because an order may still find it. */
function chosen(differences: readonly Difference[], books: readonly string[]): RailLine[] {
  const bookable = differences.filter(({ cure }) => cure === "book").map(({ line }) => line);
  const named = bookable.filter(({ reference }) => books.includes(reference));
  const missing = books.filter(
    (name) => name !== "all" && !bookable.some(({ reference }) => reference === name),
  );
  if (missing.length > 0) {
    throw new UsageError(
      `"${missing[0]}" is not a line that can be booked. Run the command without --book: it lists them.`,
    );
  }
  if (!books.includes("all")) return named;
  return [...new Set([...named, ...bookable.filter(({ kind }) => kind !== "deposit")])];
}

const CURES: Readonly<Record<Difference["cure"], string>> = {
  adopt_payout: "--adopt",
  adopt_capture: "--adopt",
  await_order: "its order makes it again",
  await_rail: "the rail has not finished it",
  book: "--book",
};

const orderIdOf = (difference: Difference): bigint | undefined => {
  if (difference.cure === "adopt_payout") return difference.intent.orderId;
  return "order" in difference ? difference.order.id : undefined;
};

function show(difference: Difference) {
  const { line, cure } = difference;
  const orderId = orderIdOf(difference);
  return {
    kind: line.kind,
    rail: line.rail,
    source: line.source,
    reference: line.reference,
    railReference: line.railReference,
    state: line.state,
    currency: line.assetReference,
    orderId: orderId === undefined ? null : Number(orderId),
    cure,
  };
}

function amountWords({ catalogue }: Deps, { amount, assetReference }: RailLine): string {
  const currency = catalogue().currencyByCodeOrReference(assetReference);
  if ("coins" in amount) return `${amount.coins} ${assetReference}`;
  if (!currency) return `${amount.units} units of ${assetReference}`;
  return `${unitsText(currency, amount.units)} ${assetReference}`;
}

function describe(deps: Deps, differences: readonly Difference[]): string {
  if (differences.length === 0) return "The books have every payment of the rails' statements.";
  const rows = differences.map((difference) => [
    difference.line.kind,
    difference.line.source,
    difference.line.reference,
    difference.line.state,
    amountWords(deps, difference.line),
    String(orderIdOf(difference) ?? ""),
    CURES[difference.cure],
  ]);
  return table([["LINE", "AT", "REFERENCE", "STATE", "AMOUNT", "ORDER", "TO DO"], ...rows]);
}

function advise(left: readonly Difference[], restoredWhy: string | null): string {
  const orders = left.flatMap((difference) =>
    difference.cure === "await_order" ? [adviceOf(difference)] : [],
  );
  if (restoredWhy === null) return orders.join("\n");
  const end =
    left.length > 0
      ? `The database was restored: ${restoredWhy}. Adopt or book the lines with the options under TO DO; --adopt and \`--book all\` do so for all. Run the command again until no payment is left.`
      : `The database was restored: ${restoredWhy}. Nothing is left to adopt. Run exchange payouts reconcile --adopt --as NAME to declare the database reconciled.`;
  return [...orders, end].join("\n");
}

function adviceOf(difference: Extract<Difference, { cure: "await_order" }>): string {
  const { id, status } = difference.order;
  if (difference.purpose === "refund") {
    return `Order ${id} is ${status} and was refunded: request its refund again (orders refund ${id}). It is adopted and not sent again.`;
  }
  return status === "in_review"
    ? `Order ${id} is in_review and was paid out: release it (orders release ${id}). Its payout is adopted and not sent again.`
    : `Order ${id} is ${status} and was paid out. It is driven again by the running service; wait a moment.`;
}

const NEXT_START =
  "The next start takes this database for a restored one and stops all payouts (docs/operating/back-up.md).";

/** A running service stores its mark each second. */
const UNSTORED_MINUTES_MAX = 1;
const STORE_AGAIN =
  "Free space on the disk of EXCHANGE_DATA_DIR, or make the folder writable. Until then a restore may not be noticed.";

const minutesSinceStored = ({ dataDir }: Config): number =>
  (Date.now() - statSync(join(dataDir, HISTORY_FILE)).mtimeMs) / 60_000;

/** The check of `exchange doctor`: a restored database pays nothing until it is reconciled. */
export async function examineHistory(database: Database, config: Config): Promise<Finding> {
  const check = "history";
  try {
    const { installation } = await readHistory(database);
    const remembered = openHistoryFile(config.dataDir).read(installation);
    // A running service raises the mark of the database before the file's, so the database is read last.
    const history = await readHistory(database);
    const { restoredWhy } = history;
    if (restoredWhy !== null) {
      const fix = "Run: exchange payouts reconcile (docs/operating/back-up.md).";
      return bad(check, `the database was restored: ${restoredWhy}`, fix);
    }
    const isEmbedded = config.databaseUrl === undefined;
    const why = whyRestored(history, remembered, { isEmbedded });
    if (why === undefined && remembered !== undefined && remembered < history.mark) {
      const minutes = minutesSinceStored(config);
      if (minutes > UNSTORED_MINUTES_MAX && (await isAnswering(config))) {
        const found = `the running service has not stored its mark in history.json for ${minutes.toFixed(1)} minutes`;
        return bad(check, found, STORE_AGAIN);
      }
    }
    if (why === undefined) return good(check, "the database is up to date");
    const found =
      why === WHY.noFile && !existsSync(join(config.dataDir, HISTORY_FILE))
        ? "the data folder has no history.json"
        : why;
    return bad(check, found, NEXT_START);
  } catch (error) {
    return unread(check, error);
  }
}
