import type { RailBreak } from "../../domain/ledger/reconcile.ts";
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

// Both are written together, so a statement sees both or neither.
const UNFOLLOWED = statement(
  "payout_intents_unfollowed",
  `select 'a paid payout is followed until it is final' as check,
     'payout ' || intent.id || ' has no job that follows it' as problem, network_code as "networkCode"
   from payout_intents intent
   where awaits_finality and not exists (select from jobs where key = 'follow_payout:' || intent.id)
   order by intent.id limit 100`,
);

/** Finds the payouts of completed orders that nobody would send again if the chain dropped their blocks. */
export const findUnfollowed = (queryable: Queryable): Promise<RailBreak[]> =>
  queryable.query<RailBreak>(UNFOLLOWED);

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

/** A payout's transaction that can no longer be dropped. */
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
