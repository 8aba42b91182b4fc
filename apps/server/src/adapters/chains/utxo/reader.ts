import {
  type BlockName,
  type ChainHeads,
  type ChainReader,
  Disagreement,
  type PendingPayment,
} from "../../../domain/ports/chain-reader.ts";
import { lowestOf, makeQuorum, type Quorum } from "../agree.ts";
import { type Endpoint, wrapEndpoint } from "../endpoint.ts";
import { EndpointFault, type Rpc } from "../rpc.ts";
import type { CoinScripts } from "./coin-movements.ts";
import { type PoolMemory, type PoolQuestion, readPool } from "./read-pool.ts";
import { askOrNothing, blockName, coinSpanKey, hashAt, readSpan } from "./read-span.ts";
import { makeNodeRpc } from "./rpc.ts";
import { type NodeBlock, nodeWordsOf } from "./words.ts";

export interface CoinEndpointSettings {
  readonly name: string;
  /** May hold the node's password, so it is in no message. */
  readonly url: string;
  readonly isOwn: boolean;
}

/** A chain of a coin, by its name in the nodes and the hash of its first block. */
export interface CoinChain {
  readonly name: string;
  readonly genesis: string;
}

export interface CoinReaderOptions {
  readonly networkCode: string;
  readonly chain: CoinChain;
  readonly endpoints: readonly CoinEndpointSettings[];
  readonly quorum: number;
  readonly timeoutMs: number;
  /** The blocks after which a deposit is final, its own included. */
  readonly confirmations: number;
  readonly suspect: (endpoint: string, what: string) => void;
  /** The hot wallet whose coins are read. */
  readonly wallet?: CoinScripts | undefined;
}

/** Reads a network of the Bitcoin family over the RPC of its nodes. They need no wallet and no index. */
export function makeCoinReader(options: CoinReaderOptions): ChainReader {
  const { networkCode, wallet } = options;
  const quorum = openCoinQuorum(options);
  const memories = new Map<string, PoolMemory>();
  return {
    heads: () => readHeads(quorum, options),
    nameOf: (height) => nameOf(quorum, height),
    read: async (from, to, watch) => {
      const what = `blocks ${from.height + 1n} to ${to}`;
      const ask = (rpc: Rpc) => readSpan(rpc, { networkCode, from, to, watch, wallet });
      // Nodes name no balances, so nothing else shows a payment that strangers add to a block or take from it.
      const span = await quorum.agree({ what, ask, keyOf: coinSpanKey, needsOwn: true });
      if (!span) throw new Disagreement(what);
      return span;
    },
    pendingPayments: (asset, listAddresses) =>
      readPools(quorum, memories, { networkCode, assetId: asset.assetId, listAddresses }),
    close: () => quorum.close(),
  };
}

/** Returns the payments that any of the nodes has. Nothing is credited for them, so one node is enough. */
async function readPools(
  quorum: Quorum,
  memories: Map<string, PoolMemory>,
  question: PoolQuestion,
): Promise<readonly PendingPayment[]> {
  const ask = (rpc: Rpc): Promise<readonly PendingPayment[]> => {
    const memory = memories.get(rpc.name) ?? { read: new Set(), found: new Map() };
    memories.set(rpc.name, memory);
    return readPool(rpc, memory, question);
  };
  const answers = await quorum.collect({ what: "unconfirmed payments", ask });
  const payments = answers.flatMap(({ value }) => value);
  return [...new Map(payments.map((payment) => [payment.id, payment])).values()];
}

/** Opens clients of all nodes, which must agree. Close them at the end. */
export function openCoinQuorum(options: CoinReaderOptions): Quorum {
  const { quorum, suspect } = options;
  return makeQuorum({ endpoints: openCoinEndpoints(options), quorum, suspect });
}

/** Opens a client of each node, which is asked alone. Close them at the end. */
export const openCoinEndpoints = (options: CoinReaderOptions): readonly Endpoint[] =>
  options.endpoints.map((one) => makeCoinEndpoint(one, options));

const makeCoinEndpoint = (
  one: CoinEndpointSettings,
  { timeoutMs, chain }: Pick<CoinReaderOptions, "timeoutMs" | "chain">,
): Endpoint =>
  wrapEndpoint({
    rpc: makeNodeRpc({ ...one, timeoutMs }),
    isOwn: one.isOwn,
    requireNetwork: (rpc) => requireChain(rpc, chain),
  });

/** A node of another chain would look healthy, and never report a deposit. */
async function requireChain(rpc: Rpc, { name, genesis }: CoinChain): Promise<void> {
  const words = nodeWordsOf(rpc.name);
  const [info, first] = await rpc.ask([["getblockchaininfo"], ["getblockhash", 0]]);
  const { chain } = words.object<{ readonly chain?: unknown }>(info);
  if (chain !== name) {
    throw new EndpointFault(rpc.name, `it follows the chain ${String(chain)}, not ${name}`);
  }
  const hash = words.hash(first);
  if (hash !== genesis) {
    throw new EndpointFault(rpc.name, `its first block is ${hash}, not ${genesis}`);
  }
}

/**
 * The head is the highest block that enough nodes and all of the operator's own ones have, because a block is read only
 * with those. Nodes name no final block, so the depth decides.
 */
async function readHeads(
  quorum: Quorum,
  { quorum: needed, confirmations, endpoints }: CoinReaderOptions,
): Promise<ChainHeads> {
  const ask = async (rpc: Rpc): Promise<bigint> => {
    const [count] = await rpc.ask([["getblockcount"]]);
    return nodeWordsOf(rpc.name).whole(count);
  };
  const answers = await quorum.collect({ what: "heads", ask });
  const highestFirst = answers.map(({ value }) => value).toSorted((a, b) => Number(b - a));
  const agreed = highestFirst[needed - 1];
  if (agreed === undefined) throw new Disagreement("heads");
  const own = answers.filter(({ endpoint }) => endpoint.isOwn).map(({ value }) => value);
  if (own.length < endpoints.filter(({ isOwn }) => isOwn).length) {
    return { believed: agreed, final: undefined };
  }
  const believed = lowestOf([agreed, ...own]);
  const final = believed - BigInt(confirmations) + 1n;
  return { believed, final: final < 0n ? undefined : final };
}

/**
 * A node without the block is behind, and says nothing: one that was killed comes back with fewer blocks, and that is
 * not a reorganisation. The operator's own nodes must be among those that agree.
 */
async function nameOf(quorum: Quorum, height: bigint): Promise<BlockName> {
  const what = `block ${height}`;
  const ask = async (rpc: Rpc): Promise<BlockName | undefined> => {
    const hash = await hashAt(rpc, height);
    if (hash === undefined) return undefined;
    const header = await askOrNothing(rpc, ["getblockheader", hash]);
    if (header === undefined) return undefined;
    const name = blockName(rpc, nodeWordsOf(rpc.name).object<NodeBlock>(header), height);
    if (name.hash !== hash)
      throw new EndpointFault(rpc.name, `asked for ${hash}, got ${name.hash}`);
    return name;
  };
  const name = await quorum.agree({ what, ask, keyOf: (found) => found?.hash, needsOwn: true });
  if (!name) throw new Disagreement(what);
  return name;
}
