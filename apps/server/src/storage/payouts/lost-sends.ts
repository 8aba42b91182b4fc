import { hurrySendJobs } from "../jobs/jobs.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { endSend } from "./sends.ts";

// A payout that completed its order stays, and is lost with its send. Another payout of the send may be paid again. A
// send that ended just now leaves its payouts, or a guard refuses that and the end.
const LEAVE = statement(
  "chain_send_outputs_leave",
  `update chain_send_outputs output set is_vacated = true
   from payout_intents intent
   where output.send_id = $1 and not output.is_vacated and ($2 or is_lost_send(output.send_id))
     and intent.id = output.intent_id and intent.state || '' in ('signed', 'broadcast')`,
);
// Guards have the last word: only a lost send leaves its payouts.
const PLAN_AGAIN = statement(
  "payout_intents_plan_again",
  `update payout_intents intent
   set state = 'created', transaction_hash = null, confirmations = 0, updated_at = business_now()
   from chain_send_outputs output
   where output.send_id = $1 and output.is_vacated and intent.id = output.intent_id
     and intent.state || '' in ('signed', 'broadcast') and not exists (
       select from chain_send_outputs o where o.intent_id = intent.id and not o.is_vacated)`,
);
/** SQL for whether the transactions of the send of an `output` pay it. It may have left before they were signed. */
export const IS_PAID_BY_SEND = `(not output.is_vacated or exists (select from payout_releases released
  where released.send_id = output.send_id and released.intent_id = output.intent_id and released.voided_at is null))`;
const WAS_SIGNED = statement(
  "payout_intents_was_signed",
  `select from chain_send_outputs output join chain_transactions t on t.send_id = output.send_id
   where output.intent_id = $1 and ${IS_PAID_BY_SEND} limit 1`,
);

const FIND_DEAD = statement(
  "chain_transactions_find_dead",
  `select t.hash from chain_send_outputs output
     join chain_sends send on send.id = output.send_id and send.state = 'dead'
     join chain_transactions t on t.send_id = send.id
   where output.intent_id = $1 and output.is_vacated
   order by send.created_at desc, t.number desc limit 1`,
);

/** A send of which nothing can be mined, and the final transaction of ours or the deadline that made it so. */
export interface LostSend {
  readonly sendId: string;
  readonly by: string;
}

/**
 * Ends a lost send. Its payouts that are not paid are unsigned again and take another place. Returns false when it had
 * ended before.
 */
export async function planAgain(tx: Tx, { sendId, by }: LostSend): Promise<boolean> {
  const isEnded = await endSend(tx, sendId, { state: "dead", by });
  await tx.write(LEAVE, [sendId, isEnded]);
  await tx.write(PLAN_AGAIN, [sendId]);
  // The jobs of the send's other payouts may wait long.
  await hurrySendJobs(tx, sendId);
  return isEnded;
}

/** Returns whether the payout was signed at some place before. */
export async function wasSigned(queryable: Queryable, intentId: string): Promise<boolean> {
  return (await queryable.query(WAS_SIGNED, [intentId])).length > 0;
}

/** Returns the payout's newest transaction that was proved dead. Null where there is none. */
export async function findDeadTransaction(
  queryable: Queryable,
  intentId: string,
): Promise<string | null> {
  const [row] = await queryable.query<{ hash: string }>(FIND_DEAD, [intentId]);
  return row?.hash ?? null;
}
