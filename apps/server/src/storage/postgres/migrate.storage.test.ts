import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { type Database, statement } from "./database.ts";
import { MigrationError, type MigrationSet, migrate } from "./migrate.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const HOLD = statement("test_hold", `select pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`);

test("a copy that starts while another migrates tries again, and no statement waits for the lock", async () => {
  let tries = 0;
  const counted: Database = {
    ...database,
    transaction: (work) => {
      tries += 1;
      return database.transaction(work);
    },
  };
  const migrated = await database.transaction(async (tx) => {
    await tx.query(HOLD);
    const waiting = migrate(counted).catch((error: Error) => error.message);
    // If a statement waited for the lock, there would be one try only.
    await expect.poll(() => tries).toBeGreaterThan(3);
    return { waiting };
  });
  expect(await migrated.waiting).toEqual({ applied: [], checksumsRecorded: [] });
});

/** A migration set of the service in another folder. */
const setOf = (folder: URL): MigrationSet => ({ folder, prefix: "" });

/** Creates a folder of migrations for a database that has none yet. */
async function makeFolder(files: Readonly<Record<string, string>>): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text));
  await Promise.all(write);
  return pathToFileURL(`${folder}/`);
}

async function emptyDatabase(): Promise<Database> {
  const empty = await makeDatabase();
  onTestFinished(() => empty.close());
  await empty.transaction((tx) => tx.runScript("drop table migrations"));
  return empty;
}

const FIRST = { "0001_first.sql": "create table first_things (id int)" };
const SECOND = { "0002_second.sql": "create table second_things (id int)" };
const TABLES = statement(
  "test_tables",
  "select relname as name from pg_class where relname in ('first_things', 'second_things') order by 1",
);
const NAMES = statement(
  "test_migrations",
  "select name, length(checksum) as digits from migrations order by name",
);
const FORGET = statement("test_forget", "alter table migrations drop column checksum");

test("new files are applied once, in order, with their checksums", async () => {
  const empty = await emptyDatabase();
  const first = await makeFolder(FIRST);
  const both = await makeFolder({ ...FIRST, ...SECOND });
  expect((await migrate(empty, setOf(first))).applied).toEqual(["0001_first.sql"]);
  expect((await migrate(empty, setOf(both))).applied).toEqual(["0002_second.sql"]);
  expect(await migrate(empty, setOf(both))).toEqual({ applied: [], checksumsRecorded: [] });
  expect(await empty.query(TABLES)).toEqual([{ name: "first_things" }, { name: "second_things" }]);
  expect(await empty.query(NAMES)).toEqual([
    { name: "0001_first.sql", digits: 64 },
    { name: "0002_second.sql", digits: 64 },
  ]);
});

test("a file that was edited after it was applied is refused, and nothing is applied", async () => {
  const empty = await emptyDatabase();
  await migrate(empty, setOf(await makeFolder(FIRST)));
  const edited = await makeFolder({ "0001_first.sql": "create table other (id int)", ...SECOND });
  const refused = migrate(empty, setOf(edited));
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(
    "The file 0001_first.sql is not the one that was applied to this database",
  );
  expect(await empty.query(TABLES)).toEqual([{ name: "first_things" }]);
});

test("a database that a newer version migrated is refused", async () => {
  const empty = await emptyDatabase();
  await migrate(empty, setOf(await makeFolder({ ...FIRST, ...SECOND })));
  const older = migrate(empty, setOf(await makeFolder(FIRST)));
  await expect(older).rejects.toThrow(MigrationError);
  await expect(older).rejects.toThrow("it has 0002_second.sql, which this version does not know");
});

test("the checksums of a database from a version without them are recorded at the next start", async () => {
  const empty = await emptyDatabase();
  const folder = await makeFolder(FIRST);
  await migrate(empty, setOf(folder));
  await empty.query(FORGET);
  const again = await migrate(empty, setOf(await makeFolder({ ...FIRST, ...SECOND })));
  expect(again).toEqual({
    applied: ["0002_second.sql"],
    checksumsRecorded: ["0001_first.sql"],
  });
  const edited = await makeFolder({ "0001_first.sql": "create table other (id int)", ...SECOND });
  await expect(migrate(empty, setOf(edited))).rejects.toThrow(MigrationError);
});

test("the sandbox's migrations are separate: neither set refuses the other's files", async () => {
  const empty = await emptyDatabase();
  await migrate(empty, setOf(await makeFolder(FIRST)));
  const sandbox: MigrationSet = { folder: await makeFolder(SECOND), prefix: "sandbox/" };
  expect((await migrate(empty, sandbox)).applied).toEqual(["sandbox/0002_second.sql"]);
  expect((await migrate(empty, setOf(await makeFolder(FIRST)))).applied).toEqual([]);
});
