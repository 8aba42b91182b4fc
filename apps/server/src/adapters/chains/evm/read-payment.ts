import type { MinedPayment } from "../mined-payment.ts";
import type { Rpc } from "../rpc.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import { type ExpectedTransfer, findMined } from "./mined.ts";
import { type RpcTransaction, wordsOf } from "./words.ts";

/** Reads a payment on the chain, for the operator's check. Returns null while no block has it. */
export async function readPayment(
  options: EvmEndpointsOptions,
  hash: string,
  expected: ExpectedTransfer,
): Promise<MinedPayment | null> {
  const quorum = openEvmQuorum(options);
  try {
    const mined = await findMined(quorum, { hashes: [hash], expected, isFinal: true });
    if (mined === null) return null;
    const { height, isSuccess, networkFee, moved } = mined;
    if (expected.contract !== null) return { height, isSuccess, networkFee, units: moved };
    const units = await quorum.agree({
      what: `value of ${hash}`,
      ask: (rpc) => readValue(rpc, hash, expected),
      keyOf: String,
      needsOwn: true,
    });
    return { height, isSuccess, networkFee, units };
  } finally {
    await quorum.close();
  }
}

async function readValue(rpc: Rpc, hash: string, { from, to }: ExpectedTransfer): Promise<bigint> {
  const words = wordsOf(rpc.name);
  const [answer] = await rpc.ask([["eth_getTransactionByHash", hash]]);
  const transaction = words.object<RpcTransaction>(answer);
  const isPayment =
    transaction !== undefined &&
    words.address(transaction.from) === from.toLowerCase() &&
    words.address(transaction.to) === to.toLowerCase();
  return isPayment ? words.quantity(transaction.value) : 0n;
}
