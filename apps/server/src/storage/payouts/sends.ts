import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { isIn } from "./intents.ts";

/**
 * Returns SQL for the send that a transaction is of. A restored database may lack the transaction that settled a send: a
 * replacement, which was signed after the backup.
 */
export const sendOf = (hash: string): string =>
  `coalesce((select signed.send_id from chain_transactions signed where signed.hash = ${hash}),
     (select settled.id from chain_sends settled where settled.settled_hash = ${hash} limit 1))`;

const PUT_WALLET = `insert into chain_wallets as wallet (id, network_code, next_place)`;
// A name that no other wallet has, so that two first payouts of a network conflict in the index of hot wallets only.
const NEW_WALLET_ID = "network_code || ':' || gen_random_uuid()";
const HOT_EXISTS = "on conflict (network_code) where role = 'hot' and state = 'open' do update";

// One statement takes the next places of the wallets and binds the payouts to them, or does neither. The caller
// has locked the payouts, and the sends that payouts join. Places of coins have no numbers.
const BIND_PLACES = statement(
  "chain_sends_bind_places",
  `with wanting as materialized (
     select payout_intents.id, send_id, network_code, units, address, joins_seconds,
       row_number() over network as turn, count(*) over network_all as wanted,
       row_number() over of_send as of_send
     from unnest($1::uuid[], $2::uuid[], $3::integer[]) as wanted (intent_id, send_id, joins_seconds)
       join payout_intents on payout_intents.id = wanted.intent_id
     where ${isIn("'created'")} and rail = 'chain' and not exists (
       select from chain_send_outputs o where o.intent_id = payout_intents.id and not o.is_vacated)
     window network as (partition by network_code order by payout_intents.id),
       network_all as (partition by network_code),
       of_send as (partition by send_id order by payout_intents.id)),
   taken as (
     ${PUT_WALLET}
     select ${NEW_WALLET_ID}, network_code, count(*) from wanting
     group by network_code order by network_code
     ${HOT_EXISTS} set next_place = wallet.next_place + excluded.next_place
     returning id, network_code, next_place),
   bound as (
     insert into chain_sends (id, wallet_id, purpose, place, joins_until)
     select send_id, taken.id, 'payout', taken.next_place - wanting.wanted + wanting.turn - 1,
       case when joins_seconds > 0 then business_now() + joins_seconds * interval '1 second' end
     from wanting join taken using (network_code) where of_send = 1
     on conflict (id) do nothing)
   insert into chain_send_outputs (send_id, number, intent_id, units, address)
   select send_id, of_send + coalesce((select max(o.number) from chain_send_outputs o
     where o.send_id = wanting.send_id), 0), id, units, address from wanting`,
);
// A payout that the chain made is not signed again, whatever the signer answered.
const VOID_OF_INTENT = statement(
  "payout_releases_void_of_intent",
  `update payout_releases release set voided_at = clock_timestamp()
   from chain_sends send
   where release.intent_id = $1 and send.id = release.send_id and send.state = 'bound'`,
);
// A payout that was bound and never signed leaves its send before it is adopted. A send that it leaves empty gives up its
// place.
const LEAVE_OF_INTENT = statement(
  "chain_send_outputs_leave_of_intent",
  `update chain_send_outputs o set is_vacated = true
   from chain_sends send
   where o.intent_id = $1 and not o.is_vacated and send.id = o.send_id and send.state = 'bound'`,
);
const VACATE_OF_INTENT = statement(
  "chain_sends_vacate_of_intent",
  `update chain_sends send set state = 'vacated', updated_at = business_now()
   from chain_send_outputs o
   where o.intent_id = $1 and send.id = o.send_id and send.state = 'bound'
     and not exists (select from chain_send_outputs other where other.send_id = send.id and not other.is_vacated)`,
);
const ADOPT = statement(
  "payout_intents_adopt",
  `update payout_intents
   set state = 'broadcast', transaction_hash = $2,
     signed_bytes = case when rail = 'chain' then null else ''::bytea end,
     adopted_at = business_now(), released_at = coalesce(released_at, business_now()),
     updated_at = business_now()
   where id = $1 and ${isIn("'created'")}`,
);
// Another payout of the same transaction may have been adopted before.
const ADOPT_SEND = statement(
  "chain_sends_adopt",
  `with intent as materialized (
     select id, network_code, units, address, transaction_hash from payout_intents
     where id = $1 and rail = 'chain'),
   before as materialized (
     select t.send_id from intent join chain_transactions t on t.hash = intent.transaction_hash and t.bytes = ''),
   wallet as (
     ${PUT_WALLET} select ${NEW_WALLET_ID}, network_code, 0 from intent where not exists (select from before)
     ${HOT_EXISTS} set next_place = wallet.next_place returning id),
   send as (
     insert into chain_sends (id, wallet_id, purpose) select $2::uuid, id, 'payout' from wallet),
   output as (
     insert into chain_send_outputs (send_id, number, intent_id, units, address)
     select coalesce(before.send_id, $2::uuid), 1 + coalesce((select max(o.number) from chain_send_outputs o
       where o.send_id = before.send_id), 0), id, units, address from intent left join before on true)
   select from intent`,
);
const SEND_ADOPTED = statement(
  "chain_sends_store_adopted",
  `with stored as (
     insert into chain_transactions (send_id, number, hash, bytes)
     select send.id, 1, $2, '' from chain_sends send where send.id = $1 returning send_id)
   update chain_sends set state = 'sent' from stored where id = stored.send_id`,
);
const LIST_SIGNED = statement(
  "chain_transactions_list",
  `select hash as "transactionHash", bytes from chain_transactions
   where send_id = $1 order by number`,
);
// Two workers that replace at once use the same number, and only the first insert takes effect.
const ADD_SIGNED = statement(
  "chain_transactions_add",
  `insert into chain_transactions (send_id, number, hash, bytes)
   values ($1, $2, $3, $4) on conflict (send_id, number) do nothing`,
);
// A send that pays no order has no intent, whose own statement stores its first transaction.
const STORE_OWN = statement(
  "chain_sends_store_own",
  `with send as (
     update chain_sends set state = 'signed', updated_at = business_now()
     where id = $1 and state = 'bound' returning id)
   insert into chain_transactions (send_id, number, hash, bytes) select id, 1, $2, $3 from send`,
);
const END = statement(
  "chain_sends_end",
  `update chain_sends set state = $2, settled_hash = $3, dead_by = $4, updated_at = business_now()
   where id = $1 and state in ('signed', 'sent') returning id`,
);

