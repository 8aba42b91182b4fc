import { type Queryable, statement } from "../postgres/database.ts";

/** Which balance. */
export interface BalanceOf {
  /** A merchant's id, or "all" for those of all merchants together. */
  readonly merchantId: string;
  readonly purpose: string;
  readonly assetId: number;
}

// A view over both would be one statement, but PostgreSQL cannot guess how short the tail is unless
// it is told where it begins.
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
// The tail's entries come first, by who recorded them, then their postings: an account has any number.
// The sum of nothing and the number: no index is of that.
const READ_TAIL = statement(
  "ledger_balance_tail",
  `select coalesce(sum(posting.units), 0)::text as units
   from ledger_entries entry cross join lateral (
     select posting.units
     from ledger_postings posting join ledger_accounts account on account.id = posting.account_id + 0
     where posting.entry_id = entry.id and account.purpose = $2 and account.asset_id = $3
       and ($1 = 'all' or account.merchant_id = $1) offset 0) posting
   where entry.recorded_by >= $4::xid8 and entry.id + 0 > $5`,
);

/**
 * An account's balance now, in units; debits are positive. It sees what the caller's own database
 * transaction has recorded, locks nothing, and costs the same however long the books are.
 */
export async function readBalance(queryable: Queryable, of: BalanceOf): Promise<bigint> {
  const account = [of.merchantId, of.purpose, of.assetId];
  const [folded] = await queryable.query<FoldedRow>(READ_FOLDED, account);
  // The tail begins where this fold ended, whatever is folded meanwhile: nothing is counted twice.
  const { watermark = "0", base = "0", units = "0" } = folded ?? {};
  const [tail] = await queryable.query<{ units: string }>(READ_TAIL, [...account, watermark, base]);
  return BigInt(units) + BigInt(tail?.units ?? "0");
}

interface FoldedRow {
  readonly watermark: string;
  readonly base: string;
  readonly units: string;
}
