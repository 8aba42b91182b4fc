import { type Database, statement } from "./database.ts";

// Empty tables are skipped. The planner assumes ten pages for a table that was never analyzed. For a table
// that was analyzed while it was empty, it would not use an index.
const FIND_GROWN = statement(
  "analyze_find_grown",
  `select format('%I.%I', n.nspname, c.relname) as name
   from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_stat_user_tables s on s.relid = c.oid
   where c.relkind = 'r' and n.nspname in ('public', 'sandbox') and pg_relation_size(c.oid) > 0
     and (c.reltuples < 0 or s.n_mod_since_analyze >= 10 * greatest(c.reltuples, 100))
   order by 1`,
);

const LIFT_TIMEOUT = statement(
  "analyze_lift_timeout",
  "select set_config('statement_timeout', '0', true)",
);

/**
 * Analyzes each table that was never analyzed, or that had ten times as many changes as rows since then. A
 * cached plan lasts until one of its tables is analyzed, and autovacuum may be late or switched off.
 */
export async function analyzeGrownTables(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(FIND_GROWN);
  for (const { name } of tables) await analyze(database, name);
}

// On a large table this takes longer than the timeout of a statement. A table that another process is analyzing
// is skipped.
const analyze = (database: Database, table: string): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.query(LIFT_TIMEOUT);
    await tx.runScript(`analyze (skip_locked) ${table}`);
  });
