import { foldBalances } from "../ledger/fold.ts";
import { type Database, type Statement, statement, type Tx } from "../postgres/database.ts";

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

/** Reads a report from its first row to its last. */
export type Report = (database: Database, span: ReportSpan, onRows: OnRows) => Promise<void>;

const ROWS_AT_ONCE = 1_000;

const SNAPSHOT = statement(
  "reports_snapshot",
  "set transaction isolation level repeatable read, read only",
);

/** Returns SQL that turns units into an exact amount: the digits move by the currency's decimals. */
const COINS = (units: string, currency: string): string =>
  `trim_scale((${units})::numeric * power(10::numeric, -${currency}.decimals))::text`;
const TIME = (column: string): string =>
  `coalesce(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')`;
/** Returns the condition that a time is on one of the UTC days from $1 to $2, both included. */
const IN_SPAN = (column: string): string =>
  `${column} >= $1::date::timestamp at time zone 'UTC'
   and ${column} < ($2::date + 1)::timestamp at time zone 'UTC'`;

const DAYS = statement(
  "reports_days",
  `select day::date::text as day from generate_series($1::date, $2::date, '1 day') day order by 1`,
);
const FOLD = statement(
  "reports_fold",
  `select case when counted_entry_id >= base_entry_id then watermark::text else '0' end as watermark,
     counted_entry_id::text as base
   from ledger_fold where cluster = ledger_cluster()`,
);
// The sums by day that are folded, and the short tail of entries that are not.
const BALANCES = statement(
  "reports_balances",
  `with tail as materialized (
     select p.account_id, (e.effective_at at time zone 'UTC')::date as day, p.units
     from ledger_entries e join ledger_postings p on p.entry_id = e.id
     where e.recorded_by >= $4::xid8 and e.id > $5)
   select account.id, to_char($1::date, 'YYYY-MM-DD') as "day", account.merchant_id as "merchant", account.purpose as "account",
     c.reference as "currency", ${COINS("moved.debit", "c")} as "debits",
     ${COINS("moved.credit", "c")} as "credits", ${COINS("moved.balance", "c")} as "balance"
   from ledger_accounts account join currencies c on c.id = account.asset_id
   cross join lateral (
     select coalesce(sum(debit) filter (where day = $1::date), 0) as debit,
       coalesce(sum(credit) filter (where day = $1::date), 0) as credit,
       coalesce(sum(debit - credit), 0) as balance, count(*) as days
     from (
       select d.day, d.debit_units as debit, d.credit_units as credit from ledger_days d
         where d.account_id = account.id and d.day <= $1::date
       union all
       select t.day, greatest(t.units, 0), greatest(-t.units, 0) from tail t
         where t.account_id = account.id and t.day <= $1::date) changes) moved
   where account.id > $3 and ($2::text is null or account.merchant_id = $2) and moved.days > 0
   order by account.id limit ${ROWS_AT_ONCE}`,
);

/** Reports the balance of every account at the end of each day, and its debits and credits of that day. */
export const reportBalances: Report = async (database, span, onRows) => {
  // The fold shortens the tail that the report has to add up.
  await foldBalances(database);
  await inSnapshot(database, async (tx) => {
    const [fold] = await tx.query<{ watermark: string; base: string }>(FOLD);
    const days = await tx.query<{ day: string }>(DAYS, [span.fromDay, span.toDay]);
    for (const { day } of days) {
      const rest = [fold?.watermark ?? "0", fold?.base ?? "0"];
      const queryOf = (after: string): PageQuery => [
        BALANCES,
        [day, span.merchantId, after, ...rest],
      ];
      await readPages(tx, { queryOf, onRows });
    }
  });
};

