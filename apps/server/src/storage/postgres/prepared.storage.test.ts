import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, lookup, statement } from "./database.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  await database.transaction((tx) =>
    tx.runScript("create table widened (id int primary key); insert into widened values (1)"),
  );
});
afterAll(() => database.close());

const READ = statement("test_widened_read", "select * from widened");
const LOCK = statement("test_widened_lock", "select * from widened for update");
const FIND = lookup("test_widened_find", ["int"], "select w.* from widened w where id = $1");
const NOTE = statement(
  "test_widened_note",
  "insert into widened (id) select max(id) + 1 from widened",
);
const COUNT = statement("test_widened_count", "select count(*)::int as rows from widened");

/** Adds a column, as a newer version does that migrates the database beside this process. */
async function widen(name: string): Promise<void> {
  await database.transaction((tx) => tx.runScript(`alter table widened add column ${name} text`));
}

/** Runs the statement on several connections at once, so that each has prepared it. */
const onEach = (work: () => Promise<unknown>) => Promise.all(Array.from({ length: 8 }, work));

test("a statement goes on working when a newer version adds a column to its table", async () => {
  for (const column of ["first", "second"]) {
    await onEach(() => database.query(READ));
    await database.query(FIND, [1]);
    await widen(column);
    await onEach(() => database.query(READ));
    expect(await database.query(READ)).toEqual([expect.objectContaining({ [column]: null })]);
    expect(await database.query(FIND, [1])).toEqual([expect.objectContaining({ [column]: null })]);
  }
});

test("a database transaction runs again as a whole when a newer version adds a column", async () => {
  const work = (): Promise<unknown> =>
    database.transaction(async (tx) => {
      await tx.write(NOTE);
      await tx.query(LOCK);
    });
  await work();
  await widen("third");
  await work();
  expect(await database.query(COUNT)).toEqual([{ rows: 3 }]);
});

test("joined writes are written once when a newer version adds a column", async () => {
  const work = (): Promise<unknown> =>
    database.joinWrites(async (joined) => {
      await joined.write(NOTE);
      await joined.query(LOCK);
    });
  await work();
  await widen("fourth");
  await work();
  expect(await database.query(COUNT)).toEqual([{ rows: 5 }]);
});
