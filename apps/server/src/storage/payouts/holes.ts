import { IS_RESTORED } from "../history.ts";
import { hurrySendJobs } from "../jobs/jobs.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** The signer was asked, and its answer is not known. A guard has the last word. */
const MAY_BE_SIGNED = `(send.asked_as is not null or exists (select from payout_releases release
  where release.send_id = send.id and release.voided_at is null))`;

// The indexes of unfinished payouts and of unfinished moves between our addresses find the sends.
const LIST_HOLES = statement(
  "chain_sends_list_holes",
  `select send.id from (
     select output.send_id from payout_intents intent
       join chain_send_outputs output on output.intent_id = intent.id and not output.is_vacated
     where intent.state = 'created'
     union all
     select id from chain_sends where purpose = 'top_up' and state = 'bound') unsigned
     join chain_sends send on send.id = unsigned.send_id
   where send.state = 'bound'
     and send.created_at < business_now() - $1 * interval '1 second' and not ${IS_RESTORED}
     and not ${MAY_BE_SIGNED}
     and exists (select from chain_sends later
       where later.wallet_id = send.wallet_id and later.place > send.place and not later.is_vacated
         and later.state <> 'bound')
   order by send.wallet_id, send.place`,
);
const VACATE = statement(
  "chain_sends_vacate",
  `update chain_sends send set state = 'vacated', updated_at = business_now()
   where id = $1 and state = 'bound' and not ${MAY_BE_SIGNED} returning id`,
);
const INSERT_CANCEL = statement(
  "chain_sends_insert_cancel",
  `insert into chain_sends (id, wallet_id, purpose, place)
   select $2, wallet_id, 'cancel', place from chain_sends where id = $1 and place is not null`,
);
/**
 * Lists the sends that were bound this long ago and never signed, although a later place of their wallet was signed. A
 * restored database lists none, because the chain may have transactions that were signed at their places.
 */
export async function listHoles(queryable: Queryable, olderThanSeconds: number): Promise<string[]> {
  const rows = await queryable.query<{ id: string }>(LIST_HOLES, [olderThanSeconds]);
  return rows.map(({ id }) => id);
}

interface Places {
  readonly sendId: string;
  /** The id of the cancel that uses a numbered place. */
  readonly cancelId: string;
}

/** Takes the place from a send that was never signed. Returns false when it was signed meanwhile. */
export async function giveUpPlace(tx: Tx, { sendId, cancelId }: Places): Promise<boolean> {
  if ((await tx.query(VACATE, [sendId])).length === 0) return false;
  await tx.query(INSERT_CANCEL, [sendId, cancelId]);
  return true;
}

/**
 * Takes the place from a send that was never signed. The payout's job runs again at once, and takes another place unless
 * the payout is stopped. Returns false when the send was signed meanwhile.
 */
export async function vacate(tx: Tx, places: Places): Promise<boolean> {
  if (!(await giveUpPlace(tx, places))) return false;
  // The payout's job may wait long, because its signatures failed.
  await hurrySendJobs(tx, places.sendId);
  return true;
}
