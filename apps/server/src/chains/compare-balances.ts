import {
  type AssetPlace,
  type BlockName,
  UNITS_MAX,
  type WatchedAsset,
} from "../domain/ports/chain-reader.ts";
import {
  type AddressAsset,
  type ChainMovement,
  type LaterUnits,
  readExplained,
  readLater,
} from "../storage/chains/movements.ts";
import type { StoredWalletMovement } from "../storage/chains/wallet-movements.ts";
import type { Scan } from "./scan.ts";

/** The places whose balance is not the sum of their movements. */
interface Comparison {
  /** Coins at addresses of orders that no movement explains. */
  readonly residue: readonly ChainMovement[];
  /** Coins that came to our wallets or left them, or left an address of an order. */
  readonly walletResidue: readonly StoredWalletMovement[];
  /** Places whose new deposits wait, because the balance does not cover them. */
  readonly held: readonly AddressAsset[];
  /** Assets that report no balance. Undefined if none was compared. */
  readonly silentAssetIds: readonly number[] | undefined;
}

interface OurAddresses {
  readonly addresses: readonly string[];
  /** The addresses among them that are wallets of ours. */
  readonly wallets: readonly string[];
}

/**
 * Compares the balances of addresses at a block with their movements. Coins that no movement explains are the residue. New
 * deposits that the balance does not cover are held.
 */
export async function compareBalances(
  { database, networkCode, reader, assets, log }: Scan,
  block: BlockName,
  { addresses, wallets }: OurAddresses,
): Promise<Comparison> {
  const places = placesOf({ addresses, wallets }, assets());
  if (places.length === 0 || !reader.balancesAt) {
    return { residue: [], walletResidue: [], held: [], silentAssetIds: undefined };
  }
  const balances = await reader.balancesAt(block, places);
  const { height } = block;
  const { byPlace, laterByPlace } = await readMoved(
    { database, networkCode, reader },
    height,
    addresses,
  );
  const residue: ChainMovement[] = [];
  const walletResidue: StoredWalletMovement[] = [];
  const held: AddressAsset[] = [];
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
    const units = unexplained(balance - sum, laterByPlace.get(placeKey({ address, assetId })));
    if (units > UNITS_MAX) continue;
    const found = { networkCode, address, assetId };
    // Of our wallets, only one that takes deposits itself can lack coins that were seen and are not in its balance yet.
    const isShort = units < 0n && pendingUnits > 0n;
    if (wallets.includes(address) && !isShort) {
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
  reportSilent({ networkCode, log }, silent);
  return { residue, walletResidue, held, silentAssetIds: [...silent] };
}

const placesOf = (
  { addresses, wallets }: OurAddresses,
  assets: readonly WatchedAsset[],
): readonly AssetPlace[] =>
  addresses.flatMap((address) =>
    assets
      .filter(({ isPaidOutOnly }) => !isPaidOutOnly || wallets.includes(address))
      .map((asset) => ({ address, asset })),
  );

function reportSilent(
  { networkCode, log }: Pick<Scan, "networkCode" | "log">,
  assetIds: ReadonlySet<number>,
): void {
  for (const assetId of assetIds) {
    log.error({ network: networkCode, assetId }, "a token does not report its balances; it waits");
  }
}

/** Reads the movements that explain the balances, by place. Those of later blocks count where a node says later balances. */
async function readMoved(
  { database, networkCode, reader }: Pick<Scan, "database" | "networkCode" | "reader">,
  height: bigint,
  addresses: readonly string[],
) {
  const explained = await readExplained(database, networkCode, { height, addresses });
  const later = reader.balancesAreLater
    ? await readLater(database, networkCode, { height, addresses })
    : [];
  return {
    byPlace: new Map(explained.map((one) => [placeKey(one), one])),
    laterByPlace: new Map(later.map((one) => [placeKey(one), one])),
  };
}

/**
 * Returns the part of a difference that later movements cannot explain. A balance that was read at a later block includes
 * some of the movements up to it, and nobody knows which.
 */
function unexplained(units: bigint, { came, left }: Pick<LaterUnits, "came" | "left"> = NOTHING) {
  if (units > came) return units - came;
  return units < left ? units - left : 0n;
}

const NOTHING = { came: 0n, left: 0n };

const placeKey = ({ address, assetId }: AddressAsset): string => `${assetId} ${address}`;

type Residue = AddressAsset & { readonly networkCode: string; readonly units: bigint };

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
