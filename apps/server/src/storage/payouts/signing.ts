import type { PayoutIntent } from "../../domain/payouts/payout-intent.ts";
import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import type { Database } from "../postgres/database.ts";
import { statement } from "../postgres/statement.ts";
import { retryOnConflict } from "../postgres/transaction.ts";
import { findPayoutIntent, isIn } from "./intents.ts";

type Signed = Pick<SignedTransaction, "transactionHash" | "bytes">;

const STORE_SIGNED = statement(
  "payout_intents_store_signed",
  `update payout_intents
   set state = 'signed', transaction_hash = $2, signed_bytes = $3, updated_at = business_now()
   where id = $1 and ${isIn("'created'")}`,
);

/**
 * Stores the signed bytes unless the intent already has some, and returns the stored intent. The first signing
 * wins; the bytes of a later one are never sent. Throws the database's `payouts_stopped` for a stopped intent.
 */
export async function storeSigned(
  database: Database,
  intent: PayoutIntent,
  signed: Signed,
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
