import {
  type Database,
  type Queryable,
  type Statement,
  statement,
  type Tx,
} from "../postgres/database.ts";
import { DatabaseUnavailable } from "../postgres/unavailable.ts";

/** The span of a report: from one UTC day to another, both included, of one merchant or of all. */
export interface ReportSpan {
  /** As in `2026-01-31`. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly merchantId: string | null;
}

/** A line of a report: a text for each column, with exact amounts and UTC times. `id` is its position. */
export type ReportRow = Readonly<Record<string, string>>;

/** Takes rows as they are read, so that a report of years is never in memory as a whole. */
export type OnRows = (rows: readonly ReportRow[]) => Promise<void>;

/** The database that a report is read from. */
export interface ReportDatabase extends Database {
  /** Refuses a snapshot of a standby that does not follow the database. Absent for the database itself. */
  readonly requireFollowing?: (snapshot: Tx) => Promise<void>;
}

/** Reads a report from its first row to its last. */
export type Report = (database: ReportDatabase, span: ReportSpan, onRows: OnRows) => Promise<void>;

export const ROWS_AT_ONCE = 1_000;

const ENDED_BY_STANDBY =
  "The standby ended the report. Set hot_standby_feedback = on there, or ask for a shorter span.";
const SNAPSHOT = statement(
  "reports_snapshot",
  "set transaction isolation level repeatable read, read only",
);

/** Returns SQL that turns units into an exact amount: the digits move by the currency's decimals. */
export const COINS = (units: string, currency: string): string =>
  `trim_scale((${units})::numeric * power(10::numeric, -${currency}.decimals))::text`;
export const TIME = (column: string): string =>
  `coalesce(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')`;
/** Returns the condition that a time is on one of the UTC days from $1 to $2, both included. */
export const IN_SPAN = (column: string): string =>
  `${column} >= $1::date::timestamp at time zone 'UTC'
   and ${column} < ($2::date + 1)::timestamp at time zone 'UTC'`;

/** The entries of exchanges and of their reversals, as `e`. */
export const IS_EXCHANGE = "e.kind in ('exchange', 'reversal')";

/**
 * The earnings of an entry as `earned`: units of its asset, and of how many postings they are. `paid` is the
 * money that the customer gave for the exchange, and `owed` the money that the customer gets.
 */
export const EARNED = `cross join lateral (
     select coalesce(-sum(p.units) filter (where a.purpose = 'spread_revenue'), 0) as spread,
       coalesce(-sum(p.units) filter (where a.purpose = 'fee_revenue'), 0) as fee,
       coalesce(-sum(p.units) filter (where a.purpose = 'delivery_fee_revenue'), 0) as delivery,
       coalesce(sum(p.units) filter (where a.purpose = 'customer_funds'), 0) as paid,
       coalesce(-sum(p.units) filter (where a.purpose = 'customer_payable'), 0) as owed,
       count(*) filter (where a.purpose in ('spread_revenue', 'fee_revenue', 'delivery_fee_revenue'))
         as lines
     from ledger_postings p join ledger_accounts a on a.id = p.account_id
     where p.entry_id = e.id) earned`;

// OFFSET 0 keeps PostgreSQL from walking all entries by id (docs/internals/query-plans.md).
const BOUNDS = statement(
  "reports_entry_bounds",
  `select coalesce(min(id), 0)::text as low, coalesce(max(id), 0)::text as high from (
     select id from ledger_entries where ${IN_SPAN("effective_at")} offset 0) span`,
);

/** Returns the ids between which the span's entries are: after `first`, up to `high`. */
export async function readEntryBounds(
  tx: Queryable,
  fromDay: string,
  toDay: string,
): Promise<{ readonly first: string; readonly high: string }> {
  const [bounds] = await tx.query<{ low: string; high: string }>(BOUNDS, [fromDay, toDay]);
  const { low = "0", high = "0" } = bounds ?? {};
  return { first: String(BigInt(low) - 1n), high };
}

export type PageQuery = readonly [sql: Statement, values: readonly unknown[]];

interface Pages {
  /** Returns the query of the rows after an `id`. The first page is after "0". */
  readonly queryOf: (after: string) => PageQuery;
  readonly onRows: OnRows;
}

/** Reads a report page by page. Each row has its position as `id`. */
export async function readPages(tx: Tx, { queryOf, onRows }: Pages): Promise<void> {
  for (let after = "0"; ; ) {
    const rows = await tx.query<ReportRow>(...queryOf(after));
    if (rows.length > 0) await onRows(rows);
    const last = rows.at(-1)?.["id"];
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = last;
  }
}

/**
 * Reads in one read-only snapshot. Entries that are booked meanwhile belong to the next report. A standby may cancel a long
 * snapshot that conflicts with its replay. The report is not restarted, because its first rows were sent already.
 */
export function inSnapshot<Result>(
  database: ReportDatabase,
  read: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let isBegun = false;
  return database.transaction(async (tx) => {
    if (isBegun) throw new DatabaseUnavailable(ENDED_BY_STANDBY);
    isBegun = true;
    await tx.query(SNAPSHOT);
    await database.requireFollowing?.(tx);
    return read(tx);
  });
}
