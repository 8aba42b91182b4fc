import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { analyzeGrownTables } from "./analyze.ts";
import { type Database, statement } from "./database.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  await database.transaction((tx) =>
    tx.runScript(`create table growing (id int) with (autovacuum_enabled = false);
      create table empty (id int) with (autovacuum_enabled = false)`),
  );
});
afterAll(() => database.close());

const READ = statement(
  "test_estimates",
  `select relname as name, reltuples::int as rows from pg_class
   where relname in ('growing', 'empty') order by relname desc`,
);
const insert = (from: number, to: number) =>
  database.query(
    statement("", `insert into growing select n from generate_series(${from}, ${to}) n`),
  );
const estimates = async () => {
  await analyzeGrownTables(database);
  return (await database.query<{ rows: number }>(READ)).map(({ rows }) => rows);
};

test("a table is analyzed after its first rows, and again after ten times as many changes", async () => {
  expect(await estimates()).toEqual([-1, -1]);
  await insert(1, 200);
  expect(await estimates()).toEqual([200, -1]);
  await insert(201, 300);
  expect(await estimates()).toEqual([200, -1]);
  await insert(301, 3_000);
  await expect.poll(estimates).toEqual([3_000, -1]);
});
