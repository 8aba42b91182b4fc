import { expect } from "vitest";
import { loadCatalogue } from "../../../apps/server/src/storage/catalogue/catalogue.ts";
import { type Database, statement } from "../../../apps/server/src/storage/postgres/database.ts";
import { makeDatabase } from "../../../apps/server/src/testing/database.ts";

const CATALOGUE_FILES = new URL("../../../apps/server/catalogue/", import.meta.url).pathname;

/** A database with the catalogue, and nothing else. */
export interface FileDatabase {
  readonly database: Database;
  /** Lets the next test of the file have it. */
  giveBack(): void;
}

interface MadeDatabase {
  readonly database: Database;
  /** The tables that have rows although no test used the database. */
  readonly catalogue: ReadonlySet<string>;
}

// To make a database and load the catalogue takes a quarter of a second of processor time. The tests of one file
// therefore use one database, one after the other. The files of a worker share this module, and each begins with
// none.
const free: MadeDatabase[] = [];
let file: string | undefined;

export async function takeDatabase(): Promise<FileDatabase> {
  const { testPath } = expect.getState();
  if (testPath !== file) {
    file = testPath;
    for (const { database } of free.splice(0)) await database.close();
  }
  const used = free.pop();
  if (used) await empty(used);
  const taken = used ?? (await makeOne());
  return { database: taken.database, giveBack: () => free.push(taken) };
}

async function makeOne(): Promise<MadeDatabase> {
  const database = await makeDatabase();
  await loadCatalogue(database, CATALOGUE_FILES);
  return { database, catalogue: new Set(await filledTables(database)) };
}

/** `query_to_xml` runs one query for each table. */
const FILLED_TABLES = statement(
  "test_filled_tables",
  `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')
       and query_to_xml(format('select 1 from %I.%I limit 1', schemaname, tablename), false, true, '')::text <> ''`,
);

async function filledTables(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ name: string }>(FILLED_TABLES);
  return rows.map(({ name }) => name);
}

let emptied = 0;

/** Empties the tables that a test filled. */
async function empty({ database, catalogue }: MadeDatabase): Promise<void> {
  const filled = (await filledTables(database)).filter((name) => !catalogue.has(name));
  if (filled.length === 0) return;
  emptied += 1;
  // Some tables have triggers that refuse deletion. A replica runs no triggers.
  const deletions = filled.map((name) => `delete from ${name};`).join(" ");
  await database.query({
    name: `test_empty_${emptied}`,
    text: `do $$ begin set local session_replication_role = replica; ${deletions} end $$`,
  });
}
