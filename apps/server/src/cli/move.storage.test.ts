import { afterAll, beforeEach, expect, inject, test, vi } from "vitest";
import { type Database, openDatabase, unnamedStatement } from "../storage/postgres/database.ts";
import { openCommandLine, type RanCommand } from "../testing/command-line.ts";
import { makeDatabase } from "../testing/database.ts";

/** Reads the server from a database that is not moved. */
const admin = openDatabase({ ...inject("storageServer"), poolSize: 1 });
/** A service that is connected to the database that is moved. */
let service: Database;
let target: { readonly name: string; readonly url: string };
beforeEach(async () => {
  service = await makeDatabase({ poolSize: 1 });
  const name = `moved_${await nameOf(service)}`;
  await admin.query(unnamedStatement(`create database ${name}`));
  const host = encodeURIComponent(inject("storageServer").host ?? "");
  target = { name, url: `postgres://postgres@localhost/${name}?host=${host}` };
});
afterAll(() => admin.close());

async function nameOf(database: Database): Promise<string> {
  const [row] = await database.query<{ name: string }>(
    unnamedStatement("select current_database() as name"),
  );
  return row?.name ?? "";
}

/** Starts a move. `hasLooked` waits until it has counted the other connections once. */
async function startMove() {
  const source = await nameOf(service);
  const line = await openCommandLine(service);
  const moved: Promise<RanCommand> = line.run("move", "--to", target.url).finally(line.close);
  const looked = unnamedStatement(
    `select from pg_stat_activity
     where datname = $1 and state = 'idle' and query like '%pid <> pg_backend_pid()%'`,
  );
  const hasLooked = () =>
    vi.waitUntil(async () => (await admin.query(looked, [source])).length > 0, {
      timeout: 60_000,
      interval: 10,
    });
  return { moved, hasLooked };
}

test("a move waits for the last connection of a service that was just stopped", async () => {
  const { moved, hasLooked } = await startMove();
  await hasLooked();
  await service.close();
  expect(await moved).toMatchObject({
    status: 0,
    out: expect.stringContaining("and compared all of them"),
    errors: expect.stringMatching(/^waiting for the last connections to this database to end$/m),
  });
});

test("a move beside a service that stays connected is refused, and leaves the target empty", async () => {
  const { moved } = await startMove();
  expect(await moved).toMatchObject({
    status: 1,
    errors: expect.stringContaining("Stop every process of the service"),
  });
  await service.close();
  const opened = openDatabase({ ...inject("storageServer"), database: target.name, poolSize: 1 });
  const tables = "select from pg_tables where schemaname = 'public'";
  expect(await opened.query(unnamedStatement(tables))).toEqual([]);
  await opened.close();
});
