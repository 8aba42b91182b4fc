import { IS_RESTORED } from "../history.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { leaveSharedSend } from "./batches.ts";
import { giveUpPlace } from "./holes.ts";

const NOTE = statement(
  "payout_screenings_note",
  "update payout_intents set screened_at = business_now() where id = $1",
);
const IS_RECENT = statement(
  "payout_screenings_is_recent",
  `select from payout_intents
   where id = $1 and screened_at > business_now() - $2 * interval '1 millisecond'`,
);
const FIND_PLACE = statement(
  "payout_screenings_find_place",
  `select output.send_id as "sendId", ${IS_RESTORED} as "isRestored" from chain_send_outputs output
   where output.intent_id = $1 and not output.is_vacated`,
);

/** Records that the screener has nothing against the payout now. */
export const noteScreened = (queryable: Queryable, intentId: string): Promise<unknown> =>
  queryable.query(NOTE, [intentId]);

/** Returns whether the payout was screened without a hit in the last `withinMs`. */
export const wasScreened = async (
  queryable: Queryable,
  intentId: string,
  withinMs: number,
): Promise<boolean> => (await queryable.query(IS_RECENT, [intentId, withinMs])).length > 0;

/**
 * Takes an unsigned payout out of its send, which gives up its place where it pays nothing else. A cancel with the id takes a
 * numbered place. Returns false where the signer may have signed the payout already: it was asked, or asked before the
 * database was restored.
 */
export async function leaveSend(tx: Tx, intentId: string, cancelId: string): Promise<boolean> {
  await leaveSharedSend(tx, intentId);
  const [place] = await tx.query<{ sendId: string; isRestored: boolean }>(FIND_PLACE, [intentId]);
  if (!place) return true;
  return !place.isRestored && (await giveUpPlace(tx, { sendId: place.sendId, cancelId }));
}
