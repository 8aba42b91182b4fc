import type { BlockName, ReadSpan } from "../../domain/ports/chain-reader.ts";
import { hurryJobs } from "../jobs/jobs.ts";
import { type Database, statement, type Tx } from "../postgres/database.ts";
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
import {
  type ChainMovement,
  finalizeMovements,
  type Holding,
  listReferencesOf,
  orphanMovementsAbove,
  upsertMovements,
} from "./movements.ts";

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

/** Records blocks above the cursor and their movements. */
export async function storeSpan(database: Database, lease: Lease, step: ReadStep): Promise<void> {
  const { from, span, keepBlocks } = step;
  const to = span.blocks.at(-1);
  if (!to) return;
  const { networkCode } = lease;
  await database.transaction(async (tx) => {
    await moveCursor(tx, lease, { from, to });
    await insertBlocks(tx, networkCode, span.blocks);
    const movements = span.movements.map((movement) => ({ ...movement, state: "seen" as const }));
    await upsertMovements(tx, networkCode, movements);
    if (span.coins) await storeCoins(tx, networkCode, span.coins);
    await pruneBlocks(tx, networkCode, to.height - BigInt(keepBlocks));
    await hurryOrders(
      tx,
      networkCode,
      movements.map(({ address }) => address),
    );
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
    await takeBackCoins(tx, networkCode, to.height);
    await hurryOrders(tx, networkCode, await orphanMovementsAbove(tx, networkCode, to.height));
  });
}

export interface FinalStep {
  readonly from: ChainCursor;
  readonly final: BlockName;
  /** Coins that only the balances show. */
  readonly residue: readonly ChainMovement[];
  /** Places with less than their movements explain. Their movements stay as they are. */
  readonly held: readonly Holding[];
}

/** Makes everything up to the block final. */
export async function storeFinal(database: Database, lease: Lease, step: FinalStep): Promise<void> {
  const { from, final, residue, held } = step;
  const { networkCode, token } = lease;
  await database.transaction(async (tx) => {
    const values = [networkCode, token, from.height, from.hash, final.height];
    if ((await tx.write(RAISE_FINAL, values)) === 0) throw new ScanOvertaken(networkCode);
    const addresses = await finalizeMovements(tx, networkCode, { height: final.height, held });
    await upsertMovements(tx, networkCode, residue);
    const found = residue.map(({ address }) => address);
    await hurryOrders(tx, networkCode, [...addresses, ...found]);
  });
}

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
 * Goes on from a final block of another branch. Everything that was only seen is taken back, except the movements that
 * were found in the branch. Where there are balances, those at the next final block show what of it the branch has.
 * Returns false for a block below the final height.
 */
export async function leaveBranch(
  tx: Tx,
  networkCode: string,
  { block, branch }: { readonly block: BlockName; readonly branch: Branch | undefined },
): Promise<boolean> {
  const { height, hash } = block;
  if ((await tx.write(LEAVE_BRANCH, [networkCode, height, hash])) === 0) return false;
  const everything = -1n;
  await dropBlocksAbove(tx, networkCode, everything);
  await insertBlocks(tx, networkCode, [block]);
  const orphaned = await orphanMovementsAbove(tx, networkCode, everything);
  const { from, spans } = branch ?? { from: height, spans: [] };
  const movements = spans.flatMap((span) =>
    span.movements.map((movement) => ({ ...movement, state: "seen" as const })),
  );
  await upsertMovements(tx, networkCode, movements);
  await takeBackCoins(tx, networkCode, from);
  for (const { coins } of spans) if (coins) await storeCoins(tx, networkCode, coins);
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
