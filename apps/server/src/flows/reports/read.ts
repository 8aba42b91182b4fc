import { type EntrySearch, type FoundEntry, searchEntries } from "../../storage/ledger/search.ts";
import {
  reportBalances,
  reportStatement,
  reportStatementSums,
} from "../../storage/reports/balance-reports.ts";
import type { OnRows, Report, ReportRow, ReportSpan } from "../../storage/reports/report-parts.ts";
import {
  type Conversion,
  readConversion,
  reportDays,
  reportFees,
  reportPayouts,
} from "../../storage/reports/reports.ts";
import type { Deps } from "../deps.ts";
import { makeTurns } from "../in-turn.ts";
import { type Page, pageOf } from "../page.ts";
import { reportSource } from "./source.ts";

export type { FoundEntry } from "../../storage/ledger/search.ts";
export type { OnRows, ReportRow, ReportSpan } from "../../storage/reports/report-parts.ts";

interface ReportKind {
  /** The columns in their order. An empty report has them too. */
  readonly columns: readonly string[];
  readonly read: Report;
}

const FEES = ["spread", "transactionFee", "deliveryFee"] as const;

/** The reports of the command line and of the console. */
export const REPORTS = {
  balances: {
    columns: ["day", "merchant", "account", "currency", "debits", "credits", "balance"],
    read: reportBalances,
  },
  days: {
    columns: ["day", "operation", "currency", "orders", "volume", "delivered", ...FEES, "fees"],
    read: (database, span, onRows) =>
      reportDays(database, span, (rows) => onRows(rows.filter(({ day }) => day !== ""))),
  },
  fees: {
    columns: [
      ...["time", "merchant", "order", "operation", "currency"],
      ...[...FEES, "total", "note"],
    ],
    read: reportFees,
  },
  payouts: {
    columns: [
      ...["created", "payout", "merchant", "order", "purpose", "rail", "network", "currency"],
      ...["amount", "euroValue", "state", "reason", "released", "reference"],
    ],
    read: reportPayouts,
  },
  statement: {
    columns: [
      ...["time", "merchant", "order", "session", "kind", "entry"],
      ...["account", "currency", "amount"],
    ],
    read: reportStatement,
  },
} as const satisfies Record<string, ReportKind>;

type ReportDeps = Pick<Deps, "database" | "standby">;

const inTurn = makeTurns({
  turnsMax: 5,
  message: "Other reports are being read. Try again in a few seconds.",
});

/** Reads a report of the console, after those that others asked for. Refuses SERVICE_UNAVAILABLE. */
export async function readReport(
  deps: ReportDeps,
  report: keyof typeof REPORTS,
  span: ReportSpan,
  onRows: OnRows,
): Promise<void> {
  await inTurn(async () => REPORTS[report].read(await reportSource(deps), span, onRows));
}

/** Reads volume and fees by day, and their totals. */
export async function readDays(
  deps: ReportDeps,
  span: ReportSpan,
): Promise<{ readonly days: readonly ReportRow[]; readonly totals: readonly ReportRow[] }> {
  const rows = await gather(deps, span, reportDays);
  return {
    days: rows.filter(({ day }) => day !== ""),
    totals: rows.filter(({ day }) => day === ""),
  };
}

/** Reads the opening and closing sums of a statement. */
export const readStatementSums = (
  deps: ReportDeps,
  span: ReportSpan,
): Promise<readonly ReportRow[]> => gather(deps, span, reportStatementSums);

/** Reads how many of the sessions of a span have an order, and a completed one. */
export const readSessions = (deps: ReportDeps, span: ReportSpan): Promise<Conversion> =>
  inTurn(async () => readConversion(await reportSource(deps), span));

const searchInTurn = makeTurns({
  turnsMax: 5,
  message: "Other searches of the ledger are under way. Try again in a few seconds.",
});

/**
 * Searches one page of the ledger, the latest entry first. A filter that matches little reads the whole span, so
 * searches take turns. Refuses SERVICE_UNAVAILABLE.
 */
export async function searchLedger(
  { database }: Pick<Deps, "database">,
  search: EntrySearch,
): Promise<Page<FoundEntry, FoundEntry>> {
  const wanted = { ...search, limit: search.limit + 1 };
  const found = await searchInTurn(() => searchEntries(database, wanted));
  return pageOf(found, search.limit);
}

async function gather(
  deps: ReportDeps,
  span: ReportSpan,
  read: Report,
): Promise<readonly ReportRow[]> {
  const found: ReportRow[] = [];
  await inTurn(async () =>
    read(await reportSource(deps), span, async (rows) => void found.push(...rows)),
  );
  return found;
}
