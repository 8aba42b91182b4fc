import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export type PayoutState = "created" | "signed" | "broadcast" | "confirmed" | "void";
export type PayoutPurpose = "payout" | "refund" | "excess_refund";
export type PayoutRailName = "chain" | "bank" | "card";
/** Why it will never be sent: the rail rejected it, or it was taken back before it was signed. */
export type VoidReason = "rejected" | "withdrawn";

/** An asset we owe: an order's payout, or a refund. Signed once; never back from signed. */
export interface PayoutIntent {
  readonly id: string;
  readonly orderId: bigint;
  readonly merchantId: string;
  readonly purpose: PayoutPurpose;
  readonly rail: PayoutRailName;
  readonly assetId: number;
  readonly units: bigint;
  readonly networkCode: string | null;
  readonly address: string | null;
  readonly memo: string | null;
  /** What a refund gives back. */
  readonly attemptId: string | null;
  readonly depositId: string | null;
  readonly nonce: bigint | null;
  readonly state: PayoutState;
  /** What the rail knows it by: a transaction hash, or a reference. */
  readonly transactionHash: string | null;
  readonly signedBytes: Uint8Array | null;
  readonly confirmations: number;
  /** Which of its transactions was mined, where one was replaced. */
  readonly settledHash: string | null;
  readonly voidReason: VoidReason | null;
  readonly releasedAt: Date | null;
  readonly euroCents: bigint;
  readonly createdAt: Date;
}

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

const INSERT = statement(
  "payout_intents_insert",
  `insert into payout_intents (id, order_id, merchant_id, purpose, rail, asset_id, units,
     network_code, address, memo, attempt_id, deposit_id, euro_cents)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

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

const VOID = statement(
  "payout_intents_void",
  `update payout_intents set state = 'void', void_reason = $2, updated_at = business_now()
   where id = $1 returning id`,
);

export type NewPayoutIntent = Pick<
  PayoutIntent,
  | "id"
  | "orderId"
  | "merchantId"
  | "purpose"
  | "rail"
  | "assetId"
  | "units"
  | "networkCode"
  | "address"
  | "memo"
  | "attemptId"
  | "depositId"
  | "euroCents"
>;

export function insertPayoutIntent(tx: Tx, intent: NewPayoutIntent): void {
  tx.send(INSERT, [
    intent.id,
    intent.orderId,
    intent.merchantId,
    intent.purpose,
    intent.rail,
    intent.assetId,
    intent.units,
    intent.networkCode,
    intent.address,
    intent.memo,
    intent.attemptId,
    intent.depositId,
    intent.euroCents,
  ]);
}

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

const MARK_RELEASED = statement(
  "payout_intents_mark_released",
  `update payout_intents set released_at = coalesce(released_at, business_now())
   where id = $1 and ${isIn("'created'")}`,
);

/** From now on it will be sent: its order cannot be held any more. */
export function markReleased(tx: Tx, intentId: string): void {
  tx.send(MARK_RELEASED, [intentId]);
}

/** How far a transfer is. */
export interface PayoutProgress {
  readonly state: "broadcast" | "confirmed";
  readonly confirmations: number;
  /** The transaction that was mined; null while none was. */
  readonly settledHash: string | null;
}

/** What a step of the order changes of an intent; what is left out stays. */
export interface PayoutChange extends Partial<Omit<PayoutProgress, "state">> {
  readonly isReleased?: boolean;
  readonly state?: "confirmed" | "void";
  readonly voidReason?: VoidReason;
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

/** Ends the intent unsent. The database refuses it for a signed one that its rail did not reject. */
export async function voidPayoutIntent(
  tx: Tx,
  intentId: string,
  reason: VoidReason,
): Promise<void> {
  const rows = await tx.query(VOID, [intentId, reason]);
  if (rows.length === 0) throw new Error(`payout intent ${intentId} is missing`);
}
