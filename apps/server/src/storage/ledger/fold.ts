import { ADVISORY_LOCKS } from "../postgres/advisory-locks.ts";
import { type Database, statement, type Tx } from "../postgres/database.ts";

// Only one process folds at a time. Any other does nothing in the meantime, and a standby never folds.
const TRY_LOCK = statement(
  "ledger_fold_lock",
  `select not pg_is_in_recovery() and pg_try_advisory_xact_lock(${ADVISORY_LOCKS.fold}) as locked`,
);
const READ = statement(
  "ledger_fold_read",
  `select watermark::text as low, pg_snapshot_xmin(pg_current_snapshot())::text as high,
     base_entry_id as base, counted_entry_id as counted
   from ledger_fold where cluster = ledger_cluster()`,
);

const ADD_POSTED = `balances as (
     insert into ledger_balances as stored (account_id, units)
     select account_id, sum(units) from posted group by account_id order by account_id
     on conflict (account_id) do update set units = stored.units + excluded.units
   ), days as (
     insert into ledger_days as stored (account_id, day, debit_units, credit_units)
     select account_id, day, coalesce(sum(units) filter (where units > 0), 0),
       coalesce(-sum(units) filter (where units < 0), 0)
     from posted group by account_id, day order by account_id, day
     on conflict (account_id, day) do update set
       debit_units = stored.debit_units + excluded.debit_units,
       credit_units = stored.credit_units + excluded.credit_units
   )`;
const POSTED = `posted as materialized (
     select posting.account_id, (entry.effective_at at time zone 'UTC')::date as day, posting.units
     from ledger_entries entry join ledger_postings posting on posting.entry_id = entry.id`;

// A database transaction below the horizon has ended, so it will record no more entries.
const ADVANCE = statement(
  "ledger_fold_advance",
  `with ${POSTED}
     where entry.recorded_by >= $1::xid8 and entry.recorded_by < $2::xid8 and entry.id > $3
   ), ${ADD_POSTED}
   update ledger_fold set watermark = $2::xid8, folded_at = clock_timestamp()
   returning (select count(*) from posted)::int as postings`,
);
const COUNT_NEXT = statement(
  "ledger_fold_count_next",
  `with ${POSTED}
     where entry.id > $1 and entry.id <= $2
   ), ${ADD_POSTED}
   update ledger_fold set counted_entry_id = $2, folded_at = clock_timestamp()
   returning (select count(*) from posted)::int as postings`,
);

// Writers wait for the lock, so no entry with an id up to the highest one can be recorded later.
const LOCK_ENTRIES = statement("ledger_fold_lock_entries", "select lock_ledger_entries()");
const DELETE_BALANCES = statement("ledger_fold_delete_balances", "delete from ledger_balances");
const DELETE_DAYS = statement("ledger_fold_delete_days", "delete from ledger_days");
const BEGIN = statement(
  "ledger_fold_begin",
  `insert into ledger_fold (cluster, base_entry_id, watermark)
   values (ledger_cluster(), coalesce((select max(id) from ledger_entries), 0),
     pg_snapshot_xmin(pg_current_snapshot()))
   on conflict (singleton) do update set cluster = excluded.cluster,
     base_entry_id = excluded.base_entry_id, counted_entry_id = 0, watermark = excluded.watermark,
     folded_at = clock_timestamp()`,
);

const ENTRIES_AT_ONCE = 100_000n;

export interface Fold {
  readonly postings: number;
  /** True when all entries were counted: the first time, and after a restore into another cluster. */
  readonly fromBeginning: boolean;
}

/**
 * Adds the entries to the balances up to the horizon, below which no database transaction is running. To count
 * from the beginning takes several steps. Reads are correct meanwhile, and writers wait only for the start. A standby
 * has the fold of its primary.
 */
export async function foldBalances(database: Database): Promise<Fold> {
  let postings = 0;
  let fromBeginning = false;
  for (;;) {
    const step = await database.transaction(foldStep);
    postings += step.postings;
    fromBeginning ||= step.isStart;
    if (!step.hasMore) return { postings: fromBeginning ? 0 : postings, fromBeginning };
  }
}

interface Step {
  readonly postings: number;
  readonly isStart: boolean;
  readonly hasMore: boolean;
}

interface FoldRow {
  readonly low: string;
  readonly high: string;
  readonly base: string;
  readonly counted: string;
}

async function foldStep(tx: Tx): Promise<Step> {
  const done = { postings: 0, isStart: false, hasMore: false };
  const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK);
  if (lock?.locked !== true) return done;
  const [fold] = await tx.query<FoldRow>(READ);
  if (fold === undefined) return begin(tx);
  const [base, counted] = [BigInt(fold.base), BigInt(fold.counted)];
  if (counted < base) {
    const to = base < counted + ENTRIES_AT_ONCE ? base : counted + ENTRIES_AT_ONCE;
    const [row] = await tx.query<{ postings: number }>(COUNT_NEXT, [fold.counted, String(to)]);
    return { ...done, postings: row?.postings ?? 0, hasMore: to < base };
  }
  if (fold.low === fold.high) return done;
  const moved = [fold.low, fold.high, fold.base];
  const [row] = await tx.query<{ postings: number }>(ADVANCE, moved);
  return { ...done, postings: row?.postings ?? 0 };
}

async function begin(tx: Tx): Promise<Step> {
  await tx.query(LOCK_ENTRIES);
  await tx.query(DELETE_BALANCES);
  await tx.query(DELETE_DAYS);
  await tx.query(BEGIN);
  return { postings: 0, isStart: true, hasMore: true };
}
