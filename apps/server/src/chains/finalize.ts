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
import type { Scan } from "./scan.ts";

/** No listed asset has as many units, and the database holds amounts of 38 digits. */
const UNITS_MAX = 10n ** 38n - 1n;

/**
 * Makes the movements up to the network's final block final. The balances at that block are compared first: coins
 * that no movement explains are a deposit too, and movements that the balance does not cover are not believed.
 */
export async function finalize(
  scan: Scan,
  cursor: ChainCursor,
  { final }: ChainHeads,
): Promise<void> {
  const { database, networkCode, reader, token, settings } = scan;
  if (final === undefined) return;
  const height = final < cursor.height ? final : cursor.height;
  if (height <= cursor.finalHeight) return;
  const block = await findBlock(database, networkCode, height);
  if (!block) throw new Error(`block ${height} of ${networkCode} is not stored`);
  const { hash } = await reader.nameOf(height);
  if (hash !== block.hash) throw new Disagreement(`final block ${height} is not ours`);
  const startedAtMs = performance.now();
  const isAllDue = startedAtMs >= scan.balancesDueMs;
  const pending = await listPendingAddresses(database, networkCode, height);
  const watched = isAllDue ? await listWatchedAddresses(database, networkCode) : [];
  const found = await compareBalances(scan, block, [...new Set([...pending, ...watched])]);
  await storeFinal(database, { networkCode, token }, { from: cursor, final: block, ...found });
  failpoint("scan.after_final");
  if (isAllDue) scan.balancesDueMs = startedAtMs + settings.balancesEveryMs;
}

interface Comparison {
  readonly residue: readonly ChainMovement[];
  readonly held: readonly Holding[];
}

async function compareBalances(
  { database, networkCode, reader, assets, log }: Scan,
  block: BlockName,
  addresses: readonly string[],
): Promise<Comparison> {
  const places = addresses.flatMap((address) =>
    assets().map((asset): AssetPlace => ({ address, asset })),
  );
  if (places.length === 0 || !reader.balancesAt) return { residue: [], held: [] };
  const balances = await reader.balancesAt(block, places);
  const { height } = block;
  const explained = await readExplained(database, networkCode, { height, addresses });
  const byPlace = new Map(explained.map((one) => [placeKey(one), one]));
  const residue: ChainMovement[] = [];
  const held: Holding[] = [];
  for (const [index, { address, asset }] of places.entries()) {
    const { assetId } = asset;
    const known = byPlace.get(placeKey({ address, assetId }));
    const units = (balances[index] ?? 0n) - (known?.units ?? 0n);
    if (units > 0n && units <= UNITS_MAX) {
      residue.push(residueOf({ networkCode, address, assetId, units }, block));
    }
    // Coins that were credited may leave the address again. Those that were only seen must be there.
    if (units < 0n && known?.isPending) {
      held.push({ address, assetId });
      const shortBy = String(-units);
      log.error(
        { network: networkCode, address, assetId, shortBy, height: String(height) },
        "an address has less than was seen; its new deposits are not credited",
      );
    }
  }
  return { residue, held };
}

const placeKey = ({ address, assetId }: Holding): string => `${assetId} ${address}`;

const residueOf = (
  found: Holding & { readonly networkCode: string; readonly units: bigint },
  { height, hash }: BlockName,
): ChainMovement => ({
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