// OFFSET 0 keeps PostgreSQL from walking all entries by id (docs/internals/query-plans.md).
const BOUNDS = statement(
  "reports_entry_bounds",
  `select coalesce(min(id), 0)::text as low, coalesce(max(id), 0)::text as high from (
     select id from ledger_entries where ${IN_SPAN("effective_at")} offset 0) span`,
);
const FEES = statement(
  "reports_fees",
  `select e.id, ${TIME("e.effective_at")} as "time", e.merchant_id as "merchant",
     coalesce(e.order_id::text, '') as "order", coalesce(o.operation, '') as "operation",
     c.reference as "currency", ${COINS("earned.spread", "c")} as "spread",
     ${COINS("earned.fee", "c")} as "transactionFee",
     ${COINS("earned.delivery", "c")} as "deliveryFee",
     ${COINS("earned.spread + earned.fee + earned.delivery", "c")} as "total",
     case when e.reverses is null then '' else 'reversal' end as "note"
   from ledger_entries e join currencies c on c.id = e.asset_id
   left join orders o on o.id = e.order_id
   cross join lateral (
     select coalesce(-sum(p.units) filter (where a.purpose = 'spread_revenue'), 0) as spread,
       coalesce(-sum(p.units) filter (where a.purpose = 'fee_revenue'), 0) as fee,
       coalesce(-sum(p.units) filter (where a.purpose = 'delivery_fee_revenue'), 0) as delivery,
       count(*) filter (where a.purpose in ('spread_revenue', 'fee_revenue', 'delivery_fee_revenue'))
         as lines
     from ledger_postings p join ledger_accounts a on a.id = p.account_id
     where p.entry_id = e.id) earned
   where e.id > $4 and e.id <= $5 and e.kind in ('exchange', 'reversal') and earned.lines > 0
     and ${IN_SPAN("e.effective_at")} and ($3::text is null or e.merchant_id = $3)
   order by e.id limit ${ROWS_AT_ONCE}`,
);

/** Reports the revenue of each exchange. A reversed exchange has negative revenue. */
export const reportFees: Report = async (database, { fromDay, toDay, merchantId }, onRows) => {
  await inSnapshot(database, async (tx) => {
    const [bounds] = await tx.query<{ low: string; high: string }>(BOUNDS, [fromDay, toDay]);
    const { low = "0", high = "0" } = bounds ?? {};
    const first = String(BigInt(low) - 1n);
    const queryOf = (after: string): PageQuery => [
      FEES,
      [fromDay, toDay, merchantId, after === "0" ? first : after, high],
    ];
    await readPages(tx, { queryOf, onRows });
  });
};

const PAYOUTS = statement(
  "reports_payouts",
  `select i.created_at::text || ' ' || i.id as id, ${TIME("i.created_at")} as "created", i.id::text as "payout",
     i.merchant_id as "merchant", i.order_id::text as "order", i.purpose as "purpose",
     i.rail as "rail", coalesce(i.network_code, '') as "network", c.reference as "currency",
     ${COINS("i.units", "c")} as "amount", (i.euro_cents / 100.0)::numeric(38, 2)::text as "euroValue",
     i.state as "state", coalesce(i.void_reason, '') as "reason",
     ${TIME("i.released_at")} as "released",
     coalesce(i.settled_hash, i.transaction_hash, '') as "reference"
   from payout_intents i join currencies c on c.id = i.asset_id
   where ${IN_SPAN("i.created_at")} and ($3::text is null or i.merchant_id = $3)
     and ($4 = '0' or (i.created_at, i.id) >
       (substring($4 from '^(.*) [^ ]+$')::timestamptz, substring($4 from '[^ ]+$')::uuid))
   order by i.created_at, i.id limit ${ROWS_AT_ONCE}`,
);

/** Reports every payout and refund that was created in the span, with its state. */
export const reportPayouts: Report = (database, { fromDay, toDay, merchantId }, onRows) => {
  const queryOf = (after: string): PageQuery => [PAYOUTS, [fromDay, toDay, merchantId, after]];
  return inSnapshot(database, (tx) => readPages(tx, { queryOf, onRows }));
};

type PageQuery = readonly [sql: Statement, values: readonly unknown[]];

interface Pages {
  /** Returns the query of the rows after an `id`. The first page is after "0". */
  readonly queryOf: (after: string) => PageQuery;
  readonly onRows: OnRows;
}

async function readPages(tx: Tx, { queryOf, onRows }: Pages): Promise<void> {
  for (let after = "0"; ; ) {
    const rows = await tx.query<ReportRow>(...queryOf(after));
    if (rows.length > 0) await onRows(rows);
    const last = rows.at(-1)?.["id"];
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = last;
  }
}

/** Reads in one read-only snapshot. Entries that are booked meanwhile belong to the next report. */
const inSnapshot = (database: Database, read: (tx: Tx) => Promise<void>): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.query(SNAPSHOT);
    await read(tx);
  });
