import type { Break } from "../../domain/ledger/audit-facts.ts";
import { type Database, type Queryable, statement, type Tx } from "../postgres/database.ts";
import { foldBalances } from "./fold.ts";

/** Called after each batch with the kind of rows that are checked, the number done, and the total. */
export type OnProgress = (progress: {
  readonly kind: "entries" | "orders";
  readonly done: number;
  readonly of: number;
}) => void;

/** The result of a check of all entries and postings, without their orders. */
export interface BooksReport {
  readonly entries: number;
  readonly postings: number;
  readonly problems: Break[];
}

const ENTRIES_AT_ONCE = 50_000;

// The whole pass reads one snapshot. Entries that are booked meanwhile are checked the next time.
const SNAPSHOT = statement(
  "ledger_check_snapshot",
  "set transaction isolation level repeatable read, read only",
);
const BOUNDS = statement(
  "ledger_check_bounds",
  `select coalesce(min(id), 0)::text as low, coalesce(max(id), 0)::text as high
   from ledger_entries`,
);

// Checks the entries from $1 to $2, both included. Each part is materialized before the limit applies.
// Otherwise PostgreSQL would scan all entries in the order of their keys to find the first hundred faults.
const FAULTY_ENTRIES = statement(
  "ledger_check_entries",
  `with sums as materialized (
     select entry_id, sum(units) as total, count(*) as lines
     from ledger_postings where entry_id between $1 and $2 group by entry_id
   ), faulty as materialized (
     select e.key, coalesce(s.total, 0) as total, coalesce(s.lines, 0) as lines
     from ledger_entries e left join sums s on s.entry_id = e.id
     where e.id between $1 and $2 and (coalesce(s.total, 0) <> 0 or coalesce(s.lines, 0) < 2)
   ), misplaced as materialized (
     select e.key, a.id
     from ledger_entries e
       join ledger_postings p on p.entry_id = e.id and p.entry_id between $1 and $2
       join ledger_accounts a on a.id = p.account_id
     where e.id between $1 and $2
       and (a.merchant_id, a.asset_id, p.asset_id)
         is distinct from (e.merchant_id, e.asset_id, e.asset_id)
   )
   select 'every entry balances' as check,
     'entry ' || key || ' sums to ' || total || ' with ' || lines || ' postings' as problem
   from faulty
   union all
   select 'an entry stays with its merchant and its asset',
     'entry ' || key || ' has a posting on account ' || id || ' of another merchant or asset'
   from misplaced
   limit 100`,
);

const SUMS = statement(
  "ledger_check_sums",
  `select account_id, asset_id, sum(units)::text as units, count(*)::int as postings
   from ledger_postings where entry_id between $1 and $2 group by account_id, asset_id`,
);
const COUNT_ENTRIES = statement(
  "ledger_check_count",
  "select count(*)::int as count from ledger_entries where id between $1 and $2",
);

// The folded balance and the tail of each account.
const FOLD = statement(
  "ledger_check_fold",
  `select coalesce(case when f.counted_entry_id >= f.base_entry_id
       then f.watermark end, '0'::xid8)::text as watermark,
     coalesce(f.counted_entry_id, 0)::text as base, f.cluster is not null as trusted
   from (select) always left join ledger_fold f on f.cluster = ledger_cluster()`,
);
const BALANCES = statement(
  "ledger_check_balances",
  `select a.id as account_id, a.merchant_id || ' ' || a.purpose || ' of asset ' || a.asset_id as name,
     (coalesce(case when $3 then b.units end, 0) + coalesce(t.units, 0))::text as units
   from ledger_accounts a left join ledger_balances b on b.account_id = a.id
   left join (select p.account_id, sum(p.units) as units
     from ledger_entries e join ledger_postings p on p.entry_id = e.id
     where e.recorded_by >= $1::xid8 and e.id > $2 group by p.account_id) t on t.account_id = a.id`,
);
const DAYS = statement(
  "ledger_check_days",
  `select 'the days of account ' || b.account_id || ' are ' ||
       coalesce(sum(d.debit_units - d.credit_units), 0) - b.units || ' off its balance' as problem
   from ledger_balances b left join ledger_days d on d.account_id = b.account_id
   group by b.account_id, b.units
   having coalesce(sum(d.debit_units - d.credit_units), 0) <> b.units limit 100`,
);

