import { ed25519 } from "@noble/curves/ed25519.js";
import type { ChainSend, SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import { solanaBytes, toSolanaForm } from "../../../domain/wallets/solana.ts";
import { readMessage, splitTransaction } from "../../../domain/wallets/solana-message.ts";
import { readSweep, SWEEP_SIGNATURES } from "../../../domain/wallets/solana-sweep.ts";
import { otherBytes } from "../ask-to-sign.ts";

/** Returns the payment that a send makes. */
export function paymentOfSend({ outputs }: Pick<ChainSend, "outputs">): {
  readonly to: string;
  readonly units: bigint;
} {
  const [output, ...others] = outputs;
  if (!output || others.length > 0) throw new Error("a send on Solana has one output");
  return { to: output.address, units: output.units };
}

/** Throws unless the signer's transaction is exactly the send, after its block. */
export function requireSend(
  { transactionHash, bytes }: SignedTransaction,
  send: ChainSend,
  from: string,
): void {
  const { signature, message } = splitTransaction(bytes);
  const { to, units } = paymentOfSend(send);
  const signed = readMessage(message);
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

/** Throws unless the signer's transaction sweeps exactly the send to the wallet that pays its fee, after its block. */
export function requireSweep(
  { transactionHash, bytes }: SignedTransaction,
  { send, from }: { readonly send: ChainSend; readonly from: string },
  { base, reference }: { readonly base: string; readonly reference: string },
): void {
  const { signature, signatures, message } = splitTransaction(bytes, SWEEP_SIGNATURES);
  const { to, units } = paymentOfSend(send);
  const signed = readSweep(message);
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
