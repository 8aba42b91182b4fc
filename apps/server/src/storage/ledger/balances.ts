import { type Queryable, statement } from "../postgres/database.ts";

/** The key of a balance. */
export interface BalanceOf {
  /** A merchant's id, or "all" for the sum over all merchants. */
  readonly merchantId: string;
  readonly purpose: string;
  readonly assetId: number;
}

// The tail has a statement of its own, which begins at a parameter. In one statement over both, the planner
// could not see how short the tail is.
const READ_FOLDED = statement(
  "ledger_balance_folded",
  `select coalesce(case when fold.counted_entry_id >= fold.base_entry_id
       then fold.watermark end, '0'::xid8)::text as watermark,
     coalesce(fold.counted_entry_id, 0)::text as base,
     coalesce((select sum(folded.units)
       from ledger_accounts account join ledger_balances folded on folded.account_id = account.id
       where account.purpose = $2 and account.asset_id = $3
         and ($1 = 'all' or account.merchant_id = $1) and fold.cluster is not null), 0)::text as units
   from (select) as always left join ledger_fold fold on fold.cluster = ledger_cluster()`,
);
const READ_TAIL = statement(
  "ledger_balance_tail",
  `select coalesce(sum(posting.units), 0)::text as units
   from ledger_entries entry
     join ledger_postings posting on posting.entry_id = entry.id
     join ledger_accounts account on account.id = posting.account_id
   where entry.recorded_by >= $4::xid8 and entry.id > $5
     and account.purpose = $2 and account.asset_id = $3
     and ($1 = 'all' or account.merchant_id = $1)`,
);

/**
 * Returns an account's current balance in units; debits are positive. It includes the entries of the caller's
 * own database transaction and locks nothing. Its cost does not grow with the size of the books.
 */
export async function readBalance(queryable: Queryable, of: BalanceOf): Promise<bigint> {
  const account = [of.merchantId, of.purpose, of.assetId];
  const [folded] = await queryable.query<FoldedRow>(READ_FOLDED, account);
  // The tail begins at the end of the fold that was just read, so that no entry is counted twice.
  const { watermark = "0", base = "0", units = "0" } = folded ?? {};
  const [tail] = await queryable.query<{ units: string }>(READ_TAIL, [...account, watermark, base]);
  return BigInt(units) + BigInt(tail?.units ?? "0");
}

interface FoldedRow {
  readonly watermark: string;
  readonly base: string;
  readonly units: string;
}

/** A balance over all merchants. */
export interface HeldBalance {
  readonly purpose: string;
  readonly assetId: number;
  readonly units: bigint;
}

const LIST_FOLDED = statement(
  "ledger_balances_folded",
  `select coalesce(case when fold.counted_entry_id >= fold.base_entry_id
       then fold.watermark end, '0'::xid8)::text as watermark,
     coalesce(fold.counted_entry_id, 0)::text as base, held.purpose, held."assetId", held.units
   from (select) as always left join ledger_fold fold on fold.cluster = ledger_cluster()
     left join lateral (
       select account.purpose, account.asset_id as "assetId", sum(folded.units)::text as units
       from ledger_accounts account join ledger_balances folded on folded.account_id = account.id
       where account.purpose = any($1) group by 1, 2) held on fold.cluster is not null`,
);
const LIST_TAIL = statement(
  "ledger_balances_tail",
  `select account.purpose, account.asset_id as "assetId", sum(posting.units)::text as units
   from ledger_entries entry
     join ledger_postings posting on posting.entry_id = entry.id
     join ledger_accounts account on account.id = posting.account_id
   where entry.recorded_by >= $2::xid8 and entry.id > $3 and account.purpose = any($1)
   group by 1, 2`,
);

interface HeldRow {
  readonly purpose: string | null;
  readonly assetId: number | null;
  readonly units: string | null;
}

/** Lists the current balances of accounts by purpose and asset, as `readBalance` reads one. */
export async function listBalances(
  queryable: Queryable,
  purposes: readonly string[],
): Promise<readonly HeldBalance[]> {
  const folded = await queryable.query<HeldRow & Pick<FoldedRow, "watermark" | "base">>(
    LIST_FOLDED,
    [purposes],
  );
  const { watermark = "0", base = "0" } = folded[0] ?? {};
  const tail = await queryable.query<HeldRow>(LIST_TAIL, [purposes, watermark, base]);
  const held = new Map<string, HeldBalance>();
  for (const { purpose, assetId, units } of [...folded, ...tail]) {
    if (purpose === null || assetId === null) continue;
    const key = `${purpose} ${assetId}`;
    const sum = (held.get(key)?.units ?? 0n) + BigInt(units ?? 0);
    held.set(key, { purpose, assetId, units: sum });
  }
  return [...held.values()].toSorted((a, b) => a.assetId - b.assetId);
}
