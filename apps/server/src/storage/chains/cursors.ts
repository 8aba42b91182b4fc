import type { BlockName } from "../../domain/ports/chain-reader.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { bigInteger, records, table, text } from "../postgres/table.ts";

/** How far a network was read. */
export interface ChainCursor {
  readonly height: bigint;
  readonly hash: string;
  readonly finalHeight: bigint;
  /** Why the scanner cannot go on. */
  readonly problem: string | null;
}

/** The right to make the steps of a network. It expires, and another process then takes it. */
export interface ScanLease {
  readonly networkCode: string;
  readonly token: string;
  readonly seconds: number;
}

/** Another scanner has moved the cursor. The step is rolled back. */
export class ScanOvertaken extends Error {
  override readonly name = "ScanOvertaken";
}

export const CHAIN_BLOCKS = table({ height: bigInteger(), hash: text(), parent: text() });

const BEGIN = statement(
  "chain_cursors_begin",
  `with begun as (
     insert into chain_cursors (network_code, height, hash, final_height)
     values ($1, $2, $3, $2) on conflict do nothing returning network_code),
   opened as (
     insert into chain_books (network_code, asset_id, opening_units)
     select begun.network_code, c.id, coalesce((
       select sum(posting.units)
       from ledger_accounts account join ledger_postings posting on posting.account_id = account.id
       where account.purpose = 'chain_wallet' and account.asset_id = c.id), 0)
     from begun join currencies c on c.network_code = begun.network_code)
   insert into chain_blocks (network_code, height, hash, parent)
   select network_code, $2, $3, $4 from begun`,
);
const CLAIM = statement(
  "chain_cursors_claim",
  `update chain_cursors set lease_token = $2,
     leased_until = clock_timestamp() + $3 * interval '1 second'
   where network_code = $1
     and (lease_token = $2 or lease_token is null or leased_until < clock_timestamp())
   returning height, hash, final_height, problem`,
);
const EXISTS = statement(
  "chain_cursors_exists",
  "select from chain_cursors where network_code = $1",
);
const FIND = statement(
  "chain_cursors_find",
  "select height, hash, final_height, problem from chain_cursors where network_code = $1",
);
const LIST = statement(
  "chain_cursors_list",
  `select network_code as "networkCode", height::text as height, hash,
     final_height::text as "finalHeight", problem, moved_at as "movedAt",
     (select count(*)::int from chain_addresses a
      where a.network_code = c.network_code and watched_until > business_now()) as addresses
   from chain_cursors c order by network_code`,
);
const RELEASE = statement(
  "chain_cursors_release",
  `update chain_cursors set lease_token = null, leased_until = null
   where network_code = $1 and lease_token = $2`,
);
const NOTE_PROBLEM = statement(
  "chain_cursors_note_problem",
  `update chain_cursors set problem = $3
   where network_code = $1 and lease_token = $2 and problem is distinct from $3`,
);
const MOVE = statement(
  "chain_cursors_move",
  `update chain_cursors set height = $5, hash = $6, moved_at = clock_timestamp()
   where network_code = $1 and lease_token = $2 and height = $3 and hash = $4`,
);
const FIND_BLOCK = statement(
  "chain_blocks_find",
  "select height, hash, parent from chain_blocks where network_code = $1 and height = $2",
);
// A slot of Solana may have no block, and not every block there is stored.
const FIND_BLOCK_UP_TO = statement(
  "chain_blocks_find_up_to",
  `select height, hash, parent from chain_blocks where network_code = $1 and height <= $2
   order by height desc limit 1`,
);
const INSERT_BLOCKS = statement(
  "chain_blocks_insert",
  `insert into chain_blocks (network_code, height, hash, parent)
   select $2, height, hash, parent from ${records("blocks", CHAIN_BLOCKS.definitions)}`,
);
const DROP_ABOVE = statement(
  "chain_blocks_drop_above",
  "delete from chain_blocks where network_code = $1 and height > $2",
);
// Blocks above the final height are always kept: a reorganisation may reach down to it.
const PRUNE = statement(
  "chain_blocks_prune",
  `delete from chain_blocks b using chain_cursors c
   where b.network_code = $1 and c.network_code = b.network_code
     and b.height < least($2::bigint, c.final_height)`,
);

interface CursorRow {
  readonly height: string;
  readonly hash: string;
  readonly final_height: string;
  readonly problem: string | null;
}

