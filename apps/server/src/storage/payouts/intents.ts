import type { BoundPayout, PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { type Database, type Queryable, statement, type Tx } from "../postgres/database.ts";
import { retryOnConflict } from "../postgres/transaction.ts";
import { PAYOUT_INTENTS, SHOWN_PAYOUTS, toShownPayout } from "./table.ts";

export type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";

const WITH_SEND = `select payout_intents.*, send.id as bound_send, send.place as bound_place
   from payout_intents
     left join chain_send_outputs output
       on output.intent_id = payout_intents.id and not output.is_vacated
     left join chain_sends send on send.id = output.send_id`;
const FIND = statement("payout_intents_find", `${WITH_SEND} where payout_intents.id = $1`);
const LOCK = statement(
  "payout_intents_lock",
  `${WITH_SEND} where payout_intents.id = any($1::uuid[]) order by payout_intents.id
   for update of payout_intents`,
);
const LIST = statement(
  "payout_intents_list",
  `select ${SHOWN_PAYOUTS.names} from payout_intents where order_id = $1 order by created_at, id`,
);

/**
 * Returns the condition that an intent, which is found by its id, is in one of the states. The concatenation
 * keeps PostgreSQL from the index of unfinished intents, which a plan that was made while they were few would
 * use in place of the id.
 */
export const isIn = (states: string): string => `payout_intents.state || '' in (${states})`;
const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `update payout_intents
   set state = 'signed', transaction_hash = $2, signed_bytes = $3, updated_at = business_now()
   where id = $1 and rail <> 'chain' and ${isIn("'created'")}`,
);
// The first transaction of a send. A send that was vacated meanwhile is not signed.
const STORE_SIGNED_SEND = statement(
  "payout_intents_store_signed_send",
  `with send as (
     update chain_sends set state = 'signed', updated_at = business_now()
     where id = $2 and state = 'bound' returning id),
   stored as (
     insert into chain_transactions (send_id, number, hash, bytes) select id, 1, $3, $4 from send)
   update payout_intents set state = 'signed', transaction_hash = $3, updated_at = business_now()
   where id = $1 and ${isIn("'created'")} and exists (select from send)`,
);
const ADVANCE = statement(
  "payout_intents_advance",
  `with advanced as (
     update payout_intents set state = $2, confirmations = $3, settled_hash = $4,
       updated_at = business_now()
     where id = $1 and ${isIn("'signed', 'broadcast'")} returning id)
   update chain_sends send set state = 'sent', updated_at = business_now()
   from advanced join chain_send_outputs output on output.intent_id = advanced.id and not output.is_vacated
   where send.id = output.send_id and send.state = 'signed' and $2 = 'broadcast'`,
);

interface SendRow {
  readonly bound_send: string | null;
  readonly bound_place: string | null;
}
const toBoundPayout = (row: SendRow): BoundPayout => ({
  ...PAYOUT_INTENTS.read(row),
  send: row.bound_send === null ? null : { id: row.bound_send, place: placeOf(row.bound_place) },
});
const placeOf = (place: string | null): bigint | null => (place === null ? null : BigInt(place));

export async function findPayoutIntent(
  queryable: Queryable,
  id: string,
): Promise<BoundPayout | undefined> {
  const [row] = await queryable.query<SendRow>(FIND, [id]);
  return row && toBoundPayout(row);
}

/** Reads intents and locks their rows, in the order of their ids, until the database transaction ends. */
export async function lockPayoutIntents(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BoundPayout>> {
  const rows = await tx.query<SendRow>(LOCK, [ids]);
  return new Map(rows.map((row) => toBoundPayout(row)).map((intent) => [intent.id, intent]));
}

/** Lists all payout intents of an order, oldest first and without their signed bytes. */
export async function listPayoutIntents(
  queryable: Queryable,
  orderId: bigint,
): Promise<PayoutIntent[]> {
  const rows = await queryable.query<object>(LIST, [orderId]);
  return rows.map(toShownPayout);
}

/**
 * Stores the signed bytes unless the payout already has some, and returns the stored payout. The first signing
 * wins; the bytes of a later one are never sent. A payout whose send was vacated meanwhile stays `created`.
 * Throws the database's `payouts_stopped` for a stopped payout.
 */
export async function storeSigned(
  database: Database,
  intent: BoundPayout,
  signed: Pick<SignedTransaction, "transactionHash" | "bytes">,
): Promise<BoundPayout> {
  const { transactionHash, bytes } = signed;
  const { id, send } = intent;
  const stored = await retryOnConflict(() =>
    send === null
      ? database.write(STORE_SIGNED, [id, transactionHash, Buffer.from(bytes)])
      : database.write(STORE_SIGNED_SEND, [id, send.id, transactionHash, Buffer.from(bytes)]),
  );
  if (stored === 1) {
    const signedBytes = send === null ? bytes : null;
    return { ...intent, state: "signed", transactionHash, signedBytes };
  }
  const found = await findPayoutIntent(database, id);
  if (!found) throw new Error(`there is no payout intent ${id}`);
  return found;
}

/** The progress of a transfer. */
export interface PayoutProgress {
  readonly state: "broadcast" | "confirmed";
  readonly confirmations: number;
  /** The hash of the mined transaction, or null while none is mined. */
  readonly settledHash: string | null;
}

/** Records the progress of a transfer. A settled transfer is not changed. */
export async function advancePayoutIntent(
  queryable: Queryable,
  intentId: string,
  progress: PayoutProgress,
): Promise<void> {
  const { state, confirmations, settledHash } = progress;
  await queryable.query(ADVANCE, [intentId, state, confirmations, settledHash]);
}
