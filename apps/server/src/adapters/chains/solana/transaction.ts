import { ed25519 } from "@noble/curves/ed25519.js";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import { solanaBytes, tokenAccountOf, toSolanaForm } from "../../../domain/wallets/solana.ts";
import { readMessage, splitTransaction } from "../../../domain/wallets/solana-message.ts";
import { readSweep, SWEEP_SIGNATURES } from "../../../domain/wallets/solana-sweep.ts";
import {
  readTokenMessage,
  type SolanaToken,
  type SolanaTokenTransfer,
} from "../../../domain/wallets/solana-token-message.ts";
import { otherBytes } from "../ask-to-sign.ts";
import type { SolanaTransaction } from "./transactions.ts";

/** Returns the token of an asset. Null for SOL. */
export type TokenOf = (assetReference: string) => SolanaToken | null;

/** Returns the payment that a send makes. */
export function paymentOfSend({ outputs }: Pick<ChainSend, "outputs">): {
  readonly to: string;
  readonly units: bigint;
  readonly assetReference: string;
} {
  const [output, ...others] = outputs;
  if (!output || others.length > 0) throw new Error("a send on Solana has one output");
  const { address: to, units, assetReference } = output;
  return { to, units, assetReference };
}

/** Throws unless the signer's transaction is exactly the send, after its block. */
export function requireSend(
  { transactionHash, bytes }: SignedTransaction,
  send: ChainSend,
  { from, tokenOf }: { readonly from: string; readonly tokenOf: TokenOf },
): void {
  const { to, units, assetReference } = paymentOfSend(send);
  const token = tokenOf(assetReference);
  const read = token === null ? readMessage : (message: Uint8Array) => readPayment(message, token);
  const found = readSigned(bytes, read);
  if (!found) throw otherBytes(transactionHash, send.id);
  const { signature, message, signed } = found;
  const isSame =
    toSolanaForm(signature) === transactionHash &&
    ed25519.verify(signature, message, solanaBytes(from)) &&
    signed.from === from &&
    send.place?.kind === "until" &&
    signed.blockhash === send.place.reference &&
    signed.to === to &&
    signed.units === units;
  if (!isSame) throw otherBytes(transactionHash, send.id);
}

/** Returns the payment that a message makes. Throws for one of another token. */
function readPayment(message: Uint8Array, { mint, decimals }: SolanaToken): SolanaTokenTransfer {
  const signed = readTokenMessage(message);
  if (signed.mint === mint && signed.decimals === decimals) return signed;
  throw new Error(`the bytes pay ${signed.mint}, and not ${mint} with ${decimals} decimals`);
}

/** Returns a transaction of the signer with its message. Undefined for bytes of any other form. */
function readSigned<Message>(
  bytes: Uint8Array,
  read: (message: Uint8Array) => Message,
  signatures = 1,
) {
  try {
    const parts = splitTransaction(bytes, signatures);
    return { ...parts, signed: read(parts.message) };
  } catch {
    return undefined;
  }
}

/** Returns the units of an asset that a transaction brought to a wallet: its lamports, or tokens in its own token account. */
export function unitsBrought(
  { changes, tokens }: Pick<SolanaTransaction, "changes" | "tokens">,
  to: string,
  token: SolanaToken | null,
): bigint {
  if (token === null) return changes.get(to) ?? 0n;
  const account = tokenAccountOf(to, token.mint);
  return tokens
    .filter((one) => one.account === account && one.owner === to && one.mint === token.mint)
    .reduce((sum, { units }) => sum + units, 0n);
}

/** Throws unless the signer's transaction sweeps exactly the send to the wallet that pays its fee, after its block. */
export function requireSweep(
  { transactionHash, bytes }: SignedTransaction,
  { send, from }: { readonly send: ChainSend; readonly from: string },
  { base, reference }: { readonly base: string; readonly reference: string },
): void {
  const { to, units } = paymentOfSend(send);
  const found = readSigned(bytes, readSweep, SWEEP_SIGNATURES);
  if (!found) throw otherBytes(transactionHash, send.id);
  const { signature, signatures, message, signed } = found;
  const isSame =
    toSolanaForm(signature) === transactionHash &&
    [to, base].every((account, at) =>
      ed25519.verify(signatures[at] ?? signature, message, solanaBytes(account)),
    ) &&
    signed.from === from &&
    signed.base === base &&
    signed.blockhash === reference &&
    signed.to === to &&
    signed.units === units;
  if (!isSame) throw otherBytes(transactionHash, send.id);
}
