import {
  type EndpointState,
  type EndpointWeakness,
  type Examination,
  examineEach,
} from "../examination.ts";
import type { Rpc } from "../rpc.ts";
import { hashAt } from "./read-span.ts";
import { type CoinReaderOptions, openCoinEndpoints } from "./reader.ts";
import { nodeWordsOf } from "./words.ts";

interface NodeInfo {
  readonly version?: unknown;
  readonly subversion?: unknown;
  readonly blocks?: unknown;
  readonly bestblockhash?: unknown;
  readonly initialblockdownload?: unknown;
  readonly time?: unknown;
  readonly pruned?: unknown;
  readonly pruneheight?: unknown;
}

/** A release of a node, as the nodes number it: 210504 is 0.21.5.4. */
interface Release {
  readonly number: bigint;
  readonly name: string;
}

/** The oldest release whose blocks of the main chain can be believed. */
const VERSION_MIN: Readonly<Record<string, Release>> = {
  litecoin: { number: 210_504n, name: "Litecoin Core 0.21.5.4" },
};
/** The scanner reads this far back after a reorganisation. */
const BLOCKS_MIN = 2_000n;

/** Asks each node of a network of the Bitcoin family alone, for the operator's check. */
export const examineNodes = (options: CoinReaderOptions, coin: string): Promise<Examination> =>
  examineEach(openCoinEndpoints(options), {
    state: readState,
    hashAt: async (rpc, height) => (await hashAt(rpc, height)) ?? null,
    weaknesses: (rpc, state) =>
      readWeaknesses(rpc, state, options.chain.name === "main" ? VERSION_MIN[coin] : undefined),
  });

async function readState(rpc: Rpc): Promise<EndpointState> {
  const words = nodeWordsOf(rpc.name);
  const [chain, network] = await rpc.ask([["getblockchaininfo"], ["getnetworkinfo"]]);
  const { blocks, bestblockhash, initialblockdownload } = words.object<NodeInfo>(chain);
  const [header] = await rpc.ask([["getblockheader", words.hash(bestblockhash)]]);
  const { subversion } = words.object<NodeInfo>(network);
  return {
    software: String(subversion).replaceAll("/", "").slice(0, 80),
    head: words.whole(blocks),
    headAt: Number(words.whole(words.object<NodeInfo>(header).time)),
    finalAt: undefined,
    isCatchingUp: initialblockdownload === true,
  };
}

async function readWeaknesses(
  rpc: Rpc,
  { head }: EndpointState,
  oldest: Release | undefined,
): Promise<readonly EndpointWeakness[]> {
  const words = nodeWordsOf(rpc.name);
  const [chain, network] = await rpc.ask([["getblockchaininfo"], ["getnetworkinfo"]]);
  const { pruned, pruneheight } = words.object<NodeInfo>(chain);
  const version = words.whole(words.object<NodeInfo>(network).version);
  const weaknesses: EndpointWeakness[] = [];
  if (oldest !== undefined && version < oldest.number) {
    weaknesses.push({
      found: `has version ${version}, which accepts invalid blocks`,
      fix: `Install ${oldest.name} or later.`,
    });
  }
  if (pruned === true && head - words.whole(pruneheight) < BLOCKS_MIN) {
    weaknesses.push({
      found: `keeps the blocks from ${words.whole(pruneheight)} only`,
      fix: `Let it keep ${BLOCKS_MIN} blocks: raise prune in its configuration.`,
    });
  }
  return weaknesses;
}
