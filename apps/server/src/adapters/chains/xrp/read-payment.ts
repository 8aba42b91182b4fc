import type { MinedPayment } from "../mined-payment.ts";
import { openXrpQuorum, type XrpEndpointsOptions } from "./endpoints.ts";
import { findValidated } from "./find-transaction.ts";
import { SUCCESS } from "./moves.ts";
import { isSentTo, paymentOf } from "./transaction.ts";

interface XrpPayment {
  readonly from: string;
  readonly to: string;
  readonly memo: string | null;
}

/** Reads a payment in a validated ledger, for the operator's check. Returns null while none has it. */
export async function readXrpPayment(
  options: XrpEndpointsOptions,
  hash: string,
  { from, to, memo }: XrpPayment,
): Promise<MinedPayment | null> {
  const quorum = openXrpQuorum(options);
  try {
    const move = await findValidated(quorum, { hash, account: from });
    if (move === null) return null;
    const { height, result, fee: networkFee, delivered, sender } = move;
    const wanted = paymentOf({ intentId: "", assetReference: "", address: to, memo, units: 0n });
    const isSame = sender === from && isSentTo(move, wanted);
    const units = isSame ? (delivered ?? 0n) : 0n;
    return { height, isSuccess: result === SUCCESS, networkFee, units };
  } finally {
    await quorum.close();
  }
}
