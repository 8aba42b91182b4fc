import { inject } from "vitest";
import { type Database, openDatabase, statement, type Tx } from "../storage/postgres/database.ts";
import type { World } from "./world.ts";

// A row that is found by an index is counted where it is fetched, a wrong turn in an index by its blocks.
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

/** How many rows of these tables the transaction has read, each that an index led to among them. */
export async function rowsRead(tx: Tx, ...tables: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ read: number }>(ROWS_READ, [tables]);
  return row?.read ?? 0;
}

// What is filled in needs nothing of what it belongs to. The setting would forget a connection's plans.
const UNCHECKED = "set local session_replication_role = replica";

/** What autovacuum finds out meanwhile would end the plans: a script that keeps it off every table. */
export const NEVER_ANALYZED = `do $$ declare growing regclass; begin
  for growing in select oid from pg_class where relkind = 'r'
    and relnamespace in ('public'::regnamespace, 'sandbox'::regnamespace)
  loop
    execute format('alter table %s set (autovacuum_enabled = false)', growing);
  end loop; end $$`;
const NAME = statement("test_database_name", "select current_database() as name");

/** The world's database by one connection of its own. */
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

interface Play {
  /** Played while the tables are empty; it may find nothing, or be refused. */
  readonly before: (database: Database) => Promise<unknown>;
  /** What `work` needs, made meanwhile; gives the script that fills the tables. */
  readonly fill: () => Promise<string> | string;
  readonly work: (database: Database) => Promise<unknown>;
}

/**
 * How many rows and blocks `work` reads by the plans that `before`, the same work, left on its connection:
 * what was planned while the tables were empty is still what is done.
 */
export async function readByOldPlan(world: World, { before, fill, work }: Play): Promise<number> {
  await world.database.transaction((tx) => tx.runScript(NEVER_ANALYZED));
  const database = await openOnce(world);
  await before(database).catch(() => {});
  const script = await fill();
  await world.database.transaction((tx) => tx.runScript(`${UNCHECKED}; ${script}`));
  const read = await database.transaction(async (tx) => {
    await work(inside(tx, database));
    return tx.query<{ read: number }>(READ);
  });
  await database.close();
  return read[0]?.read ?? 0;
}
