import { type Queryable, statement, type Tx } from "../postgres/database.ts";

const NOTE_MINED = statement(
  "payout_intents_note_mined",
  `update payout_intents set settled_hash = $2, updated_at = business_now()
   where id = $1 and awaits_finality and settled_hash is distinct from $2`,
);
// The send ends with it, by a trigger.
const MAKE_FINAL = statement(
  "payout_intents_make_final",
  `update payout_intents set awaits_finality = false, settled_hash = $2, confirmations = $3,
     updated_at = business_now()
   where id = $1 and awaits_finality returning id`,
);

const COUNT = statement(
  "payout_intents_count_followed",
  `select count(*)::int as count from payout_intents where network_code = $1 and awaits_finality`,
);

/** Counts the payouts of completed orders that are not final yet. */
export async function countFollowed(queryable: Queryable, networkCode: string): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(COUNT, [networkCode]);
  return row?.count ?? 0;
}

/** Records which of a payout's transactions is in a block now, after a reorganisation. */
export async function noteMined(
  queryable: Queryable,
  intentId: string,
  hash: string,
): Promise<void> {
  await queryable.write(NOTE_MINED, [intentId, hash]);
}

/** A payout's transaction that cannot be dropped any more. */
export interface FinalPayout {
  readonly intentId: string;
  readonly hash: string;
  readonly confirmations: number;
}

/** Records that a paid payout is final. Returns false when it was final before, and changes nothing then. */
export async function makeFinal(
  tx: Tx,
  { intentId, hash, confirmations }: FinalPayout,
): Promise<boolean> {
  return (await tx.query(MAKE_FINAL, [intentId, hash, confirmations])).length > 0;
}
