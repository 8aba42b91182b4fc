import type { AssetPlace, BlockName } from "../../../domain/ports/chain-reader.ts";
import { type Rpc, type RpcCall, RpcRefusal } from "../rpc.ts";
import { BALANCE_OF } from "./logs.ts";
import { wordsOf } from "./words.ts";

const BALANCES_AT_ONCE = 100;
/** The answer of `balanceOf`: one word of 32 bytes, or nothing. */
const BALANCE = /^0x([0-9a-f]{64})?$/i;
const NOTHING = "0x";

/** A block by its hash, so that a node on another branch refuses. */
interface BlockParameter {
  readonly blockHash: string;
  readonly requireCanonical: true;
}

/** Returns null for each balance of a token whose contract does not say it. The others are read all the same. */
export async function readBalances(
  rpc: Rpc,
  { hash }: BlockName,
  places: readonly AssetPlace[],
): Promise<readonly (bigint | null)[]> {
  const at = { blockHash: hash, requireCanonical: true } as const;
  const answers = await askAll(rpc, at, places).catch((error: unknown) => {
    if (error instanceof RpcRefusal) return undefined;
    throw error;
  });
  if (answers && answers.every((answer) => answer !== NOTHING && answer !== null)) {
    return answers.map((answer) => BigInt(answer as string));
  }
  return readEachAsset(rpc, at, places);
}

/** Asks each question alone, because one contract refuses them together or returns an invalid answer. */
async function readEachAsset(
  rpc: Rpc,
  at: BlockParameter,
  places: readonly AssetPlace[],
): Promise<readonly (bigint | null)[]> {
  const balances = new Map<AssetPlace, bigint | null>();
  for (const contract of new Set(places.map(({ asset }) => asset.contract))) {
    const own = places.filter(({ asset }) => asset.contract === contract);
    const read = await readAsset(rpc, at, { contract, places: own });
    for (const [index, place] of own.entries()) balances.set(place, read?.[index] ?? null);
  }
  return places.map((place) => balances.get(place) ?? null);
}

/** Returns undefined for a token that does not report its balances. An address without code has none. */
async function readAsset(
  rpc: Rpc,
  at: BlockParameter,
  {
    contract,
    places,
  }: { readonly contract: string | null; readonly places: readonly AssetPlace[] },
): Promise<readonly bigint[] | undefined> {
  if (contract === null)
    return (await askAll(rpc, at, places)).map((answer) => BigInt(answer ?? 0));
  // A node without the block refuses this too, so a refusal below is the contract's own.
  const [code] = await rpc.ask([["eth_getCode", contract, at]]);
  if (code === NOTHING) return places.map(() => 0n);
  try {
    const answers = await askAll(rpc, at, places);
    const isWhole = answers.every((answer) => answer !== NOTHING && answer !== null);
    return isWhole ? answers.map((answer) => BigInt(answer as string)) : undefined;
  } catch (error) {
    if (error instanceof RpcRefusal) return undefined;
    throw error;
  }
}

/** Returns the quantities of the answers: null for one that is not a balance. */
async function askAll(
  rpc: Rpc,
  at: BlockParameter,
  places: readonly AssetPlace[],
): Promise<readonly (string | null)[]> {
  const words = wordsOf(rpc.name);
  const found: (string | null)[] = [];
  for (let index = 0; index < places.length; index += BALANCES_AT_ONCE) {
    const part = places.slice(index, index + BALANCES_AT_ONCE);
    const answers = await rpc.ask(
      part.map(({ address, asset }): RpcCall => {
        if (asset.contract === null) return ["eth_getBalance", address, at];
        const data = `${BALANCE_OF}${address.slice(2).toLowerCase().padStart(64, "0")}`;
        return ["eth_call", { to: asset.contract, data }, at];
      }),
    );
    for (const [place, answer] of answers.entries()) {
      const isCoin = part[place]?.asset.contract === null;
      if (isCoin) found.push(String(words.quantity(answer)));
      else found.push(typeof answer === "string" && BALANCE.test(answer) ? answer : null);
    }
  }
  return found;
}
