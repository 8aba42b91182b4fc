import type {
  PayoutIntent,
  PayoutPurpose,
  PayoutRailName,
  PayoutState,
  VoidReason,
} from "../../domain/payouts/payout-intent.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export interface PayoutIntentRow {
  readonly id: string;
  readonly order_id: string;
  readonly merchant_id: string;
  readonly purpose: PayoutPurpose;
  readonly rail: PayoutRailName;
  readonly asset_id: number;
  readonly units: string;
  readonly network_code: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  readonly attempt_id: string | null;
  readonly deposit_id: string | null;
  readonly nonce: string | null;
  readonly state: PayoutState;
  readonly transaction_hash: string | null;
  readonly signed_bytes: Buffer | null;
  readonly confirmations: number;
  readonly settled_hash: string | null;
  readonly void_reason: VoidReason | null;
  readonly released_at: Date | null;
  readonly euro_cents: string;
  readonly created_at: Date;
}

export const toPayoutIntent = (row: PayoutIntentRow): PayoutIntent => ({
  id: row.id,
  orderId: BigInt(row.order_id),
  merchantId: row.merchant_id,
  purpose: row.purpose,
  rail: row.rail,
  assetId: row.asset_id,
  units: BigInt(row.units),
  networkCode: row.network_code,
  address: row.address,
  memo: row.memo,
  attemptId: row.attempt_id,
  depositId: row.deposit_id,
  nonce: row.nonce === null ? null : BigInt(row.nonce),
  state: row.state,
  transactionHash: row.transaction_hash,
  signedBytes: row.signed_bytes,
  confirmations: row.confirmations,
  settledHash: row.settled_hash,
  voidReason: row.void_reason,
  releasedAt: row.released_at,
  euroCents: BigInt(row.euro_cents),
  createdAt: row.created_at,
});

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
  const [row] = await queryable.query<PayoutIntentRow>(FIND, [id]);
  return row && toPayoutIntent(row);
}

/** Locks the intent's row until the database transaction ends. */
export async function lockPayoutIntent(tx: Tx, id: string): Promise<PayoutIntent | undefined> {
  const [row] = await tx.query<PayoutIntentRow>(LOCK, [id]);
  return row && toPayoutIntent(row);
}

/** Everything an order owes or owed, oldest first. */
export async function listPayoutIntents(
  queryable: Queryable,
  orderId: bigint,
): Promise<PayoutIntent[]> {
  const rows = await queryable.query<PayoutIntentRow>(LIST, [orderId]);
  return rows.map(toPayoutIntent);
}

/**
 * Takes the next place in the wallet's sequence for an intent that has none. Last in its database
 * transaction: everybody else who pays out on the network waits until it commits.
 */
export function bindNonce(tx: Tx, intentId: string): void {
  tx.send(BIND_NONCE, [intentId]);
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
