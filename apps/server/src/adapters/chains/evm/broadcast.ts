import { bytesToHex } from "@noble/hashes/utils.js";
import { AnswerTooLong, type Rpc, RpcRefusal } from "../rpc.ts";

/** The errors that mean that a transaction is already pending or mined. `follow` finds out which. */
const IS_KNOWN =
  /already ?known|already (imported|exists)|known transaction|existing tx with same hash|nonce (is )?too low|old ?nonce/i;

/** A node drops what no block takes at its price. `follow` finds it stuck, and it is replaced. */
const IS_CHEAP =
  /underpriced|less than block base fee|fee ?too ?low|gas price below|replacement ?not ?allowed|not replace existing/i;

/** Sends the bytes to one endpoint. Returns the words of an unexpected refusal. */
export async function sendTo(rpc: Rpc, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await rpc.ask([["eth_sendRawTransaction", `0x${bytesToHex(bytes)}`]]);
    return undefined;
  } catch (error) {
    if (!(error instanceof RpcRefusal || error instanceof AnswerTooLong)) throw error;
    const isExpected = IS_KNOWN.test(error.message) || IS_CHEAP.test(error.message);
    return isExpected ? undefined : error.message;
  }
}
