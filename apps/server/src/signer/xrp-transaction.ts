import { createHash } from "node:crypto";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { Release } from "../domain/payouts/release-text.ts";
import { isMemo } from "../domain/wallets/memo.ts";
import { hasNoKey } from "../domain/wallets/without-key.ts";
import { isXrpAddress, xrpAccountOf } from "../domain/wallets/xrp-address.ts";
import {
  DROPS_MAX,
  prepareXrp,
  readSignedXrp,
  type SignedXrp,
  type XrpPayment,
  type XrpTransaction,
} from "../domain/wallets/xrp-transaction.ts";
import type { SignedAnswer, XrpTerms } from "./protocol.ts";
import { SignRefusal } from "./signer-error.ts";
import type { XrpSigningAccount } from "./wallets.ts";

export interface UnsignedXrpTransaction {
  /** The digest of the account and the bytes that are signed. */
  readonly digest: string;
  sign(): SignedAnswer;
}

/** Returns the account, the tag and the drops that a release pays. Throws a refusal for any other than a payment of XRP. */
export function xrpPaymentOf({ address, memo, units }: Release): XrpPayment {
  if (!isXrpAddress(address)) {
    throw new SignRefusal(
      "address",
      `"${address}" is not an address of the XRP Ledger, or its checksum is wrong.`,
    );
  }
  const inAddress = xrpAccountOf(address);
  if (inAddress && memo !== null) {
    throw new SignRefusal(
      "memo",
      "The release has a memo, but an X-address contains its own tag. Release it without a memo, or to the classic address.",
    );
  }
  const { address: to, memo: tag } = inAddress ?? { address, memo };
  if (tag !== null && !isMemo("xrp", tag)) {
    throw new SignRefusal("memo", `"${tag}" is not a destination tag. Write a number below 2^32.`);
  }
  if (hasNoKey("xrp", to)) {
    throw new SignRefusal("destination", `Nobody has a key of ${to}. Coins sent there are lost.`);
  }
  if (units > DROPS_MAX) {
    throw new SignRefusal(
      "release_text",
      `The release pays ${units} drops. A payment has at most ${DROPS_MAX}.`,
    );
  }
  return { to, tag: tag === null ? null : Number(tag), units };
}

/** Prepares the transaction. It is decoded again, and compared with what was to be signed, once it is signed. */
export function buildXrp(
  account: XrpSigningAccount,
  { sequence, payment }: Pick<XrpTransaction, "sequence" | "payment">,
  { fee, lastLedger }: XrpTerms,
): UnsignedXrpTransaction {
  const { address, network, place, key } = account;
  const { networkId } = network;
  const transaction = {
    ...{ account: address, sequence, lastLedger, fee: BigInt(fee), networkId, payment },
  };
  if (transaction.fee > DROPS_MAX) {
    throw new SignRefusal("fee", `The fee is ${fee} drops. A fee is at most ${DROPS_MAX}.`);
  }
  const prepared = prepareXrp(transaction, key);
  const digest = createHash("sha256")
    .update(`${place} ${bytesToHex(prepared.bytes)}`)
    .digest("hex");
  const sign = (): SignedAnswer => {
    const { hash, bytes } = prepared.sign();
    const text = bytesToHex(bytes);
    requireSame(readSignedXrp(hexToBytes(text), networkId), transaction);
    return { hash, bytes: text };
  };
  return { digest, sign };
}

/** Reads the encoded bytes with no regard to how they were built. A fault in the encoder ends here. */
function requireSame(signed: SignedXrp, wanted: XrpTransaction): void {
  const isSame =
    signed.signer === wanted.account &&
    signed.account === wanted.account &&
    signed.sequence === wanted.sequence &&
    signed.lastLedger === wanted.lastLedger &&
    signed.fee === wanted.fee &&
    signed.networkId === wanted.networkId &&
    signed.payment?.to === wanted.payment?.to &&
    signed.payment?.tag === wanted.payment?.tag &&
    signed.payment?.units === wanted.payment?.units;
  if (!isSame) throw new Error("the encoded transaction does not say what was to be signed");
}