/** Checks a range of entries by id, both ends included. */
export const checkEntryRange = (
  queryable: Queryable,
  range: readonly [from: bigint, to: bigint],
): Promise<Break[]> => queryable.query<Break>(FAULTY_ENTRIES, range);

/** Checks every entry and posting once, in one snapshot. */
export async function checkEntries(
  database: Database,
  onProgress: OnProgress,
): Promise<BooksReport> {
  // The fold shortens the tail that has to be added to the balances.
  await foldBalances(database);
  return database.transaction(async (tx) => {
    await tx.query(SNAPSHOT);
    const [bounds] = await tx.query<{ low: string; high: string }>(BOUNDS);
    const [low, high] = [Number(bounds?.low ?? 0), Number(bounds?.high ?? 0)];
    const report = { entries: 0, postings: 0, problems: [] as Break[] };
    const sums: Sums = { accounts: new Map(), assets: new Map() };
    for (let from = low; from > 0 && from <= high; from += ENTRIES_AT_ONCE) {
      const range = [from, Math.min(from + ENTRIES_AT_ONCE - 1, high)];
      report.problems.push(...(await tx.query<Break>(FAULTY_ENTRIES, range)));
      report.postings += await addSums(tx, range, sums);
      report.entries += (await tx.query<{ count: number }>(COUNT_ENTRIES, range))[0]?.count ?? 0;
      onProgress({ kind: "entries", done: Number(range[1]) - low + 1, of: high - low + 1 });
    }
    report.problems.push(...assetProblems(sums), ...(await balanceProblems(tx, sums)));
    return report;
  });
}

interface Sums {
  readonly accounts: Map<string, bigint>;
  readonly assets: Map<number, bigint>;
}

interface SumRow {
  readonly account_id: string;
  readonly asset_id: number;
  readonly units: string;
  readonly postings: number;
}

async function addSums(tx: Tx, range: readonly unknown[], sums: Sums): Promise<number> {
  const rows = await tx.query<SumRow>(SUMS, range);
  for (const row of rows) {
    const units = BigInt(row.units);
    sums.accounts.set(row.account_id, (sums.accounts.get(row.account_id) ?? 0n) + units);
    sums.assets.set(row.asset_id, (sums.assets.get(row.asset_id) ?? 0n) + units);
  }
  return rows.reduce((total, { postings }) => total + postings, 0);
}

const assetProblems = ({ assets }: Sums): Break[] =>
  [...assets]
    .filter(([, units]) => units !== 0n)
    .map(
      ([asset, units]): Break => ({
        check: "every asset sums to zero",
        problem: `asset ${asset} sums to ${units}`,
      }),
    );

interface BalanceRow {
  readonly account_id: string;
  readonly name: string;
  readonly units: string;
}

async function balanceProblems(tx: Tx, { accounts }: Sums): Promise<Break[]> {
  const [fold] = await tx.query<{ watermark: string; base: string; trusted: boolean }>(FOLD);
  const { watermark = "0", base = "0", trusted = false } = fold ?? {};
  const balances = await tx.query<BalanceRow>(BALANCES, [watermark, base, trusted]);
  const days = trusted ? await tx.query<{ problem: string }>(DAYS) : [];
  const check = "a balance is the sum of its postings" as const;
  return [
    ...balances
      .filter((row) => BigInt(row.units) !== (accounts.get(row.account_id) ?? 0n))
      .map((row) => ({
        check,
        problem: `${row.name} is ${BigInt(row.units) - (accounts.get(row.account_id) ?? 0n)} off the sum of its postings`,
      })),
    ...days.map(({ problem }) => ({ check, problem })),
  ];
}
