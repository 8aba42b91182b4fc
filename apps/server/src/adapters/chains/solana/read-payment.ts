import type { SolanaToken } from "../../../domain/wallets/solana-token-message.ts";
import type { MinedPayment } from "../mined-payment.ts";
import { openSolanaQuorum, type SolanaEndpointsOptions } from "./endpoints.ts";
import { findMined } from "./follow.ts";
import { unitsBrought } from "./transaction.ts";
import { costOf } from "./transactions.ts";

/** Reads a payment in a finalized block, for the operator's check. Returns null while none has it. */
export async function readSolanaPayment(
  options: SolanaEndpointsOptions,
  hash: string,
  { to, token }: { readonly to: string; readonly token: SolanaToken | null },
): Promise<MinedPayment | null> {
  const quorum = openSolanaQuorum(options);
  try {
    const mined = await findMined(quorum, hash, "finalized");
    if (mined === null) return null;
    const { height, error } = mined;
    const units = unitsBrought(mined, to, token);
    return { height, isSuccess: error === null, networkFee: costOf(mined), units };
  } finally {
    await quorum.close();
  }
}
