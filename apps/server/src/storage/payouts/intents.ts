import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { type Database, type Queryable, statement, type Tx } from "../postgres/database.ts";
import { retryOnConflict } from "../postgres/transaction.ts";
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
 * Returns the condition that an intent, which is found by its id, is in one of the states. The concatenation
 * keeps PostgreSQL from the index of unfinished intents, which a plan that was made while they were few would
 * use in place of the id.
 */
const isIn = (states: string): string => `payout_intents.state || '' in (${states})`;

// One statement takes the next nonce and binds it to the intent, or does neither.
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

const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `update payout_intents
   set state = 'signed', transaction_hash = $2, signed_bytes = $3, updated_at = business_now()
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

/** Locks the intent's row until the database transaction ends. */
export async function lockPayoutIntent(tx: Tx, id: string): Promise<PayoutIntent | undefined> {
  const [row] = await tx.query<object>(LOCK, [id]);
  return row && PAYOUT_INTENTS.read(row);
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
 * Binds the wallet's next nonce to an intent that has none. It must come last in its database transaction,
 * because every other payout on the network waits for the commit.
 */
export async function bindNonce(tx: Tx, intentId: string): Promise<void> {
  await tx.write(BIND_NONCE, [intentId]);
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
