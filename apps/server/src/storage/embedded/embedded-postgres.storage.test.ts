import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { type Database, openDatabase, statement } from "../postgres/database.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { makeDataFolder } from "./folders.ts";
import { explainStart } from "./start-faults.ts";

const folder = mkdtempSync(join(tmpdir(), "exchange-embedded-test-"));
const dataDir = join(folder, "deep/er/postgres");
const start = () => startEmbeddedPostgres({ dataDir });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ask<Row>(database: Database, text: string): Promise<Row[]> {
  return database.query<Row>(statement(`ask_${text.length}_${text.slice(0, 20)}`, text));
}

test("a new folder becomes a database without a port that loses no acknowledged row", async () => {
  const server = await start();
  expect(server.attached).toBe(false);
  const database = openDatabase(server.connection);
  const rows = await ask<{ name: string; setting: string }>(
    database,
    `select name, setting from pg_settings where name in
     ('fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses')`,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    data_checksums: "on",
    listen_addresses: "",
  });
  await ask(database, "create table kept as select 1 as one");
  await database.close();
  await server.stop();
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test("no other user enters the data folder, and no host may ever connect", async () => {
  expect(statSync(join(folder, "deep/er")).mode & 0o007).toBe(0);
  const rules = readFileSync(join(dataDir, "pg_hba.conf"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("host"));
  expect(rules.length).toBeGreaterThan(0);
  expect(rules.filter((line) => !line.endsWith("reject"))).toEqual([]);
});

test("the data folder of an earlier version is closed at its next start", async () => {
  const parent = join(folder, "earlier");
  mkdirSync(join(parent, "postgres"), { recursive: true });
  chmodSync(parent, 0o755);
  makeDataFolder(parent);
  // A folder without our database may be anybody's, such as the one for temporary files.
  expect(statSync(parent).mode & 0o777).toBe(0o755);
  writeFileSync(join(parent, "postgres/PG_VERSION"), "18");
  makeDataFolder(parent);
  expect(statSync(parent).mode & 0o777).toBe(0o700);
});

test("a second start attaches to the server that still runs and finds its rows", async () => {
  const orphaned = await start();
  orphaned.release();
  const server = await start();
  expect(server.attached).toBe(true);
  expect(server.pid()).toBe(orphaned.pid());
  const database = openDatabase(server.connection);
  expect(await ask(database, "select one from kept")).toEqual([{ one: 1 }]);
  await database.close();
  await server.stop();
});

test("two starts at the same moment share one server", async () => {
  const [first, second] = await Promise.all([start(), start()]);
  expect(first.pid()).toBe(second.pid());
  second.release();
  await first.stop();
});

test("a killed server is started again with all its rows", async () => {
  const server = await start();
  const database = openDatabase(server.connection);
  await ask(database, "insert into kept values (2)");
  const killed = server.pid();
  process.kill(killed, "SIGKILL");
  while (server.pid() === killed) await sleep(20);
  expect(await ask(database, "select count(*)::int as rows from kept")).toEqual([{ rows: 2 }]);
  await database.close();
  await server.stop();
});

test("a server whose socket was removed is started again", async () => {
  const orphaned = await start();
  orphaned.release();
  rmSync(join(String(orphaned.connection.host), ".s.PGSQL.5432"));
  const server = await start();
  expect(server.pid()).not.toBe(orphaned.pid());
  await server.stop();
});

test("a folder with other files is refused and not changed", async () => {
  const other = mkdtempSync(join(folder, "other-"));
  mkdtempSync(join(other, "x-"));
  await expect(startEmbeddedPostgres({ dataDir: other })).rejects.toThrow("is not empty");
});

test("a server that cannot start is tried less and less often, and recovers by itself", async () => {
  const messages: string[] = [];
  const triedAt: number[] = [];
  const note = (line: string): void => {
    messages.push(line);
    if (line.includes("starting it again")) triedAt.push(performance.now());
  };
  const server = await startEmbeddedPostgres({ dataDir, log: note });
  const settings = join(dataDir, "postgresql.conf");
  const before = readFileSync(settings, "utf8");
  appendFileSync(settings, "\nno such setting\n");
  const killed = server.pid();
  process.kill(killed, "SIGKILL");
  await expect.poll(() => triedAt.length).toBeGreaterThan(3);
  const [first = 0, second = 0, third = 0, fourth = 0] = triedAt;
  expect(second - first).toBeGreaterThanOrEqual(250);
  expect(second - first).toBeLessThan(fourth - third);
  expect(third - second).toBeGreaterThanOrEqual(500);
  expect(fourth - third).toBeGreaterThanOrEqual(1_000);
  writeFileSync(settings, before);
  await expect.poll(() => messages.at(-1)).toBe("PostgreSQL is running again");
  expect(server.pid()).not.toBe(killed);
  await server.stop();
});

test("a full disk is named, whether PostgreSQL could write it to its log or not", () => {
  const reason = 'PANIC: could not write to file "pg_wal/xlogtemp.7": No space left on device';
  expect(explainStart(reason, "/data")).toMatch(
    /^PostgreSQL cannot write to \/data: the disk is full/,
  );
  expect(explainStart("PostgreSQL ended (1).", "/nowhere")).toBe("PostgreSQL ended (1).");
});

test("the folder of another major version is refused in a sentence", async () => {
  const version = join(dataDir, "PG_VERSION");
  const before = readFileSync(version, "utf8");
  writeFileSync(version, "17\n");
  await expect(start()).rejects.toThrow(
    /was made by PostgreSQL 17, and this version .* PostgreSQL 18/,
  );
  writeFileSync(version, before);
});

test.skipIf(process.getuid?.() !== 0)("a user without an account is told to get one", async () => {
  const parent = mkdtempSync(join(folder, "stranger-"));
  const strangers = join(parent, "postgres");
  mkdirSync(strangers);
  chownSync(strangers, 54_321, 54_321);
  const starting = startEmbeddedPostgres({ dataDir: strangers });
  await expect(starting).rejects.toThrow(/account for its user 54321, and \/etc\/passwd has none/);
});

const log = join(dataDir, "server.log");
const sizes = () => [log, `${log}.1`].map((file) => statSync(file).size);

test("a large log is rotated while the server runs, and logging goes on in the same file", async () => {
  const server = await start();
  appendFileSync(log, "x".repeat(9_000_000));
  await expect.poll(() => sizes()[0]).toBeLessThan(1_000);
  expect(sizes()[1]).toBeGreaterThanOrEqual(9_000_000);
  expect(statSync(`${log}.1`).uid).toBe(statSync(log).uid);
  expect(statSync(`${log}.1`).mode & 0o777).toBe(0o600);
  const database = openDatabase(server.connection);
  await ask(database, "do $$ begin raise warning 'after the log was rotated'; end $$");
  await expect.poll(() => readFileSync(log, "utf8")).toContain("after the log was rotated");
  await database.close();
  await server.stop();
});

test("a log that is large at the start replaces the log that was rotated before", async () => {
  appendFileSync(log, "y".repeat(9_500_000));
  const server = await start();
  await server.stop();
  const [now = 0, before] = sizes();
  expect(now).toBeLessThan(2_000);
  expect(before).toBeGreaterThan(9_500_000);
  expect(before).toBeLessThan(10_000_000);
});

test("a large log that cannot be copied is emptied all the same", async () => {
  rmSync(`${log}.1`);
  mkdirSync(`${log}.1`);
  appendFileSync(log, "z".repeat(9_000_000));
  const server = await start();
  await server.stop();
  expect(statSync(log).size).toBeLessThan(2_000);
});
