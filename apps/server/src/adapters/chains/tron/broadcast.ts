import { bytesToHex } from "@noble/hashes/utils.js";
import type { SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import type { Quorum } from "../agree.ts";
import { type Rpc, RpcRefusal } from "../rpc.ts";

/**
 * Answers after which the transaction is looked for as if it had been taken: the node has it, its deadline has passed,
 * the node is behind or busy. `followSend` finds out what became of it.
 */
const EXPECTED: ReadonlySet<unknown> = new Set([
  "DUP_TRANSACTION_ERROR",
  "TRANSACTION_EXPIRATION_ERROR",
  "TAPOS_ERROR",
  "BLOCK_UNSOLIDIFIED",
  "SERVER_BUSY",
  "NO_CONNECTION",
  "NOT_ENOUGH_EFFECTIVE_CONNECTION",
]);

interface BroadcastAnswer {
  readonly result?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Sends the bytes to every endpoint. Throws when all of them refuse for a reason that nobody expects. */
export async function broadcastToAll(
  quorum: Quorum,
  { transactionHash, bytes }: SignedTransaction,
): Promise<void> {
  const answers = await quorum.collect({
    what: `transaction ${transactionHash}`,
    ask: (rpc) => sendTo(rpc, bytesToHex(bytes)),
  });
  const refusals = answers.flatMap(({ value }) => value ?? []);
  if (refusals.length < answers.length) return;
  throw new Error(`every endpoint refused transaction ${transactionHash}: ${refusals.join("; ")}`);
}

/** Returns the words of a refusal that nobody expects. */
async function sendTo(rpc: Rpc, transaction: string): Promise<string | undefined> {
  try {
    // The JSON form of a transaction is encoded again by the node, so its id could change.
    const [answer] = await rpc.ask([["/wallet/broadcasthex", { transaction }]]);
    const { result, code, message } = answer as BroadcastAnswer;
    if (result === true || EXPECTED.has(code)) return undefined;
    return `${String(code)}: ${String(message).slice(0, 200)}`;
  } catch (error) {
    if (error instanceof RpcRefusal) return error.message;
    throw error;
  }
}
