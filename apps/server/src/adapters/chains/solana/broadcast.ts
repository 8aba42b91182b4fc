import type { SignedTransaction } from "../../../domain/ports/chain-gateway.ts";
import type { Quorum } from "../agree.ts";
import { RpcRefusal } from "../rpc.ts";

/**
 * Sends the bytes to every endpoint. No node tries them first: the chain's own verdict is final, and a node's trial is
 * not. Throws when all of them refuse.
 */
export async function broadcastToAll(
  quorum: Quorum,
  { transactionHash, bytes }: SignedTransaction,
): Promise<void> {
  const words = { encoding: "base64", skipPreflight: true };
  const call = ["sendTransaction", Buffer.from(bytes).toString("base64"), words] as const;
  const answers = await quorum.collect({
    what: `transaction ${transactionHash}`,
    ask: (rpc) =>
      rpc.ask([call]).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof RpcRefusal) return error.message;
          throw error;
        },
      ),
  });
  const refusals = answers.flatMap(({ value }) => value ?? []);
  if (refusals.length < answers.length) return;
  throw new Error(`every endpoint refused transaction ${transactionHash}: ${refusals.join("; ")}`);
}
