import { bytesToHex } from "@noble/hashes/utils.js";
import type { SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import type { Quorum } from "../agree.ts";
import { AnswerTooLong, type Rpc, RpcRefusal } from "../rpc.ts";

/** The errors that mean that a transaction is already pending or mined. `follow` finds out which. */
const IS_KNOWN = /already known|already imported|already exists|known transaction|nonce too low/i;

/** A node drops what no block takes at its price. `follow` finds it stuck, and it is replaced. */
const IS_CHEAP = /underpriced|less than block base fee|fee too low/i;

/** Sends the bytes to every endpoint. Throws when all of them refuse for another reason than the price. */
export async function broadcastToAll(
  quorum: Quorum,
  { transactionHash, bytes }: SignedTransaction,
): Promise<void> {
  const raw = `0x${bytesToHex(bytes)}`;
  const answers = await quorum.collect({
    what: `transaction ${transactionHash}`,
    ask: (rpc) => sendTo(rpc, raw),
  });
  const refusals = answers.flatMap(({ value }) => value ?? []);
  if (refusals.length < answers.length) return;
  throw new Error(`every endpoint refused transaction ${transactionHash}: ${refusals.join("; ")}`);
}

/** Returns the words of a refusal that nobody expects. */
async function sendTo(rpc: Rpc, raw: string): Promise<string | undefined> {
  try {
    await rpc.ask([["eth_sendRawTransaction", raw]]);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcRefusal || error instanceof AnswerTooLong)) throw error;
    const isExpected = IS_KNOWN.test(error.message) || IS_CHEAP.test(error.message);
    return isExpected ? undefined : error.message;
  }
}
