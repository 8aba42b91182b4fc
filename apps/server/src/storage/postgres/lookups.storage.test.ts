import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, lookup, statement } from "./database.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  await database.transaction((tx) =>
    tx.runScript(`create table counted (id int, at text, line int);
      insert into counted select n % 100, 'at ' || n, n from generate_series(0, 199) n`),
  );
});
afterAll(() => database.close());

interface CountedRow {
  readonly id: number;
  readonly at: string;
  readonly line: number;
}
const FIND = lookup(
  "test_lookup",
  ["integer", "text"],
  "select id, at, line from counted where id = $1 and at <> $2 order by line",
);
const find = (id: unknown) => database.query<CountedRow>(FIND, [id, "at 3"]);
const linesOf = (rows: readonly CountedRow[]) => rows.map(({ line }) => line);

test("each caller gets the rows of its own key, however many share an execution", async () => {
  const ids = Array.from({ length: 150 }, (_none, at) => at);
  const found = await Promise.all(ids.map(find));
  for (const id of ids) {
    const lines = id >= 100 ? [] : id === 3 ? [103] : [id, id + 100];
    expect(linesOf(found[id] ?? [])).toEqual(lines);
  }
});

const COUNTING = lookup(
  "test_lookup_counting",
  ["integer"],
  "select $1 as id, statement_timestamp()::text as at",
);
test("lookups of one moment share executions", async () => {
  const found = await Promise.all(
    Array.from({ length: 64 }, (_none, id) => database.query<CountedRow>(COUNTING, [id])),
  );
  expect(new Set(found.flat().map(({ at }) => at)).size).toBe(2);
});

test("a key that PostgreSQL refuses fails alone", async () => {
  const [good, bad] = await Promise.allSettled([find(1), find("one")]);
  expect(good).toMatchObject({ status: "fulfilled", value: [{ line: 1 }, { line: 101 }] });
  expect(bad).toMatchObject({ status: "rejected" });
});

test("a lookup sees what its caller wrote before, and what its database transaction wrote", async () => {
  const insert = (line: number) =>
    statement("", `insert into counted values (1000, 'now', ${line})`);
  await database.query(insert(1));
  expect(linesOf(await find(1000))).toEqual([1]);
  await database.transaction(async (tx) => {
    await tx.query(insert(2));
    expect(linesOf(await tx.query<CountedRow>(FIND, [1000, ""]))).toEqual([1, 2]);
    expect(linesOf(await find(1000))).toEqual([1]);
  });
  expect(linesOf(await find(1000))).toEqual([1, 2]);
});
