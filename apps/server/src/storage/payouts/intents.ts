import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { PAYOUT_INTENTS } from "./table.ts";

export type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";

const FIND = statement("payout_intents_find", "select * from payout_intents where id = $1");
const LOCK = statement(
  "payout_intents_lock",
  "select * from payout_intents where id = $1 for update",
);
const LIST = statement(
  "payout_intents_list",
  "select * from payout_intents where order_id = $1 order by created_at, id",
);

/**
 * Whether an intent that is looked up by its id is in one of the states. Said of the state itself, the index
 * of all that are under way would answer for the id too, by a plan that was made while they were few.
 */
export const isIn = (states: string, intent = "payout_intents"): string =>
  `${intent}.state || '' in (${states})`;

// One statement: the place in the sequence is taken and bound to the intent, or neither.
const BIND_NONCE = statement(
  "payout_intents_bind_nonce",
  `with wanting as (
     select id, network_code from payout_intents
     where id = $1 and ${isIn("'created'")} and nonce is null for update),
   place as (
     insert into wallet_nonces as wallet (network_code, next)
     select network_code, 1 from wanting
     on conflict (network_code) do update set next = wallet.next + 1 returning next - 1 as nonce)
   update payout_intents set nonce = place.nonce, updated_at = business_now()
   from wanting, place where payout_intents.id = wanting.id`,
);

const ADVANCE = statement(
  "payout_intents_advance",
  `update payout_intents set state = $2, confirmations = $3, settled_hash = $4,
     updated_at = business_now()
   where id = $1 and ${isIn("'signed', 'broadcast'")}`,
);

export async function findPayoutIntent(
  queryable: Queryable,
  id: string,
): Promise<PayoutIntent | undefined> {
  const [row] = await queryable.query<object>(FIND, [id]);
  return row && PAYOUT_INTENTS.read(row);
}

/** Locks the intent's row until the database transaction ends. */
export async function lockPayoutIntent(tx: Tx, id: string): Promise<PayoutIntent | undefined> {
  const [row] = await tx.query<object>(LOCK, [id]);
  return row && PAYOUT_INTENTS.read(row);
}

/** Everything an order owes or owed, oldest first. */
export async function listPayoutIntents(
  queryable: Queryable,
  orderId: bigint,
): Promise<PayoutIntent[]> {
  const rows = await queryable.query<object>(LIST, [orderId]);
  return rows.map(PAYOUT_INTENTS.read);
}

/**
 * Takes the next place in the wallet's sequence for an intent that has none. Last in its database
 * transaction: everybody else who pays out on the network waits until it commits.
 */
export async function bindNonce(tx: Tx, intentId: string): Promise<void> {
  await tx.write(BIND_NONCE, [intentId]);
}

/** How far a transfer is. */
export interface PayoutProgress {
  readonly state: "broadcast" | "confirmed";
  readonly confirmations: number;
  /** The transaction that was mined; null while none was. */
  readonly settledHash: string | null;
}

/** Records how far the transfer is; one that is settled stays so. */
export async function advancePayoutIntent(
  queryable: Queryable,
  intentId: string,
  progress: PayoutProgress,
): Promise<void> {
  const { state, confirmations, settledHash } = progress;
  await queryable.query(ADVANCE, [intentId, state, confirmations, settledHash]);
}
