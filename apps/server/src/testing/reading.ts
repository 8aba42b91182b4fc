import { inject } from "vitest";
import { analyzeGrownTables } from "../storage/postgres/analyze.ts";
import { type Database, openDatabase, statement, type Tx } from "../storage/postgres/database.ts";
import type { World } from "./world.ts";

// A row that an index finds is counted where it is fetched. A wrong index choice shows in its
// blocks.
const READ = statement(
  "test_read",
  `select sum(pg_stat_get_xact_tuples_fetched(oid) + pg_stat_get_xact_blocks_fetched(oid)
     + case when relkind = 'r' then pg_stat_get_xact_tuples_returned(oid) else 0 end)::int as read
   from pg_class where relnamespace in ('public'::regnamespace, 'sandbox'::regnamespace)`,
);
const ROWS_READ = statement(
  "test_rows_read",
  `select sum(seq_tup_read + idx_tup_fetch)::int as read
   from pg_stat_xact_user_tables where relname = any ($1)`,
);

/**
 * The number of rows of these tables that the transaction has read, including rows found by an
 * index.
 */
export async function rowsRead(tx: Tx, ...tables: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ read: number }>(ROWS_READ, [tables]);
  return row?.read ?? 0;
}

// The filled-in rows have no rows that they refer to. As a session setting it would discard cached
// plans.
const UNCHECKED = "set local session_replication_role = replica";

const NAME = statement("test_database_name", "select current_database() as name");

/** A second pool for the world's database, of one connection. */
async function openOnce({ database }: World): Promise<Database> {
  const [row] = await database.query<{ name: string }>(NAME);
  if (!row) throw new Error("the database has no name");
  return openDatabase({ ...inject("storageServer"), database: row.name, poolSize: 1 });
}

const inside = (tx: Tx, database: Database): Database => ({
  ...database,
  query: tx.query,
  write: tx.write,
  transaction: async (work) => work(tx),
});

interface Growth {
  /**
   * Runs while the tables are empty, so that its plans are cached. It may find nothing or be
   * refused.
   */
  readonly before: (database: Database) => Promise<unknown>;
  /** Writes the rows that `work` needs, and returns the script that fills the tables. */
  readonly fill: () => Promise<string> | string;
  readonly work: (database: Database) => Promise<unknown>;
}

/**
 * Returns how many rows and blocks `work` reads on a connection that planned the same statements while the
 * tables were empty. The tables were analyzed once since then, as autovacuum and the retention job do.
 */
export async function readAfterGrowth(
  world: World,
  { before, fill, work }: Growth,
): Promise<number> {
  const database = await openOnce(world);
  await before(database).catch(() => {});
  const script = await fill();
  await world.database.transaction((tx) => tx.runScript(`${UNCHECKED}; ${script}`));
  await analyzeGrownTables(world.database);
  const read = await database.transaction(async (tx) => {
    await work(inside(tx, database));
    return tx.query<{ read: number }>(READ);
  });
  await database.close();
  return read[0]?.read ?? 0;
}
