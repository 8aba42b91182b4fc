import {
  type AssetPlace,
  type BlockName,
  type ChainHeads,
  Disagreement,
} from "../domain/ports/chain-reader.ts";
import { failpoint } from "../failpoints.ts";
import { listWatchedAddresses } from "../storage/chains/addresses.ts";
import { type ChainCursor, findBlock } from "../storage/chains/cursors.ts";
import {
  type ChainMovement,
  type Holding,
  listPendingAddresses,
  readExplained,
} from "../storage/chains/movements.ts";
import { storeFinal } from "../storage/chains/scan-steps.ts";
import { listHotWallets, type StoredWalletMovement } from "../storage/chains/wallet-movements.ts";
import {
  listWatchedWallets,
  storeWalletBalances,
  type WalletBalance,
  type WatchedWallet,
} from "../storage/treasury/wallets.ts";
import { reportBreaks, type Scan } from "./scan.ts";

/** No listed asset has as many units, and the database holds amounts of 38 digits. */
const UNITS_MAX = 10n ** 38n - 1n;

/**
 * Makes the movements up to the network's final block final. The balances at that block are compared first: coins
 * that no movement explains are a deposit too, and movements that the balance does not cover are not believed. Coins
 * that are missing stop the network.
 */
export async function finalize(
  scan: Scan,
  cursor: ChainCursor,
  { final }: ChainHeads,
): Promise<void> {
  const { database, networkCode, reader, token, settings } = scan;
  if (final === undefined) return;
  const height = final < cursor.height ? final : cursor.height;
  if (height <= cursor.finalHeight) return readNewWallets(scan, cursor);
  const block = await findBlock(database, networkCode, height);
  if (!block) throw new Error(`block ${height} of ${networkCode} is not stored`);
  const { hash } = await reader.nameOf(height);
  if (hash !== block.hash) throw new Disagreement(`final block ${height} is not ours`);
  const startedAtMs = performance.now();
  const isAllDue = startedAtMs >= scan.balancesDueMs;
  const pending = await listPendingAddresses(database, networkCode, height);
  const watched = isAllDue ? await listWatchedAddresses(database, networkCode) : [];
  const wallets = (await listHotWallets(database, networkCode)).map(({ address }) => address);
  const addresses = [...new Set([...wallets, ...pending, ...watched])];
  const found = await compareBalances(scan, block, { addresses, wallets });
  const balances = await readWallets(scan, block, await listWatchedWallets(database, networkCode));
  const step = { from: cursor, final: block, ...found, balances };
  const breaks = await storeFinal(database, { networkCode, token }, step);
  failpoint("scan.after_final");
  reportBreaks(scan, breaks);
  if (isAllDue) scan.balancesDueMs = startedAtMs + settings.balancesEveryMs;
}

/** A wallet that was just registered has a stock at once, and not only at the next final block. */
async function readNewWallets(scan: Scan, { finalHeight }: ChainCursor): Promise<void> {
  const { database, networkCode } = scan;
  const wallets = await listWatchedWallets(database, networkCode);
  const unread = wallets.filter(({ hasBalance }) => !hasBalance);
  const block = unread.length > 0 ? await findBlock(database, networkCode, finalHeight) : undefined;
  if (!block) return;
  const balances = await readWallets(scan, block, unread);
  await database.transaction((tx) => storeWalletBalances(tx, finalHeight, balances));
}

/** Reads what our wallets have, and which of their sends are in it. */
async function readWallets(
  { reader, assets }: Scan,
  block: BlockName,
  wallets: readonly WatchedWallet[],
): Promise<readonly WalletBalance[]> {
  if (wallets.length === 0 || !reader.balancesAt || !reader.usedPlacesAt) return [];
  const places = wallets.flatMap(({ id, address }) =>
    assets().map((asset) => ({ walletId: id, address, asset })),
  );
  const addresses = wallets.map(({ address }) => address);
  const usedPlaces = await reader.usedPlacesAt(block, addresses);
  const balances = await reader.balancesAt(block, places);
  return places.map(({ walletId, address, asset }, index) => ({
    walletId,
    assetId: asset.assetId,
    // Nothing is promised of a token that does not say what we have.
    units: balances[index] ?? 0n,
    usedPlaces: usedPlaces[addresses.indexOf(address)] ?? 0n,
  }));
}

