import { foldBalances } from "../ledger/fold.ts";
import { statement, type Tx } from "../postgres/database.ts";
import {
  COINS,
  IN_SPAN,
  inSnapshot,
  type OnRows,
  type PageQuery,
  type Report,
  type ReportRow,
  type ReportSpan,
  ROWS_AT_ONCE,
  readEntryBounds,
  readPages,
  TIME,
} from "./report-parts.ts";

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
// The sums by day that are folded, and the short tail of entries that are not. Sums of another cluster are ignored, because
// the tail then has every entry.
const BALANCES = statement(
  "reports_balances",
  `with tail as materialized (
     select p.account_id, (e.effective_at at time zone 'UTC')::date as day, p.units
     from ledger_entries e join ledger_postings p on p.entry_id = e.id
     where e.recorded_by >= $5::xid8 and e.id > $6)
   select account.id, to_char($2::date, 'YYYY-MM-DD') as "day", account.merchant_id as "merchant", account.purpose as "account",
     c.reference as "currency", ${COINS("moved.opening", "c")} as "opening",
     ${COINS("moved.debit", "c")} as "debits", ${COINS("moved.credit", "c")} as "credits",
     ${COINS("moved.balance", "c")} as "balance"
   from ledger_accounts account join currencies c on c.id = account.asset_id
   cross join lateral (
     select coalesce(sum(debit - credit) filter (where day < $1::date), 0) as opening,
       coalesce(sum(debit) filter (where day >= $1::date), 0) as debit,
       coalesce(sum(credit) filter (where day >= $1::date), 0) as credit,
       coalesce(sum(debit - credit), 0) as balance, count(*) as days
     from (
       select d.day, d.debit_units as debit, d.credit_units as credit from ledger_days d
         where d.account_id = account.id and d.day <= $2::date
           and exists (select from ledger_fold where cluster = ledger_cluster())
       union all
       select t.day, greatest(t.units, 0), greatest(-t.units, 0) from tail t
         where t.account_id = account.id and t.day <= $2::date) changes) moved
   where account.id > $4 and ($3::text is null or account.merchant_id = $3) and moved.days > 0
   order by account.id limit ${ROWS_AT_ONCE}`,
);

/**
 * Reads the balance of every account after the last day of a span, its opening balance, and its debits and credits
 * between.
 */
async function readBalances(
  tx: Tx,
  { fromDay, toDay, merchantId }: ReportSpan,
  onRows: OnRows,
): Promise<void> {
  const [fold] = await tx.query<{ watermark: string; base: string }>(FOLD);
  const rest = [fold?.watermark ?? "0", fold?.base ?? "0"];
  const queryOf = (after: string): PageQuery => [
    BALANCES,
    [fromDay, toDay, merchantId, after, ...rest],
  ];
  await readPages(tx, { queryOf, onRows });
}

/** Reports the balance of every account at the end of each day, and its debits and credits of that day. */
export const reportBalances: Report = async (database, span, onRows) => {
  // The fold shortens the tail that the report has to add up.
  await foldBalances(database);
  await inSnapshot(database, async (tx) => {
    const days = await tx.query<{ day: string }>(DAYS, [span.fromDay, span.toDay]);
    for (const { day } of days) {
      await readBalances(tx, { ...span, fromDay: day, toDay: day }, onRows);
    }
  });
};

const ENTRIES = statement(
  "reports_statement_entries",
  `select e.id || ' ' || p.line as id, ${TIME("e.effective_at")} as "time", e.merchant_id as "merchant",
     coalesce(e.order_id::text, '') as "order", coalesce(o.session_id, '') as "session",
     e.kind as "kind", e.key as "entry", a.purpose as "account", c.reference as "currency",
     ${COINS("p.units", "c")} as "amount"
   from ledger_entries e join ledger_postings p on p.entry_id = e.id
   join ledger_accounts a on a.id = p.account_id join currencies c on c.id = p.asset_id
   left join orders o on o.id = e.order_id
   where e.id >= split_part($4, ' ', 1)::bigint and e.id <= $5
     and (e.id, p.line) > (split_part($4, ' ', 1)::bigint, split_part($4, ' ', 2)::smallint)
     and ${IN_SPAN("e.effective_at")} and ($3::text is null or e.merchant_id = $3)
   order by e.id, p.line limit ${ROWS_AT_ONCE}`,
);

/**
 * Reports the opening balance of every account, each posting of the span with its order, and the closing balances.
 * The opening balance and the postings of an account add up to its closing balance.
 */
export const reportStatement: Report = async (database, span, onRows) => {
  await foldBalances(database);
  await inSnapshot(database, async (tx) => {
    const closing: ReportRow[] = [];
    await readBalances(tx, span, async (rows) => {
      const ends = (kind: "opening" | "closing", amount: "opening" | "balance") =>
        rows.map(({ merchant = "", account = "", currency = "", ...row }) => {
          const time = kind === "opening" ? span.fromDay : span.toDay;
          return { time, merchant, kind, account, currency, amount: row[amount] ?? "" };
        });
      await onRows(ends("opening", "opening"));
      closing.push(...ends("closing", "balance"));
    });
    const { first, high } = await readEntryBounds(tx, span.fromDay, span.toDay);
    const queryOf = (after: string): PageQuery => [
      ENTRIES,
      [span.fromDay, span.toDay, span.merchantId, after === "0" ? `${first} 32767` : after, high],
    ];
    await readPages(tx, { queryOf, onRows });
    await onRows(closing);
  });
};

/** The sums of a statement: a row with `opening`, `debits`, `credits` and `balance` for each account. */
export const reportStatementSums: Report = async (database, span, onRows) => {
  await foldBalances(database);
  await inSnapshot(database, (tx) => readBalances(tx, span, onRows));
};
