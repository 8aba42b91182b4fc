import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { isOnCurve, solanaBytes, toSolanaForm } from "../domain/wallets/solana.ts";
import {
  feeAt,
  readMessage,
  type SolanaTransfer,
  U64_MAX,
  writeMessage,
  writeTransaction,
} from "../domain/wallets/solana-message.ts";
import {
  readTokenMessage,
  tokenFeeAt,
  writeTokenMessage,
} from "../domain/wallets/solana-token-message.ts";
import { hasNoKey } from "../domain/wallets/without-key.ts";
import { answerUntil } from "./deadline-rules.ts";
import type { PaySolanaRequest, SignedAnswer } from "./protocol.ts";
import { type ReleasedPayment, readRelease } from "./release-rules.ts";
import { SignRefusal } from "./signer-error.ts";
import { requirePayee, type SignerParts } from "./signing.ts";
import type { SolanaAccount } from "./solana-wallets.ts";

/**
 * Signs a released payment of SOL, or of a token of the Token program. The same request always has the same answer.
 * Nothing excludes a second transaction of the payment, so the rules are those of deadlines. The signer knows no
 * block heights: its time is only the earliest at which another transaction may follow
 * (docs/decisions/0125-pay-on-solana-by-deadlines.md).
 */
export function paySolana(
  parts: SignerParts,
  { release: signed, terms }: PaySolanaRequest,
): SignedAnswer {
  const payment = readRelease(signed, parts.policy);
  const { release } = payment;
  const account = parts.wallets.solana(release.wallet);
  requireSolanaPayee(payment, parts);
  const price = BigInt(terms.unitPrice);
  const { address: to, units } = release;
  const { contract: mint, decimals } = payment.asset;
  const transfer = {
    ...{ from: account.address, to, units },
    ...{ blockhash: terms.reference, unitPrice: price },
  };
  requireInRange(transfer);
  const message =
    mint === undefined
      ? buildMessage(writeMessage, readMessage, transfer)
      : buildMessage(writeTokenMessage, readTokenMessage, { ...transfer, mint, decimals });
  // Signatures of Ed25519 are deterministic, and the first one is the transaction's id.
  const sign = () => signMessage([account], message);
  return answerUntil(parts, {
    ...{ payment, terms, account, price, sign },
    digest: bytesToHex(sha256(message)),
    hash: () => sign().hash,
    ...(mint === undefined ? { fee: feeAt(price) } : { fee: tokenFeeAt(price), rent: TOKEN_RENT }),
  });
}

/** The rent of a token account, in lamports. The signer cannot see whether the wallet has one, so each payment counts it. */
const TOKEN_RENT = 2_039_280n;

/** Throws unless the text is an address of Solana that somebody may have the key of. */
function requireSolanaAddress(text: string): void {
  try {
    solanaBytes(text);
  } catch {
    throw new SignRefusal("address", `"${text}" is not an address of Solana.`);
  }
  if (!hasNoKey("solana", text)) return;
  throw new SignRefusal("destination", "Coins sent to a program of Solana are lost.");
}

/** Throws unless the policy lets the payment go to its address, which can have a private key where tokens are paid. */
export function requireSolanaPayee(payment: ReleasedPayment, parts: SignerParts): void {
  const { address } = payment.release;
  requireSolanaAddress(address);
  requirePayee(payment, parts);
  if (payment.asset.contract === undefined) return;
  if (isOnCurve(address)) return;
  throw new SignRefusal(
    "destination",
    "The destination has no private key. It is probably a token account. Pay the wallet that owns it.",
  );
}

function requireInRange({ units, unitPrice }: SolanaTransfer): void {
  if (units <= U64_MAX && unitPrice <= U64_MAX) return;
  throw new SignRefusal(
    "release_text",
    `The units and the unit price are each at most ${U64_MAX}.`,
  );
}

/** Builds the message, reads its bytes again and compares them with the transfer. */
function buildMessage<Transfer extends SolanaTransfer>(
  write: (transfer: Transfer) => Uint8Array,
  read: (message: Uint8Array) => Transfer,
  transfer: Transfer,
): Uint8Array {
  const message = write(transfer);
  const found = read(message);
  const names = Object.keys(transfer) as (keyof Transfer)[];
  if (names.every((name) => found[name] === transfer[name])) return message;
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
