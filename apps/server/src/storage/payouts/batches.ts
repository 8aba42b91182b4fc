import type { JoinableSend, WaitingPayout } from "../../domain/payouts/batches.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { isIn } from "./intents.ts";

/** The last lost send that a payout was in. */
const LOST_WITH = `(select before.send_id from chain_send_outputs before
    join chain_sends lost on lost.id = before.send_id
  where before.intent_id = payout_intents.id and before.is_vacated and is_lost_send(before.send_id)
  order by lost.updated_at desc, lost.id limit 1)`;
const LIST_WAITING = statement(
  "payout_batches_list_waiting",
  `select id as "intentId", network_code as "networkCode", address, units::text as units,
     ${LOST_WITH} as "lostWith"
   from payout_intents
   where id = any($1::uuid[]) and rail = 'chain' and ${isIn("'created'")}
     and not exists (select from chain_send_outputs o where o.intent_id = payout_intents.id and not o.is_vacated)
   order by id`,
);
// The lock excludes the job that takes the coins of the send. A send that was closed meanwhile is not found.
const LOCK_JOINABLE = statement(
  "payout_batches_lock_joinable",
  `select send.id, wallet.network_code as "networkCode"
   from chain_sends send join chain_wallets wallet on wallet.id = send.wallet_id
   where wallet.network_code = any($1::text[]) and wallet.role = 'hot' and wallet.state = 'open'
     and send.state = 'bound' and send.joins_until > business_now()
   order by send.created_at, send.id for update of send`,
);
const LIST_JOINED = statement(
  "payout_batches_list_joined",
  `select output.send_id as "sendId", output.address, output.units::text as units,
     ${LOST_WITH} as "lostWith"
   from chain_send_outputs output join payout_intents on payout_intents.id = output.intent_id
   where output.send_id = any($1::uuid[]) and not output.is_vacated order by output.number`,
);
/** Nobody asked the signer for the send since it was bound or since the signer refused it. */
const IS_UNASKED = `send.state = 'bound' and not exists (
  select from payout_releases release where release.send_id = send.id and release.voided_at is null)`;
// Two payouts that leave at once would both see the other one, and leave the send empty.
const LOCK_SEND_OF = statement(
  "payout_batches_lock_send_of",
  `select send.id from chain_send_outputs output join chain_sends send on send.id = output.send_id
   where output.intent_id = $1 and not output.is_vacated for update of send`,
);
// The last payout stays, and waits at its place.
const LEAVE = statement(
  "payout_batches_leave",
  `with left_alone as materialized (
     select output.send_id, output.number from chain_send_outputs output
       join chain_sends send on send.id = output.send_id and ${IS_UNASKED}
     where output.intent_id = $1 and not output.is_vacated and exists (
       select from chain_send_outputs other where other.send_id = output.send_id
         and other.number <> output.number and not other.is_vacated))
   update chain_send_outputs output set is_vacated = true from left_alone
   where output.send_id = left_alone.send_id and output.number = left_alone.number`,
);
/**
 * Returns SQL that takes the payouts `intent` out of a send unless the condition holds. Where it holds for none of them, all
 * stay.
 */
export const leaveUnless = (mayStay: string): string =>
  `with output as materialized (
     select o.send_id, o.number, coalesce(${mayStay}, false) as may_stay
     from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id
       join chain_sends send on send.id = o.send_id and ${IS_UNASKED}
     where o.send_id = $1 and not o.is_vacated)
   update chain_send_outputs o set is_vacated = true from output
   where o.send_id = output.send_id and o.number = output.number and not output.may_stay
     and exists (select from output where may_stay)`;
