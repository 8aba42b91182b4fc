import type { MinedPayment } from "../mined-payment.ts";
import { openSolana, type SolanaEndpointsOptions } from "./endpoints.ts";
import { findMined } from "./follow.ts";

/** Reads a payment in a finalized block, for the operator's check. Returns null while none has it. */
export async function readSolanaPayment(
  options: SolanaEndpointsOptions,
  hash: string,
  { to }: { readonly to: string },
): Promise<MinedPayment | null> {
  const quorum = openSolana(options);
  try {
    const mined = await findMined(quorum, hash, "finalized");
    if (mined === null) return null;
    const { height, error, fee: networkFee, changes } = mined;
    return { height, isSuccess: error === null, networkFee, units: changes.get(to) ?? 0n };
  } finally {
    await quorum.close();
  }
}
