import type { Entry } from "../../domain/ledger/entry.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/**
 * Parts of a `with` that record entries with their lines. A merchant's accounts in an asset are opened
 * when they are needed first. One that somebody else opens at the same moment cannot be seen yet: then
 * everything runs again.
 */
export const entryParts = (entries: string, lines: string): readonly string[] => [
  `entry as materialized (${entries})`,
  `line as materialized (${lines})`,
  `opened as (
     insert into ledger_accounts (merchant_id, purpose, asset_id)
     select distinct merchant_id, purpose, asset_id from line
     where not exists (select from ledger_accounts account
       where account.merchant_id = line.merchant_id and account.purpose = line.purpose
         and account.asset_id = line.asset_id)
     order by merchant_id, purpose, asset_id on conflict do nothing
     returning id, merchant_id, purpose, asset_id)`,
  `recorded as (
     insert into ledger_entries (merchant_id, key, kind, asset_id, order_id, link, effective_at)
     select merchant_id, key, kind, asset_id, order_id, link, business_now() from entry
     returning id, key, asset_id)`,
  `posted as (
     insert into ledger_postings (entry_id, line, account_id, asset_id, units)
     select recorded.id, line.line,
       coalesce(account.id, opened.id, run_again('the account is being opened')),
       recorded.asset_id, line.units
     from line join recorded using (key)
       left join ledger_accounts account on account.merchant_id = line.merchant_id
         and account.purpose = line.purpose and account.asset_id = line.asset_id
       left join opened on opened.merchant_id = line.merchant_id
         and opened.purpose = line.purpose and opened.asset_id = line.asset_id)`,
];

const ENTRY = `select $1::text as merchant_id, $2::text as key, $3::text as kind,
  $4::integer as asset_id, $5::bigint as order_id, $6::text as link`;
const LINES = `select $1::text as merchant_id, $2::text as key, line, purpose,
  $4::integer as asset_id, units
  from unnest($7::text[], $8::numeric[]) with ordinality as lines (purpose, units, line)`;

const INSERT_ENTRY = statement(
  "ledger_insert_entry",
  `with ${entryParts(ENTRY, LINES).join(", ")} select`,
);

/**
 * Records a balanced entry. Its key is unique: recording the same thing again violates a constraint
 * and rolls the caller's database transaction back.
 */
export function recordEntry(
  tx: Tx,
  entry: Entry,
  context: { readonly merchantId: string; readonly orderId: bigint },
): void {
  tx.send(INSERT_ENTRY, [
    context.merchantId,
    entry.key,
    entry.kind,
    entry.asset.id,
    context.orderId,
    entry.link,
    entry.postings.map((posting) => posting.purpose),
    entry.postings.map((posting) => posting.units),
  ]);
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
