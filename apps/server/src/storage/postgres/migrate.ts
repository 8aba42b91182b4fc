import { readdir, readFile } from "node:fs/promises";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { analyzeGrownTables } from "./analyze.ts";
import { type Database, statement } from "./database.ts";

// From dist/storage as from src/storage this is the folder of the plain SQL files.
const MIGRATIONS = new URL("../../../src/storage/migrations/", import.meta.url);
const FILE_NAME = /^\d{4}_[a-z_]+\.sql$/;
// Two starting copies do not migrate at once.
const LOCK = statement(
  "migrate_lock",
  `select pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`,
);
const PREPARE = statement(
  "migrate_prepare",
  `create table if not exists migrations (
     name text primary key, applied_at timestamptz not null default clock_timestamp())`,
);
// A change of a large table takes its time, and whoever starts meanwhile waits for it.
const TAKE_TIME = statement(
  "migrate_take_time",
  "select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)",
);
const FIND = statement("migrate_find", "select name from migrations where name = $1");
const RECORD = statement("migrate_record", "insert into migrations (name) values ($1)");

/** Applies what is new of `migrations/`, in order, each file in a database transaction of its own. */
export async function migrate(database: Database): Promise<{ applied: string[] }> {
  const names = (await readdir(MIGRATIONS)).filter((name) => FILE_NAME.test(name)).sort();
  const applied: string[] = [];
  for (const name of names) {
    const text = await readFile(new URL(name, MIGRATIONS), "utf8");
    const isNew = await applyMigration(database, { name, text });
    if (isNew) applied.push(name);
  }
  if (applied.length > 0) await analyzeGrownTables(database);
  return { applied };
}

async function applyMigration(
  database: Database,
  migration: { readonly name: string; readonly text: string },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await tx.query(TAKE_TIME);
    await tx.query(LOCK);
    await tx.query(PREPARE);
    if ((await tx.query(FIND, [migration.name])).length > 0) return false;
    await tx.runScript(migration.text);
    await tx.query(RECORD, [migration.name]);
    return true;
  });
}
