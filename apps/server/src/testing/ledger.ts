import type { Entry } from "../domain/ledger/entry.ts";
import { entryParts } from "../storage/ledger/entries.ts";
import { statement, type Tx } from "../storage/postgres/database.ts";

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
 * Records a balanced entry. Its key is unique: recording the same key again violates a constraint
 * and rolls the caller's database transaction back.
 */
export async function recordEntry(
  tx: Tx,
  entry: Entry,
  context: { readonly merchantId: string; readonly orderId: bigint },
): Promise<void> {
  await tx.write(INSERT_ENTRY, [
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

// Inserts opposite postings on the same accounts. A constraint allows one reversal of an entry.
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

/** Reverses an entry by an entry with opposite postings. Entries are never edited. */
export async function reverseEntry(
  tx: Tx,
  reversal: { readonly of: string; readonly key: string; readonly kind: string },
): Promise<void> {
  const lines = await tx.query(REVERSE, [reversal.of, reversal.key, reversal.kind]);
  if (lines.length < 2) throw new Error(`there is no entry ${reversal.of} to reverse`);
}
