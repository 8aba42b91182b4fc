import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { type Database, type Queryable, statement, type Tx } from "../postgres/database.ts";
import { retryOnConflict } from "../postgres/transaction.ts";
import { PAYOUT_INTENTS } from "./table.ts";

export type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";

const FIND = statement("payout_intents_find", "select * from payout_intents where id = $1");
const LOCK = statement(
  "payout_intents_lock",
  "select * from payout_intents where id = any($1::uuid[]) order by id for update",
);
const LIST = statement(
  "payout_intents_list",
  "select * from payout_intents where order_id = $1 order by created_at, id",
);

/**
 * Returns the condition that an intent, which is found by its id, is in one of the states. The concatenation
 * keeps PostgreSQL from the index of unfinished intents, which a plan that was made while they were few would
 * use in place of the id.
 */
const isIn = (states: string): string => `payout_intents.state || '' in (${states})`;

// One statement takes the next nonces and binds them to the intents, or does neither. The caller has locked the
// intents.
const BIND_NONCES = statement(
  "payout_intents_bind_nonces",
  `with wanting as materialized (
     select id, network_code, row_number() over network as place, count(*) over network_all as wanted
     from payout_intents
     where id = any($1::uuid[]) and ${isIn("'created'")} and nonce is null
     window network as (partition by network_code order by id),
       network_all as (partition by network_code)),
   taken as (
     insert into wallet_nonces as wallet (network_code, next)
     select network_code, count(*) from wanting group by network_code order by network_code
     on conflict (network_code) do update set next = wallet.next + excluded.next
     returning network_code, next)
   update payout_intents set nonce = taken.next - wanting.wanted + wanting.place - 1,
     updated_at = business_now()
   from wanting join taken using (network_code) where payout_intents.id = wanting.id`,
);

const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `update payout_intents
   set state = 'signed', transaction_hash = $2, signed_bytes = $3, updated_at = business_now()
   where id = $1 and ${isIn("'created'")}`,
);

const ADOPT = statement(
  "payout_intents_adopt",
  `update payout_intents
   set state = 'broadcast', transaction_hash = $2, signed_bytes = '', adopted_at = business_now(),
     released_at = coalesce(released_at, business_now()), updated_at = business_now()
   where id = $1 and ${isIn("'created'")}`,
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

/** Reads intents and locks their rows, in the order of their ids, until the database transaction ends. */
export async function lockPayoutIntents(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PayoutIntent>> {
  const rows = await tx.query<object>(LOCK, [ids]);
  return new Map(rows.map((row) => PAYOUT_INTENTS.read(row)).map((intent) => [intent.id, intent]));
}

/** Lists all payout intents of an order, oldest first. */
export async function listPayoutIntents(
  queryable: Queryable,
  orderId: bigint,
): Promise<PayoutIntent[]> {
  const rows = await queryable.query<object>(LIST, [orderId]);
  return rows.map(PAYOUT_INTENTS.read);
}

/**
 * Binds the wallets' next nonces to those of the intents that have none. It must come last in its database
 * transaction, because every other payout on the networks waits for the commit.
 */
export async function bindNonces(tx: Tx, intentIds: readonly string[]): Promise<void> {
  await tx.write(BIND_NONCES, [intentIds]);
}

/**
 * Stores the signed bytes unless the intent already has some, and returns the stored intent. The first signing
 * wins; the bytes of a later one are never sent. Throws the database's `payouts_stopped` for a stopped intent.
 */
export async function storeSigned(
  database: Database,
  intent: PayoutIntent,
  signed: Pick<SignedTransaction, "transactionHash" | "bytes">,
): Promise<PayoutIntent> {
  const { transactionHash, bytes } = signed;
  const stored = await retryOnConflict(() =>
    database.write(STORE_SIGNED, [intent.id, transactionHash, Buffer.from(bytes)]),
  );
  if (stored === 1) return { ...intent, state: "signed", transactionHash, signedBytes: bytes };
  const found = await findPayoutIntent(database, intent.id);
  if (!found) throw new Error(`there is no payout intent ${intent.id}`);
  return found;
}

/**
 * Records that the rail made a payout which we have not signed, as its statement says. The payout is then followed
 * under the rail's reference and never sent. Returns false when it was signed meanwhile.
 */
export const adoptPayoutIntent = async (
  queryable: Queryable,
  intentId: string,
  railReference: string,
): Promise<boolean> => (await queryable.write(ADOPT, [intentId, railReference])) === 1;

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
