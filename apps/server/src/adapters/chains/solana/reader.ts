import {
  type AssetPlace,
  type BlockName,
  type ChainHeads,
  type ChainReader,
  Disagreement,
} from "../../../domain/ports/chain-reader.ts";
import type { Quorum } from "../agree.ts";
import { agreeOnHeads, type EndpointHeads } from "../heads.ts";
import { type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { spanKey } from "../span-key.ts";
import { agreeOnBlock, NO_BLOCK } from "./blocks.ts";
import {
  listOf,
  objectOf,
  openSolana,
  type SolanaEndpointsOptions,
  slotAt,
  wholeOf,
} from "./endpoints.ts";
import { readSolanaSpan } from "./read-span.ts";

/** The most that a node lists at once. */
const PAGE_SIZE = 1_000;

/**
 * Reads Solana by the transactions of our addresses. A height is a slot, and a slot may have no block. A confirmed block
 * is read, and its movements are final with a finalized one. A node says the balances of its own newest finalized block
 * only (docs/decisions/0124-read-solana-by-address.md).
 */
export function makeSolanaReader(
  options: SolanaEndpointsOptions & { readonly pageSize?: number },
): ChainReader {
  const { networkCode, finality, pageSize = PAGE_SIZE } = options;
  const quorum = openSolana(options);
  // The scanner has read at least so many slots above a final block.
  const ahead = BigInt(finality.atLeast - 1);
  return {
    heads: () => readSolanaHeads(quorum, options),
    nameOf: async (height) => {
      const { hash, parent } = await agreeOnBlock(quorum, height);
      return { height, hash, parent, ...(hash === NO_BLOCK && { isEmpty: true }) };
    },
    read: async (from, to, watch) => {
      const what = `slots ${from.height + 1n} to ${to}`;
      const span = await quorum.agree({
        what,
        ask: (rpc) => readSolanaSpan(rpc, { networkCode, from, to, watch, pageSize }),
        keyOf: spanKey,
      });
      if (!span) throw new Disagreement(what);
      return span;
    },
    balancesAt: async (block, places) => {
      const what = `balances at slot ${block.height}`;
      const balances = await quorum.agree({
        what,
        ask: (rpc) => readBalances(rpc, { block, places, ahead }),
        keyOf: (found) => found && String(found),
        needsOwn: true,
      });
      if (!balances) throw new Disagreement(what);
      return balances;
    },
    balancesAreLater: true,
    close: () => quorum.close(),
  };
}

export async function readSolanaHeads(
  quorum: Quorum,
  rules: Pick<SolanaEndpointsOptions, "endpoints" | "finality" | "quorum">,
): Promise<ChainHeads> {
  const ask = async (rpc: Rpc): Promise<EndpointHeads> => {
    // The final block is asked for first, so that it is not above the other one.
    const [final, latest] = await rpc.ask([slotAt("finalized"), slotAt("confirmed")]);
    return { latest: wholeOf(rpc, latest, "slot"), final: wholeOf(rpc, final, "slot") };
  };
  return agreeOnHeads(await quorum.collect({ what: "heads", ask }), rules);
}

interface BalanceQuestion {
  readonly block: BlockName;
  readonly places: readonly AssetPlace[];
  /** The most slots by which the node's finalized block may be above the one asked for. */
  readonly ahead: bigint;
}

interface NodeAccounts {
  readonly context?: { readonly slot?: unknown };
  readonly value?: unknown;
}

const ACCOUNTS_AT_ONCE = 100;
const NOT_REACHED = -32_016;

/**
 * Returns the lamports after a finalized block that is the one asked for or a little above it. Returns undefined when the
 * endpoint is behind, or further ahead. Tokens are not read.
 */
async function readBalances(
  rpc: Rpc,
  { block, places, ahead }: BalanceQuestion,
): Promise<readonly (bigint | null)[] | undefined> {
  if (places.length === 0) return [];
  const addresses = [...new Set(places.map(({ address }) => address))];
  const calls = Array.from(
    { length: Math.ceil(addresses.length / ACCOUNTS_AT_ONCE) },
    (_, at): RpcCall =>
      accountsOf(addresses.slice(at * ACCOUNTS_AT_ONCE, (at + 1) * ACCOUNTS_AT_ONCE), block),
  );
  const lamports = new Map<string, bigint>();
  const answers = await rpc.ask(calls).catch((error: unknown) => {
    if (error instanceof RpcRefusal && error.code === NOT_REACHED) return undefined;
    throw error;
  });
  if (!answers) return undefined;
  for (const answer of answers) {
    const { context, value } = objectOf<NodeAccounts>(rpc, answer, "accounts") ?? {};
    const slot = wholeOf(rpc, context?.slot, "slot");
    if (slot < block.height || slot > block.height + ahead) return undefined;
    for (const account of listOf<unknown>(rpc, value, "accounts")) {
      const address = addresses[lamports.size] ?? "";
      const { lamports: units = 0 } = objectOf<{ lamports?: unknown }>(rpc, account, address) ?? {};
      lamports.set(address, wholeOf(rpc, units, "balance"));
    }
  }
  return places.map(({ address, asset }) =>
    asset.contract === null ? (lamports.get(address) ?? null) : null,
  );
}

/** The accounts without their data. */
const accountsOf = (addresses: readonly string[], { height }: BlockName): RpcCall => [
  "getMultipleAccounts",
  addresses,
  {
    commitment: "finalized",
    encoding: "base64",
    dataSlice: { offset: 0, length: 0 },
    minContextSlot: Number(height),
  },
];
