import type {
  ChainOutput,
  ChainSend,
  SignedTransaction,
} from "../../../domain/ports/chain-gateway.ts";
import { xrpAccountOf } from "../../../domain/wallets/xrp-address.ts";
import {
  readSignedXrp,
  type SignedXrp,
  type XrpPayment,
} from "../../../domain/wallets/xrp-transaction.ts";
import { otherBytes } from "../ask-to-sign.ts";

export interface XrpAccountFacts {
  readonly networkId: number;
  readonly address: string;
}

/** Returns the account and the tag that an output pays. An X-address names both (XLS-5). */
export function paymentOf({ address, memo, units }: ChainOutput): XrpPayment {
  const named = xrpAccountOf(address) ?? { address, memo };
  return { to: named.address, tag: named.memo === null ? null : Number(named.memo), units };
}

/** Returns the payment that a send makes. A cancel only uses its sequence. */
export function paymentOfSend({ purpose, outputs }: ChainSend): XrpPayment | null {
  if (purpose === "cancel") return null;
  const [output, ...others] = outputs;
  if (!output || others.length > 0) throw new Error("a send on the XRP Ledger has one output");
  return paymentOf(output);
}

export const readXrp = (
  { bytes }: SignedTransaction,
  { networkId }: Pick<XrpAccountFacts, "networkId">,
): SignedXrp => readSignedXrp(bytes, networkId);

/** Returns whether both pay the same, or nothing. */
const isSamePayment = (one: XrpPayment | null, other: XrpPayment | null): boolean =>
  one?.to === other?.to && one?.tag === other?.tag && one?.units === other?.units;

/** Returns whether a transaction goes to the account and the tag of the payment. */
export const isSentTo = (
  { destination, tag }: { readonly destination: string | null; readonly tag: string | null },
  payment: XrpPayment,
): boolean => destination === payment.to && tag === tagText(payment);

const tagText = ({ tag }: XrpPayment): string | null => (tag === null ? null : String(tag));

/** Throws unless the signer's transaction is exactly the send, until the ledger and for the fee that it was asked for. */
export function requireSend(
  signed: SignedTransaction,
  { send, fee, lastLedger }: { readonly send: ChainSend; readonly fee: bigint; lastLedger: number },
  account: XrpAccountFacts,
): void {
  const found = readXrp(signed, account);
  const isSame =
    found.hash === signed.transactionHash &&
    found.signer === account.address &&
    found.account === account.address &&
    found.networkId === account.networkId &&
    send.place?.kind === "nonce" &&
    BigInt(found.sequence) === send.place.nonce &&
    found.lastLedger === lastLedger &&
    found.fee === fee &&
    isSamePayment(found.payment, paymentOfSend(send));
  if (isSame) return;
  throw otherBytes(signed.transactionHash, send.id);
}
