import {
  type AccountReader,
  type BlockName,
  type ChainHeads,
  Disagreement,
} from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import { agreeOnHeads, type EndpointHeads, type FinalityRule } from "../heads.ts";
import { AnswerTooLong, EndpointFault, type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { spanKey } from "../span-key.ts";
import { readBalances } from "./balances.ts";
import { blockName } from "./blocks.ts";
import { type EvmEndpointsOptions, openEvmQuorum } from "./endpoints.ts";
import { readSpan } from "./read-span.ts";
import { hexOf, type RpcBlock, wordsOf } from "./words.ts";

export interface EvmReaderOptions extends EvmEndpointsOptions {
  readonly addressesAtOnce: number;
}

/** Reads an EVM network over JSON-RPC. */
export function makeEvmReader(options: EvmReaderOptions): AccountReader {
  const { networkCode, addressesAtOnce } = options;
  const quorum = openEvmQuorum(options);
  return {
    heads: () => readHeads(quorum, options),
    nameOf: (height) => nameOf(quorum, height),
    read: async (from, to, watch) => {
      const request = { networkCode, from, to, watch, addressesAtOnce };
      const what = `blocks ${from.height + 1n} to ${to}`;
      const span = await quorum.agree({
        what,
        ask: (rpc) => readSpan(rpc, request),
        keyOf: spanKey,
      });
      if (!span) throw new Disagreement(what);
      return span;
    },
    balancesAt: (block, places) =>
      quorum.agree({
        what: `balances at block ${block.height}`,
        ask: (rpc) => readBalances(rpc, block, places),
        keyOf: String,
        needsOwn: true,
      }),
    usedPlacesAt: (block, addresses) =>
      quorum.agree({
        what: `nonces at block ${block.height}`,
        ask: (rpc) => readNonces(rpc, block, addresses),
        keyOf: String,
        needsOwn: true,
      }),
    close: () => quorum.close(),
  };
}

/** Reads the heads as the network's finality names them. */
export async function readHeads(
  quorum: Quorum,
  rules: Pick<EvmEndpointsOptions, "endpoints" | "finality" | "quorum">,
): Promise<ChainHeads> {
  const ask = (rpc: Rpc): Promise<EndpointHeads> => readEndpointHeads(rpc, rules.finality);
  return agreeOnHeads(await quorum.collect({ what: "heads", ask }), rules);
}

async function readEndpointHeads(rpc: Rpc, finality: FinalityRule): Promise<EndpointHeads> {
  const words = wordsOf(rpc.name);
  const [latest] = await rpc.ask([["eth_blockNumber"]]);
  const head = { latest: words.quantity(latest), final: undefined };
  if (finality.tag === "none") return head;
  try {
    const [answer] = await rpc.ask([["eth_getBlockByNumber", finality.tag, false]]);
    const block = words.object<RpcBlock>(answer);
    return block ? { ...head, final: words.quantity(block.number) } : head;
  } catch (error) {
    // A node that has just started, or that has no consensus client, refuses the tag.
    if (error instanceof RpcRefusal || error instanceof AnswerTooLong) return head;
    throw error;
  }
}

/** An endpoint without the block is behind, which is not a reorganisation. */
export async function nameOf(quorum: Quorum, height: bigint): Promise<BlockName> {
  const what = `block ${height}`;
  const ask = async (rpc: Rpc): Promise<BlockName | undefined> => {
    const words = wordsOf(rpc.name);
    const [answer] = await rpc.ask([["eth_getBlockByNumber", hexOf(height), false]]);
    const block = words.object<RpcBlock>(answer);
    if (!block) return undefined;
    const name = blockName(words, block);
    if (name.height !== height) {
      throw new EndpointFault(rpc.name, `asked for ${what}, got ${name.height}`);
    }
    return name;
  };
  const name = await quorum.agree({ what, ask, keyOf: (found) => found?.hash });
  if (!name) throw new Disagreement(what);
  return name;
}

async function readNonces(
  rpc: Rpc,
  { hash }: BlockName,
  addresses: readonly string[],
): Promise<readonly bigint[]> {
  const words = wordsOf(rpc.name);
  const at = { blockHash: hash, requireCanonical: true };
  const calls = addresses.map((address): RpcCall => ["eth_getTransactionCount", address, at]);
  return (await rpc.ask(calls)).map((answer) => words.quantity(answer));
}
