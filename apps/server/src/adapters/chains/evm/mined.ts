import { Disagreement } from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import { EndpointFault, type Rpc, type RpcCall } from "../rpc.ts";
import { BALANCE_OF, TRANSFER, topicOf } from "./logs.ts";
import { feeOf, isGood } from "./receipts.ts";
import {
  hexOf,
  type RpcBlock,
  type RpcLog,
  type RpcReceipt,
  type RpcTransaction,
  type Words,
  wordsOf,
} from "./words.ts";

/** A transaction in a block that is in the chain. */
export interface MinedTransaction {
  readonly hash: string;
  readonly height: bigint;
  readonly blockHash: string;
  readonly isSuccess: boolean;
  readonly networkFee: bigint;
  /** The units that the token's events moved from our wallet to the recipient. */
  readonly moved: bigint;
  /** The number of all events of the token's contract. */
  readonly events: number;
}

/** The transfer that a mined transaction should have made. */
export interface ExpectedTransfer {
  readonly from: string;
  readonly to: string;
  /** The contract of the token. Null for the network's own coin. */
  readonly contract: string | null;
}

export interface MinedQuestion {
  /** The newest last. */
  readonly hashes: readonly string[];
  readonly expected: ExpectedTransfer;
  /** Whether the operator's own nodes must agree. */
  readonly isFinal: boolean;
}

/** Returns the one of the transactions that is in a block, as enough endpoints say, or null. */
export function findMined(
  quorum: Quorum,
  { hashes, expected, isFinal }: MinedQuestion,
): Promise<MinedTransaction | null> {
  const newestFirst = [...hashes].reverse();
  return quorum.agree({
    what: `transaction ${newestFirst[0]}`,
    ask: (rpc) => readMined(rpc, newestFirst, expected),
    keyOf: (mined) => (mined === null ? "none" : Object.values(mined).join(" ")),
    ...(isFinal ? { needsOwn: true as const } : {}),
  });
}

async function readMined(
  rpc: Rpc,
  hashes: readonly string[],
  expected: ExpectedTransfer,
): Promise<MinedTransaction | null> {
  const words = wordsOf(rpc.name);
  const calls = hashes.map((hash): RpcCall => ["eth_getTransactionReceipt", hash]);
  const answers = await rpc.ask(calls);
  for (const [index, answer] of answers.entries()) {
    const receipt = words.object<RpcReceipt>(answer);
    if (!receipt) continue;
    const mined = readReceipt(words, receipt, expected);
    if (mined.hash !== hashes[index]) {
      throw new EndpointFault(rpc.name, "a receipt of another transaction");
    }
    // A receipt may be of a block that was dropped.
    const [block] = await rpc.ask([["eth_getBlockByNumber", hexOf(mined.height), false]]);
    if (words.object<RpcBlock>(block)?.hash === mined.blockHash) return mined;
  }
  return null;
}

function readReceipt(
  words: Words,
  receipt: RpcReceipt,
  { from, to, contract }: ExpectedTransfer,
): MinedTransaction {
  const logs = words.list<RpcLog>(receipt.logs);
  const ofToken = logs.filter(({ address }) => words.address(address) === contract?.toLowerCase());
  const moved = ofToken
    .filter(({ topics = [] }) => {
      const [event, sender, recipient, ...others] = topics;
      return (
        event === TRANSFER &&
        sender === topicOf(from) &&
        recipient === topicOf(to) &&
        others.length === 0
      );
    })
    .reduce((sum, { data }) => sum + words.quantity(data), 0n);
  return {
    hash: words.hash(receipt.transactionHash),
    height: words.quantity(receipt.blockNumber),
    blockHash: words.hash(receipt.blockHash),
    isSuccess: isGood(words, receipt),
    networkFee: feeOf(words, receipt),
    moved,
    events: ofToken.length,
  };
}

/** Returns how many of the endpoints that answer have the transaction, in a block or not. */
export async function countKnowing(quorum: Quorum, hash: string): Promise<number> {
  const ask = async (rpc: Rpc): Promise<boolean> => {
    const [answer] = await rpc.ask([["eth_getTransactionByHash", hash]]);
    return wordsOf(rpc.name).object<RpcTransaction>(answer) !== undefined;
  };
  const answers = await quorum.collect({ what: `transaction ${hash}`, ask });
  return answers.filter(({ value }) => value).length;
}

/** Returns whether the recipient has the same balance after the block as before. False where nodes cannot say. */
export async function isBalanceUnchanged(
  quorum: Quorum,
  { contract, to }: ExpectedTransfer,
  height: bigint,
): Promise<boolean> {
  const data = `${BALANCE_OF}${to.slice(2).toLowerCase().padStart(64, "0")}`;
  const ask = async (rpc: Rpc): Promise<boolean> => {
    const [before, after] = await rpc.ask([
      ["eth_call", { to: contract, data }, hexOf(height - 1n)],
      ["eth_call", { to: contract, data }, hexOf(height)],
    ]);
    // A contract that was destroyed in the block answers with no bytes, and moved nothing.
    return after === "0x" || before === after;
  };
  const question = { what: `the balance of ${to}`, ask, keyOf: String, needsOwn: true } as const;
  return quorum.agree(question).catch((error: unknown) => {
    if (error instanceof Disagreement) return false;
    throw error;
  });
}