const LEAVE_STOPPED = statement(
  "payout_batches_leave_stopped",
  leaveUnless(
    "intent.state || '' = 'created' and not exists (select from stops_of_payout(intent))",
  ),
);
const LEAVE_SECOND_HALF = statement(
  "payout_batches_leave_second_half",
  `with output as materialized (
     select o.send_id, o.number, row_number() over (order by o.number) as turn, count(*) over () as outputs
     from chain_send_outputs o join chain_sends send on send.id = o.send_id and ${IS_UNASKED}
     where o.send_id = $1 and not o.is_vacated)
   update chain_send_outputs o set is_vacated = true from output
   where o.send_id = output.send_id and o.number = output.number and turn * 2 > outputs + 1`,
);
const FIND_UNPLANNED = statement(
  "payout_batches_find_unplanned",
  `select from chain_sends send where id = $1 and ${IS_UNASKED}
     and not exists (select from chain_fee_terms terms where terms.send_id = send.id)`,
);
const CLOSE = statement(
  "payout_batches_close",
  "update chain_sends set joins_until = null where id = $1 and joins_until is not null",
);
const LIST_OUTPUTS = statement(
  "payout_batches_list_outputs",
  `select intent_id as "intentId", address, units::text as units from chain_send_outputs
   where send_id = $1 and not is_vacated and intent_id is not null order by number`,
);
const STOPPED_BESIDE = statement(
  "payout_batches_is_stopped",
  `select from chain_send_outputs o join payout_intents intent on intent.id = o.intent_id,
     lateral stops_of_payout(intent) stop
   where o.send_id = $1 and not o.is_vacated limit 1`,
);

type WithText<Row extends { readonly units: bigint }> = Omit<Row, "units"> & {
  readonly units: string;
};

const withUnits = <Row extends { readonly units: string }>(row: Row) => ({
  ...row,
  units: BigInt(row.units),
});

/** Lists those of the payouts that have no send, in the order of their ids. */
export async function listWaiting(
  tx: Tx,
  intentIds: readonly string[],
): Promise<readonly WaitingPayout[]> {
  const rows = await tx.query<WithText<WaitingPayout>>(LIST_WAITING, [intentIds]);
  return rows.map(withUnits);
}

/** Locks the sends of the networks that payouts may join now, the oldest first. */
export async function lockJoinable(
  tx: Tx,
  networkCodes: readonly string[],
): Promise<readonly JoinableSend[]> {
  type Send = Pick<JoinableSend, "id" | "networkCode">;
  const sends = await tx.query<Send>(LOCK_JOINABLE, [networkCodes]);
  if (sends.length === 0) return [];
  type Row = WithText<WaitingPayout> & { readonly sendId: string };
  const rows = await tx.query<Row>(LIST_JOINED, [sends.map(({ id }) => id)]);
  return sends.map((send) => {
    const outputs = rows.filter(({ sendId }) => sendId === send.id).map(withUnits);
    return { ...send, outputs, lostWith: outputs[0]?.lostWith ?? null };
  });
}

/**
 * Removes a payout from a send that also pays others, so that the others do not wait for it. A send stays as it is
 * once the signer was asked about it.
 */
export async function leaveSharedSend(tx: Tx, intentId: string): Promise<void> {
  await tx.query(LOCK_SEND_OF, [intentId]);
  await tx.write(LEAVE, [intentId]);
}

/**
 * Closes a locked send: no further payout joins it, and stopped payouts leave. A send stays as it is once the signer
 * was asked about it.
 */
export async function closeBatch(tx: Tx, sendId: string): Promise<void> {
  await tx.write(CLOSE, [sendId]);
  await tx.write(LEAVE_STOPPED, [sendId]);
}

/** Returns whether a send has no plan, and nobody asked the signer since it was bound or since the signer refused it. */
export const isUnplanned = async (tx: Tx, sendId: string): Promise<boolean> =>
  (await tx.query(FIND_UNPLANNED, [sendId])).length > 0;

/**
 * Takes the later half of the payouts out of a locked send that cannot be signed as it is. They take other places.
 * Returns false where it has one payout, or where the signer may have signed it.
 */
export const halveBatch = async (tx: Tx, sendId: string): Promise<boolean> =>
  (await tx.write(LEAVE_SECOND_HALF, [sendId])) > 0;

/** A payment of a send. */
export interface BatchOutput {
  readonly intentId: string;
  readonly address: string;
  readonly units: bigint;
}

/** Lists the payments of a send in the order of its transaction. */
export async function listOutputs(
  queryable: Queryable,
  sendId: string,
): Promise<readonly BatchOutput[]> {
  const rows = await queryable.query<WithText<BatchOutput>>(LIST_OUTPUTS, [sendId]);
  return rows.map(withUnits);
}

/** Returns whether any payout of the send is stopped. */
export const isBatchStopped = async (queryable: Queryable, sendId: string): Promise<boolean> =>
  (await queryable.query(STOPPED_BESIDE, [sendId])).length > 0;