const toCursor = (row: CursorRow): ChainCursor => ({
  height: BigInt(row.height),
  hash: row.hash,
  finalHeight: BigInt(row.final_height),
  problem: row.problem,
});

/** Returns whether the network was ever read. */
export async function hasCursor(queryable: Queryable, networkCode: string): Promise<boolean> {
  return (await queryable.query(EXISTS, [networkCode])).length > 0;
}

/** Begins a network above this final block. Has no effect on a network that was begun before. */
export async function beginCursor(
  queryable: Queryable,
  networkCode: string,
  { height, hash, parent }: BlockName,
): Promise<void> {
  await queryable.write(BEGIN, [networkCode, height, hash, parent]);
}

/** Claims or renews the lease. Returns undefined while another process has it. */
export async function claimCursor(
  queryable: Queryable,
  { networkCode, token, seconds }: ScanLease,
): Promise<ChainCursor | undefined> {
  const [row] = await queryable.query<CursorRow>(CLAIM, [networkCode, token, seconds]);
  return row && toCursor(row);
}

export async function findCursor(
  queryable: Queryable,
  networkCode: string,
): Promise<ChainCursor | undefined> {
  const [row] = await queryable.query<CursorRow>(FIND, [networkCode]);
  return row && toCursor(row);
}

/** How far a network was read, for an operator. */
export interface FollowedNetwork {
  readonly networkCode: string;
  readonly height: string;
  readonly hash: string;
  readonly finalHeight: string;
  readonly problem: string | null;
  /** When a block was last read or became final. */
  readonly movedAt: Date;
  /** The number of addresses that may still be paid. */
  readonly addresses: number;
}

export const listFollowedNetworks = (queryable: Queryable): Promise<FollowedNetwork[]> =>
  queryable.query<FollowedNetwork>(LIST);

export async function releaseCursor(
  queryable: Queryable,
  { networkCode, token }: Pick<ScanLease, "networkCode" | "token">,
): Promise<void> {
  await queryable.write(RELEASE, [networkCode, token]);
}

/** Records why the scanner cannot go on, or null once it can. */
export async function noteScanProblem(
  queryable: Queryable,
  { networkCode, token }: Pick<ScanLease, "networkCode" | "token">,
  problem: string | null,
): Promise<void> {
  await queryable.write(NOTE_PROBLEM, [networkCode, token, problem]);
}

/** Moves the cursor. Throws `ScanOvertaken` unless it is where the step began and the lease is ours. */
export async function moveCursor(
  tx: Tx,
  { networkCode, token }: Pick<ScanLease, "networkCode" | "token">,
  { from, to }: { readonly from: ChainCursor; readonly to: Pick<BlockName, "height" | "hash"> },
): Promise<void> {
  const values = [networkCode, token, from.height, from.hash, to.height, to.hash];
  if ((await tx.write(MOVE, values)) === 0) throw new ScanOvertaken(networkCode);
}

export async function findBlock(
  queryable: Queryable,
  networkCode: string,
  height: bigint,
): Promise<BlockName | undefined> {
  const [row] = await queryable.query(FIND_BLOCK, [networkCode, height]);
  return row === undefined ? undefined : CHAIN_BLOCKS.read(row);
}

/** Returns the highest stored block that is not above the height. */
export async function findBlockUpTo(
  queryable: Queryable,
  networkCode: string,
  height: bigint,
): Promise<BlockName | undefined> {
  const [row] = await queryable.query(FIND_BLOCK_UP_TO, [networkCode, height]);
  return row === undefined ? undefined : CHAIN_BLOCKS.read(row);
}

export async function insertBlocks(
  tx: Tx,
  networkCode: string,
  blocks: readonly BlockName[],
): Promise<void> {
  const list = JSON.stringify({ blocks: blocks.map(CHAIN_BLOCKS.write) });
  await tx.write(INSERT_BLOCKS, [list, networkCode]);
}

export async function dropBlocksAbove(tx: Tx, networkCode: string, height: bigint): Promise<void> {
  await tx.write(DROP_ABOVE, [networkCode, height]);
}

/** Deletes final blocks below the height. */
export async function pruneBlocks(tx: Tx, networkCode: string, height: bigint): Promise<void> {
  await tx.write(PRUNE, [networkCode, height]);
}
