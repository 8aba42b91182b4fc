import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Database, statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeDatabase } from "../testing/database.ts";

let database: Database;
let line: CommandLine;
beforeAll(async () => {
  database = await makeDatabase();
  line = await openCommandLine(database);
});
afterAll(async () => {
  await line.close();
  await database.close();
});

const raw = (text: string) => database.query<{ name: string }>(statement(text.slice(0, 50), text));
const FILE = "0062_key_checks.sql";
const NEWER = "9999_of_tomorrow.sql";

afterEach(async () => {
  await raw(`delete from migrations where name = '${NEWER}'`);
});

test("migrate --check says that nothing is pending", async () => {
  const { status, out } = await line.run("migrate", "--check");
  expect([status, out]).toEqual([0, expect.stringContaining("Nothing is pending.")]);
});

test("pending files are named and shown, and nothing is applied", async () => {
  await raw(`update migrations set name = 'x' where name = '${FILE}'`);
  await raw("delete from migrations where name = 'x'");
  const { status, out } = await line.run("migrate", "status");
  expect([status, out]).toEqual([10, expect.stringContaining(`1 are pending: ${FILE}.`)]);
  const plan = await line.run("migrate", "plan");
  expect(plan.status).toBe(0);
  expect(plan.out).toContain(`-- ${FILE}`);
  expect(plan.out).toContain("create table key_checks");
  expect(await raw(`select name from migrations where name = '${FILE}'`)).toEqual([]);
  expect((await line.run("migrate", "--check")).status).toBe(10);
  await raw("drop table key_checks");
  expect((await line.run("migrate")).out).toBe(`Applied ${FILE}.`);
  expect((await line.run("migrate", "--check")).status).toBe(0);
});

test("a database of a newer version is refused with a sentence", async () => {
  await raw(`insert into migrations (name) values ('${NEWER}')`);
  for (const words of [
    ["migrate", "--check"],
    ["migrate", "status"],
    ["migrate", "plan"],
  ]) {
    const { status, out } = await line.run(...words);
    expect([status, out]).toEqual([20, expect.stringContaining(`newer version of Exchange`)]);
    expect(out).toContain(NEWER);
  }
  const shown = await line.run("migrate", "status", "--json");
  expect([shown.status, JSON.parse(shown.out)]).toMatchObject([20, { newer: [NEWER] }]);
  const refused = await line.run("migrate");
  expect(refused).toMatchObject({ status: 1, errors: expect.stringContaining(NEWER) });
});

test("a file that was edited after it was applied is refused", async () => {
  await raw(
    `update migrations set checksum = 'x' || substring(checksum from 2) where name = '${FILE}'`,
  );
  const { status, out } = await line.run("migrate", "--check");
  expect([status, out]).toEqual([20, expect.stringContaining(FILE)]);
});

test("a command refuses an installation with pending migrations, and applies none of them", async () => {
  await raw(`delete from migrations where name = '${FILE}'`);
  for (const words of [
    ["status"],
    ["merchant", "list"],
    ["secrets", "forget", "k1", "--as", "a"],
    ["database", "restored", "--as", "a"],
  ]) {
    expect(await line.run(...words)).toMatchObject({
      status: 1,
      errors: expect.stringMatching(`1 migrations are pending, .*${FILE}.*run: exchange migrate`),
    });
  }
  const { errors } = await line.run("database", "restored", "--as", "a");
  expect(errors).toContain("Start no process before the restore is declared.");
  expect((await line.run("migrate", "--check")).status).toBe(10);
  await raw("drop table if exists key_checks");
  expect((await line.run("migrate")).out).toBe(`Applied ${FILE}.`);
  expect((await line.run("merchant", "list")).status).toBe(0);
});
