import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import { exactAmount } from "../../domain/catalogue/exact-amount.ts";
import { type AuditBreak, listBreaks } from "../../storage/audit/breaks.ts";
import { listBalances } from "../../storage/ledger/balances.ts";
import { type ListedMove, listMovesByTime } from "../../storage/treasury/move-list.ts";
import { type ListedWallet, listWallets } from "../../storage/treasury/wallets.ts";
import type { Deps } from "../deps.ts";
import { readTreasury, type TreasuryAsset } from "./overview.ts";

/** The money of an asset by our books and by the network, and its float where its stock is bounded. */
export interface Holding {
  readonly assetId: number;
  /** By the purpose of the account. */
  readonly books: Readonly<Record<Place, bigint | null>>;
  /** The coins of our wallets by the word of the network. Null where no node was asked. */
  readonly node: { readonly units: bigint; readonly height: string } | null;
  readonly float: TreasuryAsset | null;
}

const PLACES = ["chain_wallet", "bank_account", "card_processor"] as const;
export type Place = (typeof PLACES)[number];

/** Reads the money that there is, by asset, and the breaks that the audit has open. */
export async function readHoldings({ database }: Pick<Deps, "database">): Promise<{
  readonly holdings: readonly Holding[];
  readonly breaks: readonly AuditBreak[];
}> {
  const balances = await listBalances(database, PLACES);
  const wallets = await listWallets(database);
  const floats = await readTreasury(database);
  const breaks = await listBreaks(database, "standing");
  const read = wallets.flatMap(({ assetId }) => (assetId === null ? [] : [assetId]));
  const ids = new Set([...balances, ...floats].map(({ assetId }) => assetId));
  const holdings = [...new Set([...ids, ...read])]
    .toSorted((a, b) => a - b)
    .map((assetId) => ({
      assetId,
      books: booksOf(balances.filter((balance) => balance.assetId === assetId)),
      node: nodeOf(wallets.filter((wallet) => wallet.assetId === assetId)),
      float: floats.find((float) => float.assetId === assetId) ?? null,
    }));
  return { holdings, breaks };
}

/** Lists sweeps and top-ups, the newest first, with the place where the next page begins. */
export async function listTreasuryMoves(
  { database }: Pick<Deps, "database">,
  page: { readonly before: bigint | null; readonly limit: number },
): Promise<{ readonly items: readonly ListedMove[]; readonly next: bigint | undefined }> {
  const items = await listMovesByTime(database, page);
  const last = items.at(-1);
  return { items, next: last?.hasOlder ? last.createdMicros : undefined };
}

function booksOf(
  balances: readonly { readonly purpose: string; readonly units: bigint }[],
): Holding["books"] {
  const at = (place: Place) => balances.find(({ purpose }) => purpose === place)?.units ?? null;
  return {
    chain_wallet: at("chain_wallet"),
    bank_account: at("bank_account"),
    card_processor: at("card_processor"),
  };
}

/** The wallets of a network are read at one final block. After a restart some may be older. */
function nodeOf(wallets: readonly ListedWallet[]): Holding["node"] {
  const heights = wallets.flatMap(({ height }) => (height === null ? [] : [BigInt(height)]));
  if (heights.length === 0) return null;
  const units = wallets.reduce((sum, wallet) => sum + BigInt(wallet.units ?? 0), 0n);
  return { units, height: String(heights.reduce((low, one) => (one < low ? one : low))) };
}

/** Returns the float of an asset as exact amounts. */
export function floatAmounts(catalogue: Catalogue, asset: TreasuryAsset) {
  const { assetId, position, frozen, limits, float, advice } = asset;
  const amount = (units: bigint): string => exactAmount(catalogue, assetId, units).amount;
  const orNull = (units: bigint | null) => (units === null ? null : amount(units));
  return {
    onHand: amount(position.onHand),
    frozen: orNull(frozen),
    promised: amount(position.promised),
    free: amount(position.onHand - position.promised),
    floor: orNull(limits.floorUnits),
    low: orNull(limits.lowUnits),
    target: orNull(limits.targetUnits),
    ceiling: orNull(limits.ceilingUnits),
    outPerDay: amount(position.outPerDay),
    float,
    advice: advice.kind,
    adviceUnits: advice.kind === "nothing" ? null : amount(advice.units),
  };
}
