import {
  type EndpointState,
  type EndpointWeakness,
  type Examination,
  examineEach,
} from "../examination.ts";
import { AnswerTooLong, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { type EvmEndpointsOptions, openEvmEndpoints } from "./endpoints.ts";
import { TRANSFER, topicOf } from "./logs.ts";
import { hexOf, type RpcBlock, wordsOf } from "./words.ts";

export interface EvmExamination extends EvmEndpointsOptions {
  /** The most blocks in one question of the scanner. */
  readonly spanMax: number;
  readonly contracts: readonly string[];
}

interface TimedBlock extends RpcBlock {
  readonly timestamp?: unknown;
}

/** Any address: the question is tried, and its answer is not used. */
const NOBODY = `0x${"0".repeat(39)}1`;

/** Asks each endpoint of an EVM network alone, for the operator's check. */
export const examineEvmEndpoints = (options: EvmExamination): Promise<Examination> =>
  examineEach(openEvmEndpoints(options), {
    state: (rpc) => readState(rpc, options),
    hashAt: async (rpc, height) => {
      const [block] = await rpc.ask([["eth_getBlockByNumber", hexOf(height), false]]);
      const { hash } = wordsOf(rpc.name).object<RpcBlock>(block) ?? {};
      return hash === undefined ? null : wordsOf(rpc.name).hash(hash);
    },
    weaknesses: (rpc, state) => readWeaknesses(rpc, state, options),
  });

async function readState(
  rpc: Rpc,
  { finality }: Pick<EvmEndpointsOptions, "finality">,
): Promise<EndpointState> {
  const words = wordsOf(rpc.name);
  const [latest] = await rpc.ask([["eth_getBlockByNumber", "latest", false]]);
  const block = words.object<TimedBlock>(latest);
  const syncing = await tried(rpc, ["eth_syncing"]);
  const version = await tried(rpc, ["web3_clientVersion"]);
  return {
    software: typeof version === "string" ? version.slice(0, 80) : "unnamed software",
    head: words.quantity(block?.number),
    headAt: Number(words.quantity(block?.timestamp)),
    finalAt: finality.tag === "none" ? undefined : await readFinalAt(rpc, finality.tag),
    isCatchingUp: syncing !== false && syncing !== REFUSED,
  };
}

async function readFinalAt(rpc: Rpc, tag: string): Promise<number | null> {
  const answer = await tried(rpc, ["eth_getBlockByNumber", tag, false]);
  if (answer === REFUSED) return null;
  const words = wordsOf(rpc.name);
  const block = words.object<TimedBlock>(answer);
  return block === undefined ? null : Number(words.quantity(block.timestamp));
}

async function readWeaknesses(
  rpc: Rpc,
  { head }: EndpointState,
  { spanMax, contracts }: EvmExamination,
): Promise<readonly EndpointWeakness[]> {
  const first = head > BigInt(spanMax) ? head - BigInt(spanMax) + 1n : 0n;
  const filter = {
    fromBlock: hexOf(first),
    toBlock: hexOf(head),
    address: contracts,
    topics: [TRANSFER, null, [topicOf(NOBODY)]],
  };
  const weaknesses: EndpointWeakness[] = [];
  if (contracts.length > 0 && (await tried(rpc, ["eth_getLogs", filter])) === REFUSED) {
    weaknesses.push({
      found: `refuses eth_getLogs over ${spanMax} blocks`,
      fix: "Lower scan.spanMax of the network in the rails file, or use an endpoint without this limit.",
    });
  }
  const [newest] = await rpc.ask([["eth_getBlockByNumber", hexOf(head), false]]);
  const { hash } = wordsOf(rpc.name).object<RpcBlock>(newest) ?? {};
  const at = { blockHash: hash, requireCanonical: true };
  if ((await tried(rpc, ["eth_getBalance", NOBODY, at])) === REFUSED) {
    weaknesses.push({
      found: "refuses balances at a block's hash (EIP-1898)",
      fix: "Use an endpoint that answers them: no deposit is final without them.",
    });
  }
  return weaknesses;
}

const REFUSED = Symbol("refused");

/** Returns the answer, or that the endpoint refuses the question. */
async function tried(rpc: Rpc, call: RpcCall): Promise<unknown> {
  try {
    return (await rpc.ask([call]))[0];
  } catch (error) {
    if (error instanceof RpcRefusal || error instanceof AnswerTooLong) return REFUSED;
    throw error;
  }
}
