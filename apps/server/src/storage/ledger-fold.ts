import { type Database, statement, type Tx } from "./database.ts";

/** Only one folds at a time; whoever comes meanwhile leaves it to the first. */
const FOLD_LOCK = 7_265_390_131;

const TRY_LOCK = statement(
  "ledger_fold_lock",
  `select pg_try_advisory_xact_lock(${FOLD_LOCK}) as locked`,
);
const READ = statement(
  "ledger_fold_read",
  `select watermark::text as low, pg_snapshot_xmin(pg_current_snapshot())::text as high,
     base_entry_id as base
   from ledger_fold where cluster = ledger_cluster()`,
);

// A transaction below the horizon has ended: its entries are all there, and no more will come.
const ADVANCE = statement(
  "ledger_fold_advance",
  `with posted as materialized (
     select posting.account_id, (entry.effective_at at time zone 'UTC')::date as day, posting.units
     from ledger_entries entry join ledger_postings posting on posting.entry_id = entry.id
     where entry.recorded_by >= $1::xid8 and entry.recorded_by < $2::xid8 and entry.id > $3
   ), balances as (
     insert into ledger_balances as kept (account_id, units)
     select account_id, sum(units) from posted group by account_id order by account_id
     on conflict (account_id) do update set units = kept.units + excluded.units
   ), days as (
     insert into ledger_days as kept (account_id, day, debit_units, credit_units)
     select account_id, day, coalesce(sum(units) filter (where units > 0), 0),
       coalesce(-sum(units) filter (where units < 0), 0)
     from posted group by account_id, day order by account_id, day
     on conflict (account_id, day) do update set
       debit_units = kept.debit_units + excluded.debit_units,
       credit_units = kept.credit_units + excluded.credit_units
   )
   update ledger_fold set watermark = $2::xid8, folded_at = clock_timestamp()
   returning (select count(*) from posted)::int as postings`,
);

// Writers wait for the lock, so every number up to the highest has been given and used, or never will be.
const SHUT_OUT_WRITERS = statement("ledger_fold_shut", "lock table ledger_entries in share mode");
const FORGET_BALANCES = statement("ledger_fold_forget", "delete from ledger_balances");
const FORGET_DAYS = statement("ledger_fold_forget_days", "delete from ledger_days");
const COUNT_BALANCES = statement(
  "ledger_fold_count",
  `insert into ledger_balances (account_id, units)
   select account_id, sum(units) from ledger_postings group by account_id`,
);
const COUNT_DAYS = statement(
  "ledger_fold_count_days",
  `insert into ledger_days (account_id, day, debit_units, credit_units)
   select posting.account_id, (entry.effective_at at time zone 'UTC')::date,
     coalesce(sum(posting.units) filter (where posting.units > 0), 0),
     coalesce(-sum(posting.units) filter (where posting.units < 0), 0)
   from ledger_postings posting join ledger_entries entry on entry.id = posting.entry_id
   group by 1, 2`,
);
const BEGIN_AGAIN = statement(
  "ledger_fold_begin",
  `insert into ledger_fold (cluster, base_entry_id, watermark)
   values (ledger_cluster(), coalesce((select max(id) from ledger_entries), 0),
     pg_snapshot_xmin(pg_current_snapshot()))
   on conflict (singleton) do update set cluster = excluded.cluster,
     base_entry_id = excluded.base_entry_id, watermark = excluded.watermark,
     folded_at = clock_timestamp()`,
);

export interface Fold {
  readonly postings: number;
  /** All was counted from the beginning: the first time, and after a restore into another cluster. */
  readonly fromBeginning: boolean;
}

/** Moves the balances on to the entries that no running database transaction can add to. */
export async function foldBalances(database: Database): Promise<Fold> {
  return database.transaction(async (tx) => {
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK);
    if (lock?.locked !== true) return { postings: 0, fromBeginning: false };
    const [fold] = await tx.query<{ low: string; high: string; base: string }>(READ);
    if (fold === undefined) return countAll(tx);
    if (fold.low === fold.high) return { postings: 0, fromBeginning: false };
    const moved = [fold.low, fold.high, fold.base];
    const [row] = await tx.query<{ postings: number }>(ADVANCE, moved);
    return { postings: row?.postings ?? 0, fromBeginning: false };
  });
}

/** Counts every posting while no payment is booked: seconds for a million orders. */
async function countAll(tx: Tx): Promise<Fold> {
  await tx.query(SHUT_OUT_WRITERS);
  await tx.query(FORGET_BALANCES);
  await tx.query(FORGET_DAYS);
  await tx.query(COUNT_BALANCES);
  await tx.query(COUNT_DAYS);
  await tx.query(BEGIN_AGAIN);
  return { postings: 0, fromBeginning: true };
}
