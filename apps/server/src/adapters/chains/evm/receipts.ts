import { EndpointFault, type Rpc } from "../rpc.ts";
import type { FoundTransfer } from "./logs.ts";
import { type RpcLog, type RpcReceipt, type Words, wordsOf } from "./words.ts";

const RECEIPTS_AT_ONCE = 50;

/** Returns the receipt of a transaction. Throws when it is not of the block. */
export type ReceiptOf = (transaction: {
  readonly transactionHash: string;
  readonly blockHash: string;
}) => RpcReceipt;

/** Reads the receipts of the transactions, each once. */
export async function readReceipts(rpc: Rpc, hashes: readonly string[]): Promise<ReceiptOf> {
  const all = [...new Set(hashes)];
  const receipts = new Map<string, RpcReceipt>();
  const words = wordsOf(rpc.name);
  for (let index = 0; index < all.length; index += RECEIPTS_AT_ONCE) {
    const part = all.slice(index, index + RECEIPTS_AT_ONCE);
    const answers = await rpc.ask(part.map((hash) => ["eth_getTransactionReceipt", hash]));
    for (const [place, hash] of part.entries()) {
      const receipt = words.object<RpcReceipt>(answers[place]);
      if (receipt) receipts.set(hash, receipt);
    }
  }
  return ({ transactionHash, blockHash }) => {
    const receipt = receipts.get(transactionHash);
    if (receipt && words.hash(receipt.blockHash) === blockHash) return receipt;
    const problem = `the receipt of ${transactionHash} is not of block ${blockHash}`;
    throw new EndpointFault(rpc.name, problem);
  };
}

/** Returns whether the transaction succeeded. A status other than that of success or of a reverted one is a fault. */
export const isGood = (words: Words, { status }: RpcReceipt): boolean => words.flag(status);

/**
 * Returns what a transaction cost, good or failed. Rollups of the OP stack charge for their data beside the gas, and
 * their operators may take a fee too.
 */
export function feeOf(words: Words, receipt: RpcReceipt): bigint {
  const gas = words.quantity(receipt.gasUsed);
  const own = gas * words.quantity(receipt.effectiveGasPrice);
  return own + optional(words, receipt.l1Fee) + operatorFeeOf(words, receipt, gas);
}

const optional = (words: Words, value: unknown): bigint =>
  value === undefined || value === null ? 0n : words.quantity(value);

/** The scalar counts millionths of a unit for each gas. Since Jovian, whose receipts have a scalar of data, hundreds. */
const SCALAR_PARTS = 1_000_000n;
const JOVIAN_FACTOR = 100n;

/** The upgrade Isthmus added the two parameters to receipts. Before it, and where they are zero, there is no such fee. */
function operatorFeeOf(words: Words, receipt: RpcReceipt, gas: bigint): bigint {
  const { operatorFeeScalar, operatorFeeConstant, daFootprintGasScalar } = receipt;
  const scaled = gas * optional(words, operatorFeeScalar);
  const isJovian = daFootprintGasScalar !== undefined && daFootprintGasScalar !== null;
  const variable = isJovian ? scaled * JOVIAN_FACTOR : scaled / SCALAR_PARTS;
  return variable + optional(words, operatorFeeConstant);
}

/**
 * Returns the number of the log within its transaction. Its number within the block changes when the transaction is
 * mined again. Throws when the receipt of a good transaction lacks the log.
 */
export function placeOf(rpc: Rpc, receipt: RpcReceipt, log: FoundTransfer["log"]): number {
  const words = wordsOf(rpc.name);
  const place = words
    .list<RpcLog>(receipt.logs)
    .findIndex(
      (one) =>
        words.quantity(one.logIndex) === log.index &&
        words.address(one.address) === log.address &&
        one.data === log.data &&
        String(one.topics) === log.topics,
    );
  if (isGood(words, receipt) && place >= 0) return place;
  const hash = String(receipt.transactionHash);
  throw new EndpointFault(rpc.name, `the receipt of ${hash} lacks a log of it`);
}
