import type { SignedTransaction } from "../../domain/ports/chain-gateway.ts";
import { plainWords } from "../../domain/ports/plain-words.ts";
import type { Quorum } from "./agree.ts";
import type { Rpc } from "./rpc.ts";

/** Sends the bytes to one endpoint. Returns the words of an unexpected refusal. */
type SendTo = (rpc: Rpc, bytes: Uint8Array) => Promise<string | undefined>;

/** Sends a transaction to every endpoint. Throws when all of them refuse it unexpectedly. */
export async function broadcastToAll(
  quorum: Quorum,
  { transactionHash, bytes }: SignedTransaction,
  sendTo: SendTo,
): Promise<void> {
  const answers = await quorum.collect({
    what: `transaction ${transactionHash}`,
    ask: (rpc) => sendTo(rpc, bytes),
  });
  const refusals = answers.flatMap(({ value }) => value ?? []);
  if (refusals.length < answers.length) return;
  const words = plainWords(refusals.join("; "));
  throw new Error(`every endpoint refused transaction ${transactionHash}: ${words}`);
}
