import { type BlockName, type ChainHeads, Disagreement } from "../domain/ports/chain-reader.ts";
import { holderOf } from "../domain/wallets/tagged-address.ts";
import { failpoint } from "../failpoints.ts";
import { listWatchedAddresses } from "../storage/chains/addresses.ts";
import { type ChainCursor, findBlock, findBlockUpTo } from "../storage/chains/cursors.ts";
import { listPendingAddresses } from "../storage/chains/movements.ts";
import { storeFinal } from "../storage/chains/scan-steps.ts";
import { listHotWallets } from "../storage/chains/wallet-movements.ts";
import {
  listWatchedWallets,
  readCoinBalances,
  storeWalletBalances,
  type WalletBalance,
  type WatchedWallet,
} from "../storage/treasury/wallets.ts";
import { compareBalances } from "./compare-balances.ts";
import { reportBreaks, type Scan } from "./scan.ts";

/**
 * Makes the movements up to the network's final block final. It compares the balances at that block first. Coins that
 * no movement explains are a deposit too. Movements that the balance does not cover are not believed. Coins that are
 * missing stop the network.
 */
export async function finalize(
  scan: Scan,
  cursor: ChainCursor,
  { final }: ChainHeads,
): Promise<void> {
  const { database, networkCode, reader, token, settings, assets } = scan;
  if (final === undefined) return;
  const highest = final < cursor.height ? final : cursor.height;
  if (highest <= cursor.finalHeight) return readNewWallets(scan, cursor);
  const block = await findBlockUpTo(database, networkCode, highest);
  if (!block) throw new Error(`no block of ${networkCode} up to ${highest} is stored`);
  const { height } = block;
  if (height <= cursor.finalHeight) return readNewWallets(scan, cursor);
  const { hash } = await reader.nameOf(height);
  if (hash !== block.hash) throw new Disagreement(`final block ${height} is not ours`);
  const pending = await listPendingAddresses(database, networkCode, height);
  const { compared, postponed } = takeTurn(pending, height, settings.balancesAtOnce);
  const watched = await listDue(scan);
  const wallets = (await listHotWallets(database, networkCode)).map(({ address }) => address);
  // Deposits with tags are in the balance of one account. Before it is a wallet of ours, nobody could book its other coins.
  const isWaiting = (address: string): boolean =>
    holderOf(address) !== address && !wallets.includes(holderOf(address));
  const due = [...compared, ...watched.addresses];
  const holders = due.filter((address) => !isWaiting(address)).map(holderOf);
  const addresses = [...new Set([...wallets, ...holders])];
  const found = await compareBalances(scan, block, { addresses, wallets });
  const balances = await readWallets(scan, block, await listWatchedWallets(database, networkCode));
  const others = [...postponed, ...due.filter(isWaiting)].flatMap((address) =>
    assets().map(({ assetId }) => ({ address, assetId })),
  );
  const step = {
    ...{ from: cursor, final: block, balances },
    ...found,
    held: [...found.held, ...others],
  };
  const breaks = await storeFinal(database, { networkCode, token }, step);
  failpoint("scan.after_final");
  reportBreaks(scan, breaks);
  watched.done();
}

/** Returns the addresses whose new deposits are compared now. The others wait for a later final block. */
function takeTurn(addresses: readonly string[], height: bigint, most = addresses.length) {
  const from = Number((height * BigInt(most)) % BigInt(Math.max(addresses.length, 1)));
  const turn = [...addresses.slice(from), ...addresses.slice(0, from)];
  return { compared: turn.slice(0, most), postponed: turn.slice(most) };
}

/** Lists the addresses whose time to be compared has come, whether or not anything was seen at them. */
async function listDue(scan: Scan): Promise<{ addresses: readonly string[]; done(): void }> {
  const { balancesEveryMs, balancesAtOnce } = scan.settings;
  const startedAtMs = performance.now();
  if (startedAtMs < scan.balancesDueMs) return { addresses: [], done: () => {} };
  const all = await listWatchedAddresses(scan.database, scan.networkCode);
  const most = balancesAtOnce ?? all.length;
  const from = scan.balancesNext < all.length ? scan.balancesNext : 0;
  const addresses = all.slice(from, from + most);
  return {
    addresses,
    done: () => {
      scan.balancesNext = from + addresses.length;
      const part = all.length === 0 ? 1 : addresses.length / all.length;
      scan.balancesDueMs = startedAtMs + balancesEveryMs * part;
    },
  };
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
  { database, networkCode, reader, assets }: Scan,
  block: BlockName,
  wallets: readonly WatchedWallet[],
): Promise<readonly WalletBalance[]> {
  if (!reader.balancesAt) {
    const coin = assets().find(({ contract }) => contract === null);
    if (!coin) return [];
    const { height } = block;
    return readCoinBalances(database, networkCode, { assetId: coin.assetId, height });
  }
  if (wallets.length === 0) return [];
  const places = wallets.flatMap(({ id, address }) =>
    assets().map((asset) => ({ walletId: id, address, asset })),
  );
  const addresses = wallets.map(({ address }) => address);
  // Without places a send counts as promised until its payout has ended. By then the balance includes it.
  const usedPlaces = (await reader.usedPlacesAt?.(block, addresses)) ?? [];
  const [balances, frozen = []] = await Promise.all([
    reader.balancesAt(block, places),
    reader.frozenAt?.(block, places),
  ]);
  return places.map(({ walletId, address, asset }, index) => ({
    walletId,
    assetId: asset.assetId,
    // Nothing is promised of a token that does not say what we have.
    units: balances[index] ?? 0n,
    usedPlaces: usedPlaces[addresses.indexOf(address)] ?? 0n,
    isFrozen: frozen[index] ?? false,
  }));
}
