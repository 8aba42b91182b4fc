import type { Entry } from "../domain/ledger/entry.ts";
import { type Queryable, statement, type Tx } from "./database.ts";

// Accounts that are there already stay as they are.
const OPEN_ACCOUNTS = statement(
  "ledger_open_accounts",
  `insert into ledger_accounts (merchant_id, purpose, asset_id)
   select $1, purpose, $2 from unnest($3::text[]) as purposes (purpose) order by purpose
   on conflict do nothing`,
);

// Postings of accounts that are not open yet are missing from it: then nothing may be kept.
const INSERT_ENTRY = statement(
  "ledger_insert_entry",
  `with entry as (
     insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at)
     values ($1, $2, $3, $4, $5, $6, business_now()) returning id, merchant_id, asset_id)
   insert into ledger_postings (entry_id, line, account_id, asset_id, units)
   select entry.id, lines.line, account.id, entry.asset_id, lines.units
   from entry, unnest($7::text[], $8::numeric[]) with ordinality as lines (purpose, units, line)
     join ledger_accounts account
       on account.merchant_id = $1 and account.asset_id = $4 and account.purpose = lines.purpose
   returning line`,
);

const COUNT_ACCOUNTS = statement(
  "ledger_count_accounts",
  `select count(*)::int as count from ledger_accounts
   where merchant_id = $1 and asset_id = $2 and purpose = any ($3)`,
);

/**
 * Records a balanced entry. Its key is unique: recording the same thing again violates a constraint
 * and rolls the caller's database transaction back.
 */
export async function recordEntry(
  tx: Tx,
  entry: Entry,
  context: { readonly merchantId: string; readonly orderId: bigint },
): Promise<void> {
  const { merchantId, orderId } = context;
  const purposes = entry.postings.map((posting) => posting.purpose);
  await openAccounts(tx, [merchantId, entry.asset.id, purposes]);
  const lines = await tx.query(INSERT_ENTRY, [
    merchantId,
    entry.key,
    entry.kind,
    entry.asset.id,
    orderId,
    entry.link,
    purposes,
    entry.postings.map((posting) => posting.units),
  ]);
  if (lines.length !== purposes.length) {
    throw new Error(`entry ${entry.key} was not recorded whole`);
  }
}

// Opposite postings on the same accounts. One entry has one reversal: a constraint.
const REVERSE = statement(
  "ledger_reverse",
  `with original as (select * from ledger_entries where key = $1),
   reversal as (
     insert into ledger_entries
       (merchant_id, key, kind, asset_id, order_id, link, effective_at, reverses)
     select merchant_id, $2, $3, asset_id, order_id, link, business_now(), id from original
     returning id)
   insert into ledger_postings (entry_id, line, account_id, asset_id, units)
   select reversal.id, posting.line, posting.account_id, posting.asset_id, -posting.units
   from reversal, original join ledger_postings posting on posting.entry_id = original.id
   returning line`,
);

/** Undoes an entry by one with opposite postings; entries are never edited. */
export async function reverseEntry(
  tx: Tx,
  reversal: { readonly of: string; readonly key: string; readonly kind: string },
): Promise<void> {
  const lines = await tx.query(REVERSE, [reversal.of, reversal.key, reversal.kind]);
  if (lines.length < 2) throw new Error(`there is no entry ${reversal.of} to reverse`);
}

const IS_EXCHANGED = statement(
  "ledger_is_exchanged",
  `select exists (select from ledger_entries entry where entry.key = $1 and not exists (
     select from ledger_entries reversal where reversal.reverses = entry.id)) as exchanged`,
);

/** Whether the order's spend was exchanged, and that was not taken back. */
export async function isExchanged(queryable: Queryable, orderId: bigint): Promise<boolean> {
  const key = `exchange:${orderId}:spend`;
  const [row] = await queryable.query<{ exchanged: boolean }>(IS_EXCHANGED, [key]);
  return row?.exchanged === true;
}

type Accounts = readonly [merchantId: string, assetId: number, purposes: readonly string[]];

/** A merchant's accounts in an asset are opened when they are needed first. */
async function openAccounts(tx: Tx, [merchantId, assetId, purposes]: Accounts): Promise<void> {
  const distinct = [...new Set(purposes)];
  const [row] = await tx.query<{ count: number }>(COUNT_ACCOUNTS, [merchantId, assetId, distinct]);
  if (row?.count === distinct.length) return;
  await tx.query(OPEN_ACCOUNTS, [merchantId, assetId, distinct]);
}
