import {
  type AssetPlace,
  type BlockName,
  type ChainHeads,
  type ChainReader,
  Disagreement,
} from "../../../domain/ports/chain-reader.ts";
import { fingerprintOfAccount, tokenAccountOf } from "../../../domain/wallets/solana.ts";
import type { Quorum } from "../agree.ts";
import { agreeOnHeads, type EndpointHeads } from "../heads.ts";
import type { Rpc } from "../rpc.ts";
import { spanKey } from "../span-key.ts";
import { type Account, readAccounts } from "./accounts.ts";
import { agreeOnBlock, NO_BLOCK } from "./blocks.ts";
import { openSolanaQuorum, type SolanaEndpointsOptions, slotAt, wholeOf } from "./endpoints.ts";
import { readSolanaSpan } from "./read-span.ts";
import { type TokenAccount, tokenAccountIn } from "./token-accounts.ts";

/** The most that a node lists at once. */
const PAGE_SIZE = 1_000;

export interface SolanaReaderOptions extends SolanaEndpointsOptions {
  /** The public key from which deposit addresses derive. */
  readonly depositsAccount: string;
  readonly pageSize?: number;
}

/**
 * Reads Solana by the transactions of our addresses. A height is a slot, and a slot may have no block. A confirmed block
 * is read, and its movements are final with a finalized one. A node says the balances of its own newest finalized block
 * only (docs/decisions/0124-read-solana-by-address.md).
 */
export function makeSolanaReader(options: SolanaReaderOptions): ChainReader {
  const { networkCode, finality, depositsAccount, pageSize = PAGE_SIZE } = options;
  const quorum = openSolanaQuorum(options);
  // The least number of slots above a final block that the scanner has read.
  const ahead = BigInt(finality.atLeast - 1);
  return {
    heads: () => readSolanaHeads(quorum, options),
    nameOf: async (height) => {
      const { hash, parent } = await agreeOnBlock(quorum, height);
      return { height, hash, parent, ...(hash === NO_BLOCK && { isEmpty: true }) };
    },
    read: async (from, to, watch) => {
      const what = `slots ${from.height + 1n} to ${to}`;
      const request = { networkCode, from, to, watch, depositsAccount, pageSize };
      const span = await quorum.agree({
        what,
        ask: (rpc) => readSolanaSpan(rpc, request),
        keyOf: spanKey,
      });
      if (!span) throw new Disagreement(what);
      return span;
    },
    balancesAt: (block, places) =>
      agreeOnPlaces(quorum, { what: "balances", read: unitsIn }, { block, places, ahead }),
    frozenAt: (block, places) =>
      agreeOnPlaces(
        quorum,
        { what: "frozen accounts", read: isFrozenIn },
        { block, places, ahead },
      ),
    balancesAreLater: true,
    depositsFingerprint: fingerprintOfAccount(depositsAccount),
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

interface PlacesQuestion {
  readonly block: BlockName;
  readonly places: readonly AssetPlace[];
  /** The most slots by which the node's finalized block may be above the one asked for. */
  readonly ahead: bigint;
}

/** The account that has the asset of an address: a token is in the address's own token account. */
const holderOf = ({ address, asset: { contract } }: AssetPlace): string =>
  contract === null ? address : tokenAccountOf(address, contract);

/** A fact that is read from the account of a place, such as its balance. */
interface PlaceFact<Fact> {
  readonly what: string;
  read(place: AssetPlace, account: Account): Fact;
}

async function agreeOnPlaces<Fact>(
  quorum: Quorum,
  { what: fact, read }: PlaceFact<Fact>,
  question: PlacesQuestion,
): Promise<readonly Fact[]> {
  const what = `${fact} at slot ${question.block.height}`;
  const facts = await quorum.agree({
    what,
    ask: (rpc) => readPlaces(rpc, read, question),
    keyOf: (found) => found && String(found),
    needsOwn: true,
  });
  if (!facts) throw new Disagreement(what);
  return facts;
}

/**
 * Returns a fact of each account after a finalized block that is the one asked for or a little above it. Returns undefined
 * when the endpoint is behind, or further ahead.
 */
async function readPlaces<Fact>(
  rpc: Rpc,
  read: PlaceFact<Fact>["read"],
  { block: { height }, places, ahead }: PlacesQuestion,
): Promise<readonly Fact[] | undefined> {
  if (places.length === 0) return [];
  const held = places.map((place) => ({ place, holder: holderOf(place) }));
  const holders = [...new Set(held.map(({ holder }) => holder))];
  const found = await readAccounts(rpc, holders, { commitment: "finalized", from: height });
  if (!found || found.newest > height + ahead) return undefined;
  return held.map(({ place, holder }) => {
    const account = found.byAddress.get(holder);
    if (account === undefined) throw new Error(`the account ${holder} was not read`);
    return read(place, account);
  });
}

/** Returns the token account of a place. Undefined where it belongs to somebody else, even if it was ours before. */
function ownTokens({ address, asset }: AssetPlace, account: Account): TokenAccount | undefined {
  const token = tokenAccountIn(account);
  return token?.owner === address && token.mint === asset.contract ? token : undefined;
}

const unitsIn = (place: AssetPlace, account: Account): bigint =>
  place.asset.contract === null ? account.lamports : (ownTokens(place, account)?.units ?? 0n);

const isFrozenIn = (place: AssetPlace, account: Account): boolean =>
  ownTokens(place, account)?.isFrozen ?? false;
