import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { solanaBytes, toSolanaForm } from "../domain/wallets/solana.ts";
import {
  feeAt,
  readMessage,
  type SolanaTransfer,
  U64_MAX,
  writeMessage,
  writeTransaction,
} from "../domain/wallets/solana-message.ts";
import { answerUntil } from "./deadline-rules.ts";
import type { PaySolanaRequest, SignedAnswer } from "./protocol.ts";
import { readRelease } from "./release-rules.ts";
import { SignRefusal } from "./signer-error.ts";
import { requirePayee, type SignerParts } from "./signing.ts";
import type { SolanaAccount } from "./solana-wallets.ts";

/**
 * Signs a released payment of SOL. The same request always has the same answer. Nothing excludes a second transaction
 * of the payment, so the rules are those of deadlines. The signer knows no block heights: its time is only the earliest
 * at which another transaction may follow (docs/decisions/0125-pay-on-solana-by-deadlines.md).
 */
export function paySolana(
  parts: SignerParts,
  { release: signed, terms }: PaySolanaRequest,
): SignedAnswer {
  const payment = readRelease(signed, parts.policy);
  const { release } = payment;
  const account = parts.wallets.solana(release.wallet);
  requireSolanaAddress(release.address);
  requirePayee(payment, parts);
  const price = BigInt(terms.unitPrice);
  const { address: to, units } = release;
  const transfer = { from: account.address, to, units, blockhash: terms.reference };
  const message = buildMessage({ ...transfer, unitPrice: price });
  // Signatures of Ed25519 are deterministic, and the first one is the transaction's id.
  const sign = () => signMessage([account], message);
  return answerUntil(parts, {
    ...{ payment, terms, account, price, sign },
    digest: bytesToHex(sha256(message)),
    hash: () => sign().hash,
    fee: feeAt(price),
  });
}

/** Programs and their settings have addresses that end so, or consist of ones. */
const RESERVED = /^(1{32}|.*1{11})$/;

/** Throws unless the text is an address of Solana that somebody may have the key of. */
export function requireSolanaAddress(text: string): void {
  try {
    solanaBytes(text);
  } catch {
    throw new SignRefusal("address", `"${text}" is not an address of Solana.`);
  }
  if (!RESERVED.test(text)) return;
  throw new SignRefusal("destination", "Coins sent to a program of Solana are lost.");
}

/** Builds the message, reads its bytes again and compares them with the transfer. */
function buildMessage(transfer: SolanaTransfer): Uint8Array {
  if (transfer.units > U64_MAX || transfer.unitPrice > U64_MAX) {
    throw new SignRefusal(
      "release_text",
      `The units and the unit price are each at most ${U64_MAX}.`,
    );
  }
  const message = writeMessage(transfer);
  const { from, to, units, blockhash, unitPrice } = readMessage(message);
  const isSame =
    from === transfer.from &&
    to === transfer.to &&
    units === transfer.units &&
    blockhash === transfer.blockhash &&
    unitPrice === transfer.unitPrice;
  if (isSame) return message;
  throw new Error("the encoded transaction does not say what was to be signed");
}

/** Signs with the keys of the accounts, in their order in the message. The first signature is the transaction's id. */
export function signMessage(
  accounts: readonly Pick<SolanaAccount, "key" | "address">[],
  message: Uint8Array,
): SignedAnswer {
  const signatures = accounts.map(({ key, address }) => {
    const signature = ed25519.sign(message, key);
    if (ed25519.verify(signature, message, solanaBytes(address))) return signature;
    throw new Error("the signature is not of the account's address");
  });
  const [first = new Uint8Array()] = signatures;
  return {
    hash: toSolanaForm(first),
    bytes: bytesToHex(writeTransaction(signatures, message)),
  };
}
