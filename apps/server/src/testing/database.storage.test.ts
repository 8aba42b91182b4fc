import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, statement } from "../storage/postgres/database.ts";
import { makeDatabase } from "./database.ts";

let first: Database;
let second: Database;

beforeAll(async () => {
  [first, second] = await Promise.all([makeDatabase(), makeDatabase()]);
});

afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
});

const MERCHANTS = statement(
  "count_merchants",
  "select count(*) as count from merchants where id <> 'house'",
);

test("each database is migrated and empty, and none sees another's rows", async () => {
  await first.query(
    statement("add_merchant", "insert into merchants (id, name) values ('client_dev_A', 'Shop')"),
  );
  expect(await first.query(MERCHANTS)).toEqual([{ count: "1" }]);
  expect(await second.query(MERCHANTS)).toEqual([{ count: "0" }]);
});
