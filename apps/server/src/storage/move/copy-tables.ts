import { type Database, type Queryable, type Tx, unnamedStatement } from "../postgres/database.ts";

/** A table of the service or of the sandbox, as SQL names it. */
export interface MovedTable {
  readonly name: string;
  /** The columns that are written. Generated ones follow from them. */
  readonly columns: readonly string[];
  /** All columns with their types, in their order. */
  readonly shape: string;
}

/** Rows are read and written in batches of this size. A sealed callback has up to 400 kB. */
const ROWS_AT_ONCE = 200;

/** A large table takes minutes, and one server waits while the other one makes keys or computes sums. */
const NO_DEADLINES =
  "set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0";
/** The text of a row depends on these settings. Both servers must use the same. */
const SAME_TEXT =
  "set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local bytea_output = 'hex'; set local extra_float_digits = 1";

const OF_THE_SERVICE = "n.nspname !~ '^pg_' and n.nspname <> 'information_schema'";

const TABLES = unnamedStatement(
  `select format('%I.%I', n.nspname, c.relname) as name,
     array_agg(quote_ident(a.attname)::text order by a.attnum) filter (where a.attgenerated = '') as columns,
     string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum) as shape
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relkind = 'r' and ${OF_THE_SERVICE}
   group by 1 order by 1`,
);

export const listTables = (queryable: Queryable): Promise<MovedTable[]> =>
  queryable.query<MovedTable>(TABLES);

const KEYS = unnamedStatement(
  `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as remove,
     format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as add
   from pg_constraint c join pg_namespace n on n.oid = c.connamespace
   where c.contype = 'f' and ${OF_THE_SERVICE} order by c.conname`,
);

const SEQUENCES = unnamedStatement(
  `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
   where last_value is not null order by 1`,
);

// A role that may only insert into a table may not lock it. Every order is written together with tables that it may lock.
const LOCK_ALL = `do $$ declare names text; begin
  select string_agg(format('%I.%I', n.nspname, c.relname), ', ' order by 1) into names
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and ${OF_THE_SERVICE} and has_table_privilege(c.oid, 'update, delete');
  execute 'lock table ' || names || ' in share mode';
end $$`;

/** Runs work in a database transaction during which nobody else writes. A service that is started meanwhile waits. */
export function withoutWriters<T>(source: Database, work: (from: Tx) => Promise<T>): Promise<T> {
  return source.transaction(async (from) => {
    await from.runScript(`${SAME_TEXT}; ${NO_DEADLINES}; ${LOCK_ALL}`);
    return work(from);
  });
}

/**
 * Copies every row of the source into the migrated, unused target, in one database transaction. Foreign keys are removed
 * before the copy and made again after it, which checks them. Either the whole copy is there or none of it.
 */
export function copyTables(
  from: Tx,
  target: Database,
  onTable: (name: string, rows: number) => void,
): Promise<void> {
  return target.transaction(async (to) => {
    await to.runScript(`${SAME_TEXT}; ${NO_DEADLINES}`);
    const tables = await listTables(from);
    const names = tables.map(({ name }) => name).join(", ");
    const setTriggers = (state: "disable" | "enable"): Promise<void> =>
      to.runScript(tables.map(({ name }) => `alter table ${name} ${state} trigger user`).join(";"));
    await setTriggers("disable");
    // The migrations of the target wrote some rows, which the source has too.
    await to.runScript(`truncate ${names}`);
    const keys = await to.query<{ readonly remove: string; readonly add: string }>(KEYS);
    await to.runScript(keys.map(({ remove }) => remove).join(";"));
    for (const table of tables) onTable(table.name, await copyRows(from, to, table));
    await to.runScript(keys.map(({ add }) => add).join(";"));
    await setTriggers("enable");
    await copySequences(from, to);
  });
}

/** Copies the rows as PostgreSQL writes them as text, which reads back as the same values in every version. */
async function copyRows(from: Tx, to: Tx, { name, columns }: MovedTable): Promise<number> {
  await from.runScript(`declare moved no scroll cursor for select t::text as row from ${name} t`);
  const fetch = unnamedStatement(`fetch forward ${ROWS_AT_ONCE} from moved`);
  const values = columns.map((column) => `(moved.r).${column}`).join(", ");
  // `offset 0` parses each line once, not once for each column (docs/internals/query-plans.md).
  const insert = unnamedStatement(
    `insert into ${name} (${columns.join(", ")}) overriding system value
     select ${values} from (select line::${name} as r from unnest($1::text[]) line offset 0) moved`,
  );
  let count = 0;
  for (;;) {
    const rows = await from.query<{ readonly row: string }>(fetch);
    if (rows.length === 0) break;
    count += await to.write(insert, [rows.map(({ row }) => row)]);
  }
  await from.runScript("close moved");
  return count;
}

async function copySequences(from: Tx, to: Tx): Promise<void> {
  const set = unnamedStatement("select setval($1::regclass, $2::bigint)");
  for (const { name, value } of await from.query<{ name: string; value: string }>(SEQUENCES)) {
    await to.query(set, [name, value]);
  }
}

/** The number of a table's rows, and a checksum of all of them that does not depend on their order. */
export interface TableSum {
  readonly name: string;
  readonly rows: number;
  readonly checksum: string;
}

/** Reads every row of the database. */
export async function sumTables(tx: Tx): Promise<TableSum[]> {
  await tx.runScript(`${SAME_TEXT}; ${NO_DEADLINES}`);
  const sums: TableSum[] = [];
  for (const { name } of await listTables(tx)) {
    const sum = unnamedStatement(
      `select count(*)::int as rows,
         coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0)::text as checksum from ${name} t`,
    );
    const [row] = await tx.query<Omit<TableSum, "name">>(sum);
    if (row) sums.push({ name, ...row });
  }
  return sums;
}

const IS_USED = unnamedStatement("select exists (select from installation) as used");

/** Whether the database has tables of something else, or an installation. A move that was killed leaves neither. */
export async function isInUse(queryable: Queryable): Promise<boolean> {
  const tables = await listTables(queryable);
  if (tables.length === 0) return false;
  if (!tables.some(({ name }) => name === "public.installation")) return true;
  const [row] = await queryable.query<{ readonly used: boolean }>(IS_USED);
  return row?.used ?? true;
}
