import { lockSend } from "../chains/take-coins.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { leaveSharedSend, leaveUnless } from "./batches.ts";
import { giveUpPlace } from "./holes.ts";

/**
 * SQL for whether the last screening of the payout `intent` is younger than the milliseconds. The exchange screened the first
 * payout of its order.
 */
const isScreened = (ms: string): string => `(
  intent.screened_at > business_now() - ${ms} * interval '1 millisecond'
  or (intent.purpose = 'payout' and intent.created_at > business_now() - ${ms} * interval '1 millisecond'
    and not exists (select from payout_intents other
      where other.order_id = intent.order_id and other.purpose = 'payout' and other.id <> intent.id)))`;

const NEEDS_SCREENING = statement(
  "payout_screenings_is_needed",
  `select from payout_intents intent
   where intent.id = $1 and not coalesce(${isScreened("$2")}, false) and not exists (
     select from chain_send_outputs output join payout_releases release on release.send_id = output.send_id
     where output.intent_id = intent.id and not output.is_vacated and release.voided_at is null)`,
);
const NOTE = statement(
  "payout_screenings_note",
  "update payout_intents set screened_at = business_now() where id = $1",
);
const FIND_SEND = statement(
  "payout_screenings_find_send",
  `select send_id as "sendId" from chain_send_outputs where intent_id = $1 and not is_vacated`,
);
const LEAVE_UNSCREENED = statement(
  "payout_screenings_leave_unscreened",
  leaveUnless(isScreened("$2")),
);

/** Returns whether an unsigned payout must be screened: its last screening is old, and the signer was not asked for it. */
export const needsScreening = async (
  queryable: Queryable,
  intentId: string,
  validMs: number,
): Promise<boolean> => (await queryable.query(NEEDS_SCREENING, [intentId, validMs])).length > 0;

/** Records that nothing is against the payout now. */
export async function noteScreened(queryable: Queryable, intentId: string): Promise<void> {
  await queryable.write(NOTE, [intentId]);
}

/**
 * Takes an unsigned payout out of its send, which gives up its place where it pays nothing else. A cancel with the id takes a
 * numbered place. Returns false where the signer was asked meanwhile.
 */
export async function leaveSend(tx: Tx, intentId: string, cancelId: string): Promise<boolean> {
  await leaveSharedSend(tx, intentId);
  const [place] = await tx.query<{ sendId: string }>(FIND_SEND, [intentId]);
  return place === undefined || giveUpPlace(tx, { sendId: place.sendId, cancelId });
}

/** Takes the payouts whose screening is old out of a send that also pays others. Their own jobs screen them. */
export async function leaveUnscreened(tx: Tx, sendId: string, validMs: number): Promise<void> {
  await lockSend(tx, sendId);
  await tx.write(LEAVE_UNSCREENED, [sendId, validMs]);
}