const NOTE_FREE = statement(
  "chain_sends_note_free",
  "update chain_sends set is_fee_booked = false where id = $1 and is_fee_booked",
);

/** A transaction in the form that is stored and sent. */
export type StoredTransaction = Pick<SignedTransaction, "transactionHash" | "bytes">;

/** A payout that is to be bound, and the id of its send: a new one, or one that it joins. */
export interface NewSend {
  readonly intentId: string;
  readonly sendId: string;
  /** The time for which other payouts may join a new send. */
  readonly joinsSeconds?: number;
}

/**
 * Binds those of the payouts that have no place to the next places of their networks' wallets. It must come last in
 * its database transaction, because every other payout on the networks waits for the commit.
 */
export async function bindPlaces(tx: Tx, sends: readonly NewSend[]): Promise<void> {
  const intents = sends.map(({ intentId }) => intentId);
  const ids = sends.map(({ sendId }) => sendId);
  await tx.write(BIND_PLACES, [intents, ids, sends.map(({ joinsSeconds = 0 }) => joinsSeconds)]);
}

/**
 * Records that the rail made a payout which we have not signed, as its statement says. The payout is then followed
 * under the rail's reference and never sent. Returns false when it was signed meanwhile.
 */
export async function adoptPayoutIntent(
  tx: Tx,
  { intentId, sendId }: NewSend,
  railReference: string,
): Promise<boolean> {
  await tx.write(VOID_OF_INTENT, [intentId]);
  await tx.write(LEAVE_OF_INTENT, [intentId]);
  await tx.write(VACATE_OF_INTENT, [intentId]);
  if ((await tx.write(ADOPT, [intentId, railReference])) !== 1) return false;
  await tx.write(ADOPT_SEND, [intentId, sendId]);
  await tx.write(SEND_ADOPTED, [sendId, railReference]);
  return true;
}

/** Lists every transaction that was signed for a send, the newest last. */
export const listSigned = (queryable: Queryable, sendId: string): Promise<StoredTransaction[]> =>
  queryable.query<StoredTransaction>(LIST_SIGNED, [sendId]);

/**
 * Stores a transaction before it is broadcast. The first worker that stores a number wins. Returns the newest one that
 * is stored, which is the one to broadcast.
 */
export async function addSigned(
  queryable: Queryable,
  sendId: string,
  { number, transactionHash, bytes }: StoredTransaction & { readonly number: number },
): Promise<StoredTransaction> {
  await queryable.query(ADD_SIGNED, [sendId, number, transactionHash, Buffer.from(bytes)]);
  const newest = (await listSigned(queryable, sendId)).at(-1);
  if (!newest) throw new Error(`transaction ${number} of send ${sendId} was not stored`);
  return newest;
}

/** Stores the first transaction of a cancel, sweep or top-up before it is broadcast. The first worker wins. */
export async function storeOwn(
  queryable: Queryable,
  sendId: string,
  { transactionHash, bytes }: StoredTransaction,
): Promise<void> {
  await queryable.query(STORE_OWN, [sendId, transactionHash, Buffer.from(bytes)]);
}

/** The end of a send: its final transaction, or the transaction, not ours, that has its place. */
export type SendEnd =
  | { readonly state: "final" | "failed"; readonly hash: string }
  | { readonly state: "dead"; readonly by: string };

/** Records the end of a send. Returns false when it had ended before, and changes nothing then. */
export async function endSend(
  queryable: Queryable,
  sendId: string,
  end: SendEnd,
): Promise<boolean> {
  const [settledHash, deadBy] = end.state === "dead" ? [null, end.by] : [end.hash, null];
  const values = [sendId, end.state, settledHash, deadBy];
  return (await queryable.query(END, values)).length > 0;
}

/** Records that the final transaction of a send cost nothing, so the books need no fee of it. */
export async function noteFreeSend(queryable: Queryable, sendId: string): Promise<void> {
  await queryable.write(NOTE_FREE, [sendId]);
}
