import type { Break } from "../../domain/ledger/audit-facts.ts";
import type { BlockName, ReadSpan } from "../../domain/ports/chain-reader.ts";
import { hurryJobs } from "../jobs/jobs.ts";
import { stopForBreaks } from "../payouts/network-stops.ts";
import { type Database, statement, type Tx } from "../postgres/database.ts";
import { storeWalletBalances, type WalletBalance } from "../treasury/wallets.ts";
import { storeCoins, takeBackCoins } from "./coins.ts";
import {
  type ChainCursor,
  dropBlocksAbove,
  insertBlocks,
  moveCursor,
  pruneBlocks,
  type ScanLease,
  ScanOvertaken,
} from "./cursors.ts";
import { countFinal } from "./final-movements.ts";
import {
  type AddressAsset,
  type ChainMovement,
  finalizeMovements,
  listReferencesOf,
  orphanMovementsAbove,
  upsertMovements,
} from "./movements.ts";
import { noteSilentAssets } from "./silent-assets.ts";
import {
  type ForeignMovement,
  finalizeWalletMovements,
  findForeign,
  listHotWallets,
  orphanWalletMovementsAbove,
  type StoredWalletMovement,
  upsertWalletMovements,
} from "./wallet-movements.ts";

/** The steps of a scanner. Each is one database transaction, and the cursor's row excludes every other scanner. */

type Lease = Pick<ScanLease, "networkCode" | "token">;

const RAISE_FINAL = statement(
  "chain_cursors_raise_final",
  `update chain_cursors set final_height = $5, moved_at = clock_timestamp()
   where network_code = $1 and lease_token = $2 and height = $3 and hash = $4 and final_height < $5`,
);

export interface ReadStep {
  readonly from: ChainCursor;
  readonly span: ReadSpan;
  /** Final blocks more than this below the cursor are deleted. */
  readonly keepBlocks: number;
}

/**
 * Records blocks above the cursor and their movements. A transaction from an address of ours that we did not sign
 * stops the network in the same database transaction. Returns the new breaks.
 */
export async function storeSpan(
  database: Database,
  lease: Lease,
  step: ReadStep,
): Promise<readonly Break[]> {
  const { from, span, keepBlocks } = step;
  const to = span.blocks.at(-1);
  if (!to) return [];
  const { networkCode } = lease;
  return database.transaction(async (tx) => {
    await moveCursor(tx, lease, { from, to });
    await insertBlocks(tx, networkCode, span.blocks);
    const movements = span.movements.map((movement) => ({ ...movement, state: "seen" as const }));
    await upsertMovements(tx, networkCode, movements);
    const seen = (span.walletMovements ?? []).map((one) => ({ ...one, state: "seen" as const }));
    await upsertWalletMovements(tx, networkCode, seen);
    if (span.coins) await storeCoins(tx, networkCode, span.coins);
    await pruneBlocks(tx, networkCode, to.height - BigInt(keepBlocks));
    await hurryOrders(
      tx,
      networkCode,
      movements.map(({ address }) => address),
    );
    return stopForForeign(tx, networkCode, seen);
  });
}

/** Takes back every block above the last one that the chain still has. */
export async function storeWayBack(
  database: Database,
  lease: Lease,
  { from, to }: { readonly from: ChainCursor; readonly to: BlockName },
): Promise<void> {
  const { networkCode } = lease;
  await database.transaction(async (tx) => {
    await moveCursor(tx, lease, { from, to });
    await dropBlocksAbove(tx, networkCode, to.height);
    await orphanWalletMovementsAbove(tx, networkCode, to.height);
    await takeBackCoins(tx, networkCode, to.height);
    await hurryOrders(tx, networkCode, await orphanMovementsAbove(tx, networkCode, to.height));
  });
}

export interface FinalStep {
  readonly from: ChainCursor;
  readonly final: BlockName;
  /** Coins that only the balances show: at deposit addresses, and at our wallets. */
  readonly residue: readonly ChainMovement[];
  readonly walletResidue: readonly StoredWalletMovement[];
  /** Places with less than their movements explain. Their movements stay as they are. */
  readonly held: readonly AddressAsset[];
  /** The balances of our wallets after the block. */
  readonly balances: readonly WalletBalance[];
  /** The tokens that say no balance. Undefined where none was asked for. */
  readonly silentAssetIds: readonly number[] | undefined;
}

