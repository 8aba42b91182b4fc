import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  statement,
} from "../storage/postgres/database.ts";
import { makeDatabase } from "../testing/database.ts";
import { lockDataFolder } from "./data-folder-lock.ts";
import { removePidFile, writePidFile } from "./pid-file.ts";
import { openSafeDatabase } from "./safe-database.ts";

let database: Database;
let connection: DatabaseOptions;
beforeAll(async () => {
  database = await makeDatabase();
  const [row] = await database.query<{ name: string }>(
    statement("server_name", "select current_database() as name"),
  );
  connection = { ...inject("storageServer"), database: String(row?.name) };
});
afterAll(() => database.close());

/** A name has 63 characters at most. */
const set = (text: string) => database.query(statement(text.slice(0, 60), text));

test("a database that acknowledges before it has written is refused in a sentence", async () => {
  await set(`alter database ${connection.database} set synchronous_commit = off`);
  await expect(openSafeDatabase(connection)).rejects.toThrow(
    "The database runs with synchronous_commit = off and would lose orders in a power cut.",
  );
  await set(`alter database ${connection.database} reset synchronous_commit`);
  await (await openSafeDatabase(connection)).close();
});

test("a database that does not answer is told by its host, without its password", async () => {
  const connectionString = "postgres://me:geheim@127.0.0.1:1/nothing";
  const opening = openSafeDatabase({ connectionString });
  await expect(opening).rejects.toThrow(/DATABASE_URL \(127\.0\.0\.1:1\)/);
  await expect(opening).rejects.not.toThrow(/geheim/);
});

test("a database that can only be read is refused with what to do", async () => {
  await set(`alter database ${connection.database} set default_transaction_read_only = on`);
  await expect(openSafeDatabase(connection)).rejects.toThrow(
    "The database is read-only, so the service cannot write to it. Connect to the primary",
  );
  await set(`alter database ${connection.database} reset default_transaction_read_only`);
});

test("a second service is refused with the first one's process and address, until that ends", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-lock-"));
  const options = { dataDir, waitMs: 300, lost: () => {} };
  const first = await lockDataFolder(connection, options);
  writePidFile(dataDir, {
    pid: process.pid,
    address: "http://localhost:8080",
    state: "running",
  });
  await expect(lockDataFolder(connection, options)).rejects.toThrow(
    `(process ${process.pid}, http://localhost:8080)`,
  );
  const waiting = lockDataFolder(connection, { ...options, waitMs: 60_000 });
  await first.release();
  await (await waiting).release();
});

const LOCK_HOLDERS = statement(
  "lock_holders",
  `select pid from pg_locks join pg_stat_activity using (pid)
   where locktype = 'advisory' and granted and datname = current_database()`,
);

const holdersOfLock = async () => {
  const rows = await database.query<{ pid: number }>(LOCK_HOLDERS);
  return rows.map(({ pid }) => pid);
};

/** Ends the lock as the stop of its server does. */
const endServer = async () => {
  for (const pid of await holdersOfLock()) await set(`select pg_terminate_backend(${pid})`);
};

test("a service that waits for the lock does not get it on a server that is about to stop", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-lock-"));
  const options = { dataDir, waitMs: 60_000, lost: () => {} };
  const events: string[] = [];
  const first = await lockDataFolder(connection, options);
  const second = lockDataFolder(connection, options).then((lock) => {
    events.push("taken");
    return lock;
  });
  await first.release(async () => {
    await sleep(1_000);
    events.push("stopped");
    await endServer();
  });
  await (await second).release();
  expect(events).toEqual(["stopped", "taken"]);
});

test("a service waits on when another one took long to stop, until the server runs again", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-lock-"));
  const options = { dataDir, waitMs: 1_000, lost: () => {} };
  const first = await lockDataFolder(connection, options);
  const file = { pid: process.pid, address: "http://localhost:8080", state: "stopping" } as const;
  writePidFile(dataDir, file);
  const second = lockDataFolder(connection, options);
  await sleep(1_500);
  removePidFile(dataDir);
  await sleep(300);
  await first.release();
  await (await second).release();
});

test("a lock that a database restart took away is taken again", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-lock-"));
  const options = { dataDir, waitMs: 300, lost: () => {} };
  const lock = await lockDataFolder(connection, options);
  const [before] = await holdersOfLock();
  await endServer();
  for (let now = [before]; now.length === 0 || now.includes(before); now = await holdersOfLock()) {
    await sleep(20);
  }
  await expect(lockDataFolder(connection, options)).rejects.toThrow("Another service runs");
  await lock.release();
});

test("a lock that was lost is taken again, however long the database accepts no connections", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-lock-"));
  const losses: Error[] = [];
  const options = { dataDir, waitMs: 100, lost: (error: Error) => losses.push(error) };
  const lock = await lockDataFolder(connection, options);
  const server = openDatabase({ ...inject("storageServer"), poolSize: 1 });
  const allow = (answer: boolean) =>
    server.query(
      statement("", `alter database ${connection.database} with allow_connections ${answer}`),
    );
  await allow(false);
  await server.query(
    statement("", "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1"),
    [connection.database],
  );
  await sleep(1_000);
  await allow(true);
  await server.close();
  await vi.waitUntil(
    () =>
      database.query<{ pid: number }>(LOCK_HOLDERS).then(
        (holders) => holders.length === 1,
        () => false,
      ),
    { timeout: 60_000 },
  );
  await lock.release();
  expect(losses).toEqual([]);
});
