import { bytesToHex } from "@noble/hashes/utils.js";
import { type Rpc, RpcRefusal } from "../rpc.ts";

/**
 * Refusals that do not decide about a transaction: the node has it already, its deadline has passed, or the node is
 * behind or busy. `followSend` finds its outcome.
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

/** Sends the bytes to one endpoint. Returns the words of an unexpected refusal. */
export async function sendTo(rpc: Rpc, bytes: Uint8Array): Promise<string | undefined> {
  try {
    const transaction = bytesToHex(bytes);
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
