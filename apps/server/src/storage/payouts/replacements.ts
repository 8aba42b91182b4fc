import { type Queryable, statement } from "../postgres/database.ts";

/** A transaction that replaces a stuck one: the same transfer at the same nonce. */
export interface PayoutReplacement {
  readonly transactionHash: string;
  readonly signedBytes: Uint8Array;
}

interface ReplacementRow {
  readonly transaction_hash: string;
  readonly signed_bytes: Buffer;
}

const LIST = statement(
  "payout_replacements_list",
  "select transaction_hash, signed_bytes from payout_replacements where intent_id = $1 order by number",
);
// Two workers that replace at once use the same number, and only the first insert takes effect.
const INSERT = statement(
  "payout_replacements_insert",
  `insert into payout_replacements (intent_id, number, transaction_hash, signed_bytes)
   values ($1, $2, $3, $4) on conflict (intent_id, number) do nothing`,
);

/** Lists the replacements of an intent, oldest first. */
export async function listReplacements(
  queryable: Queryable,
  intentId: string,
): Promise<PayoutReplacement[]> {
  const rows = await queryable.query<ReplacementRow>(LIST, [intentId]);
  return rows.map((row) => ({
    transactionHash: row.transaction_hash,
    signedBytes: row.signed_bytes,
  }));
}

/** Stores a replacement before it is broadcast. The first worker that stores a number wins. */
export async function storeReplacement(
  queryable: Queryable,
  intentId: string,
  replacement: PayoutReplacement & { readonly number: number },
): Promise<void> {
  await queryable.query(INSERT, [
    intentId,
    replacement.number,
    replacement.transactionHash,
    replacement.signedBytes,
  ]);
}
