import { type Database, type Queryable, statement } from "./database.ts";

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

/**
 * Analyzes each table that was never analyzed, or that had ten times as many changes as rows since then. A
 * cached plan lasts until one of its tables is analyzed, and autovacuum may be late or switched off.
 */
export async function analyzeGrownTables(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(FIND_GROWN);
  for (const { name } of tables) await analyze(database, name);
}

const analyze = (queryable: Queryable, table: string): Promise<unknown> =>
  queryable.write(statement("", `analyze ${table}`));