/** Makes everything up to the block final. Coins that are missing stop the network. Returns the new breaks. */
export async function storeFinal(
  database: Database,
  lease: Lease,
  step: FinalStep,
): Promise<readonly Break[]> {
  const { from, final, residue, walletResidue, held, balances, silentAssetIds } = step;
  const { networkCode, token } = lease;
  return database.transaction(async (tx) => {
    const values = [networkCode, token, from.height, from.hash, final.height];
    if ((await tx.write(RAISE_FINAL, values)) === 0) throw new ScanOvertaken(networkCode);
    const seen = await finalizeMovements(tx, networkCode, { height: final.height, held });
    const moved = await finalizeWalletMovements(tx, networkCode, final.height);
    await upsertMovements(tx, networkCode, residue);
    await upsertWalletMovements(tx, networkCode, walletResidue);
    await storeWalletBalances(tx, final.height, balances);
    if (silentAssetIds) {
      const silent = { assetIds: silentAssetIds, height: final.height };
      await noteSilentAssets(tx, networkCode, silent);
    }
    const deposits = [...seen, ...residue];
    await countFinal(tx, networkCode, { deposits, wallets: [...moved, ...walletResidue] });
    await hurryOrders(
      tx,
      networkCode,
      deposits.map(({ address }) => address),
    );
    return stopForForeign(tx, networkCode, walletResidue);
  });
}

/**
 * Stops the network for coins that left an address of ours without a transaction of ours. Without a hot wallet the
 * service has no keys on the network, and its operator moves the deposits.
 */
async function stopForForeign(
  tx: Tx,
  networkCode: string,
  movements: readonly StoredWalletMovement[],
): Promise<readonly Break[]> {
  const left = movements.filter(({ units }) => units < 0n).map(({ id }) => id);
  if (left.length === 0 || (await listHotWallets(tx, networkCode)).length === 0) return [];
  const foreign = await findForeign(tx, networkCode, left);
  return stopForBreaks(tx, networkCode, foreign.map(breakOf));
}

const breakOf = (foreign: ForeignMovement): Break => {
  const { walletId, address, assetReference, units, transactionHash, height } = foreign;
  const place =
    walletId === null ? `deposit address ${address}` : `wallet ${walletId} (${address})`;
  const coins = `${-units} units of ${assetReference}`;
  return transactionHash === null
    ? {
        check: "our wallets have what their movements explain",
        problem: `${coins} are missing from ${place} at block ${height}, and no transaction explains it`,
      }
    : {
        check: "only we spend from our wallets",
        problem: `transaction ${transactionHash}, which we did not sign, took ${coins} from ${place}`,
      };
};

const LEAVE_BRANCH = statement(
  "chain_cursors_leave_branch",
  `update chain_cursors set height = $2, hash = $3, final_height = $2, problem = null,
     lease_token = null, leased_until = null, moved_at = clock_timestamp()
   where network_code = $1 and final_height <= $2`,
);

/** The blocks of another branch, above the last block that it shares with ours. */
export interface Branch {
  readonly from: bigint;
  readonly spans: readonly ReadSpan[];
}

/**
 * Continues a network from a final block of another branch. Movements that were only seen are taken back, except
 * those that were found in the branch. Where a network has balances, those at the next final block show which of the
 * movements the branch has. Returns false for a block below the final height.
 */
export async function switchToBranch(
  tx: Tx,
  networkCode: string,
  { block, branch }: { readonly block: BlockName; readonly branch: Branch | undefined },
): Promise<boolean> {
  const { height, hash } = block;
  if ((await tx.write(LEAVE_BRANCH, [networkCode, height, hash])) === 0) return false;
  const everything = -1n;
  await dropBlocksAbove(tx, networkCode, everything);
  await insertBlocks(tx, networkCode, [block]);
  await orphanWalletMovementsAbove(tx, networkCode, everything);
  const orphaned = await orphanMovementsAbove(tx, networkCode, everything);
  const { from, spans } = branch ?? { from: height, spans: [] };
  const movements = spans.flatMap((span) =>
    span.movements.map((movement) => ({ ...movement, state: "seen" as const })),
  );
  await upsertMovements(tx, networkCode, movements);
  await takeBackCoins(tx, networkCode, from);
  for (const { coins, walletMovements = [] } of spans) {
    if (coins) await storeCoins(tx, networkCode, coins);
    const seen = walletMovements.map((one) => ({ ...one, state: "seen" as const }));
    await upsertWalletMovements(tx, networkCode, seen);
  }
  await hurryOrders(tx, networkCode, [...orphaned, ...movements.map(({ address }) => address)]);
  return true;
}

/** The jobs that wait for a payment look at once, instead of at their next time. */
async function hurryOrders(
  tx: Tx,
  networkCode: string,
  addresses: readonly string[],
): Promise<void> {
  const references = await listReferencesOf(tx, networkCode, [...new Set(addresses)]);
  for (const reference of references) await hurryJobs(tx, BigInt(reference));
}
