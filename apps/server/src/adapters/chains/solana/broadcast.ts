import { type Rpc, RpcRefusal } from "../rpc.ts";

const OPTIONS = { encoding: "base64", skipPreflight: true };

/**
 * Sends the bytes to one endpoint and returns the words of a refusal. The node does not try the transaction first: the
 * chain's own verdict is final, and a node's trial is not.
 */
export async function sendTo(rpc: Rpc, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await rpc.ask([["sendTransaction", Buffer.from(bytes).toString("base64"), OPTIONS]]);
    return undefined;
  } catch (error) {
    if (error instanceof RpcRefusal) return error.message;
    throw error;
  }
}
