import type { SignedTransaction } from "../domain/ports/chain-gateway.ts";
import { type Queryable, statement, type Tx } from "./database.ts";

export type PayoutState = "created" | "signed" | "broadcast" | "confirmed";

/** What an order owes its customer on a chain. Signed once; never back from signed. */
export interface PayoutIntent {
  readonly id: string;
  readonly orderId: bigint;
  readonly assetId: number;
  readonly units: bigint;
  readonly networkCode: string;
  readonly address: string;
  readonly memo: string | null;
  readonly state: PayoutState;
  readonly transactionHash: string | null;
  readonly signedBytes: Uint8Array | null;
  readonly confirmations: number;
}

export interface PayoutIntentRow {
  readonly id: string;
  readonly order_id: string;
  readonly asset_id: number;
  readonly units: string;
  readonly network_code: string;
  readonly address: string;
  readonly memo: string | null;
  readonly state: PayoutState;
  readonly transaction_hash: string | null;
  readonly signed_bytes: Buffer | null;
  readonly confirmations: number;
}

export const toPayoutIntent = (row: PayoutIntentRow): PayoutIntent => ({
  id: row.id,
  orderId: BigInt(row.order_id),
  assetId: row.asset_id,
  units: BigInt(row.units),
  networkCode: row.network_code,
  address: row.address,
  memo: row.memo,
  state: row.state,
  transactionHash: row.transaction_hash,
  signedBytes: row.signed_bytes,
  confirmations: row.confirmations,
});

const INSERT = statement(
  "payout_intents_insert",
  `insert into payout_intents (id, order_id, merchant_id, asset_id, units, network_code, address,
     memo)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const FIND = statement("payout_intents_find", "select * from payout_intents where order_id = $1");

// Whoever signs first wins: the bytes of any other signing are thrown away unsent.
const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `update payout_intents set state = 'signed', transaction_hash = $2, signed_bytes = $3,
     updated_at = business_now()
   where id = $1 and state = 'created'`,
);

const ADVANCE = statement(
  "payout_intents_advance",
  `update payout_intents set state = $2, confirmations = $3, updated_at = business_now()
   where id = $1`,
);

export type NewPayoutIntent = Pick<
  PayoutIntent,
  "id" | "orderId" | "assetId" | "units" | "networkCode" | "address" | "memo"
> & { readonly merchantId: string };

export async function insertPayoutIntent(tx: Tx, intent: NewPayoutIntent): Promise<void> {
  await tx.query(INSERT, [
    intent.id,
    intent.orderId,
    intent.merchantId,
    intent.assetId,
    intent.units,
    intent.networkCode,
    intent.address,
    intent.memo,
  ]);
}

export async function findPayoutIntent(
  queryable: Queryable,
  orderId: bigint,
): Promise<PayoutIntent | undefined> {
  const [row] = await queryable.query<PayoutIntentRow>(FIND, [orderId]);
  return row && toPayoutIntent(row);
}

/** Stores the signed bytes unless the intent has some already. */
export async function storeSigned(
  queryable: Queryable,
  intentId: string,
  signed: SignedTransaction,
): Promise<void> {
  await queryable.query(STORE_SIGNED, [intentId, signed.transactionHash, signed.bytes]);
}

/** Records how far the broadcast transaction is. */
export async function advancePayoutIntent(
  queryable: Queryable,
  intentId: string,
  progress: { readonly state: "broadcast" | "confirmed"; readonly confirmations: number },
): Promise<void> {
  await queryable.query(ADVANCE, [intentId, progress.state, progress.confirmations]);
}
