import { type Queryable, statement } from "../postgres/database.ts";
import { isRailStopped } from "./network-stops.ts";

/**
 * A question to the signer about a send. Each has an id of its own, and a send knows its last one. A refusal says that
 * nothing is signed only if it answers the last question: the other worker's question may have been signed.
 */
export interface SignerQuestion {
  readonly sendId: string;
  readonly id: string;
}

/** The send while the question is its last one. The lock makes a later question wait for what the refusal withdraws. */
export const LAST_QUESTION = `question as materialized (
  select id from chain_sends where id = $1 and asked_by = $2 for update)`;

const NOTE = statement(
  "signer_questions_note",
  "update chain_sends set asked_by = $2 where id = $1",
);

/**
 * Records that the signer is going to be asked. Afterwards no refusal of an earlier question withdraws terms or
 * releases, so note the question before they are read.
 */
export async function noteQuestion(
  queryable: Queryable,
  { sendId, id }: SignerQuestion,
): Promise<void> {
  await queryable.write(NOTE, [sendId, id]);
}

const NOTE_UNSTOPPED = statement(
  "signer_questions_note_unstopped",
  `update chain_sends send set asked_by = $2 from chain_wallets wallet
   where send.id = $1 and wallet.id = send.wallet_id and not ${isRailStopped("wallet.network_code")}
   returning send.id`,
);

/** As `noteQuestion`, where payouts of the network are not stopped. Returns false and records nothing where they are. */
export const noteUnstopped = async (
  queryable: Queryable,
  { sendId, id }: SignerQuestion,
): Promise<boolean> => (await queryable.query(NOTE_UNSTOPPED, [sendId, id])).length > 0;