interface Comparison {
  readonly residue: readonly ChainMovement[];
  readonly walletResidue: readonly StoredWalletMovement[];
  readonly held: readonly Holding[];
  readonly silentAssetIds: readonly number[] | undefined;
}

async function compareBalances(
  { database, networkCode, reader, assets, log }: Scan,
  block: BlockName,
  {
    addresses,
    wallets,
  }: { readonly addresses: readonly string[]; readonly wallets: readonly string[] },
): Promise<Comparison> {
  const places = addresses.flatMap((address) =>
    assets().map((asset): AssetPlace => ({ address, asset })),
  );
  if (places.length === 0 || !reader.balancesAt) {
    return { residue: [], walletResidue: [], held: [], silentAssetIds: undefined };
  }
  const balances = await reader.balancesAt(block, places);
  const { height } = block;
  const explained = await readExplained(database, networkCode, { height, addresses });
  const byPlace = new Map(explained.map((one) => [placeKey(one), one]));
  const residue: ChainMovement[] = [];
  const walletResidue: StoredWalletMovement[] = [];
  const held: Holding[] = [];
  const silent = new Set<number>();
  for (const [index, { address, asset }] of places.entries()) {
    const { assetId } = asset;
    const { units: sum = 0n, pendingUnits = 0n } =
      byPlace.get(placeKey({ address, assetId })) ?? {};
    const balance = balances[index] ?? null;
    if (balance === null) {
      silent.add(assetId);
      // Nothing but its events says that the coins are there, so they are not credited.
      if (pendingUnits > 0n) held.push({ address, assetId });
      continue;
    }
    const units = balance - sum;
    if (units > UNITS_MAX) continue;
    const found = { networkCode, address, assetId };
    if (wallets.includes(address)) {
      if (units !== 0n) walletResidue.push(walletResidueOf({ ...found, units }, block));
      continue;
    }
    if (units > 0n) residue.push(residueOf({ ...found, units }, block));
    if (units >= 0n) continue;
    // Coins that were only seen are perhaps not there. Coins that were credited have left the address.
    if (pendingUnits > 0n) {
      held.push({ address, assetId });
      const shortBy = String(-units);
      log.error(
        { network: networkCode, address, assetId, shortBy, height: String(height) },
        "an address has less than was seen; its new deposits are not credited",
      );
    }
    const missing = units + pendingUnits;
    if (missing < 0n) walletResidue.push(walletResidueOf({ ...found, units: missing }, block));
  }
  for (const assetId of silent) {
    log.error({ network: networkCode, assetId }, "a token does not say its balances; it waits");
  }
  return { residue, walletResidue, held, silentAssetIds: [...silent] };
}

const placeKey = ({ address, assetId }: Holding): string => `${assetId} ${address}`;

type Residue = Holding & { readonly networkCode: string; readonly units: bigint };

const walletResidueOf = (found: Residue, block: BlockName): StoredWalletMovement => {
  const { id, ...movement } = residueOf(found, block);
  return { ...movement, id: `${id}:wallet`, counterparty: null };
};

const residueOf = (found: Residue, { height, hash }: BlockName): ChainMovement => ({
  id: `${found.networkCode}:balance:${found.assetId}:${found.address.toLowerCase()}:${hash}`,
  address: found.address,
  assetId: found.assetId,
  units: found.units,
  height,
  blockHash: hash,
  transactionHash: null,
  source: "balance",
  state: "final",
});
