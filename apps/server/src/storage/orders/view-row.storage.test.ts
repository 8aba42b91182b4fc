import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, statement } from "../postgres/database.ts";
import { VIEW_PARTS } from "./view-row.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const COLUMNS = statement(
  "columns_of",
  "select column_name as name, data_type as type from information_schema.columns where table_name = $1",
);

const KIND_OF: Readonly<Record<string, string>> = {
  integer: "number",
  smallint: "number",
  jsonb: "json",
  bytea: "bytes",
  "timestamp with time zone": "moment",
};

test.each(Object.entries(VIEW_PARTS))(
  "an order's view reads each column of %s as what it is",
  async (table, part) => {
    const columns = await database.query<{ name: string; type: string }>(COLUMNS, [table]);
    const read = columns.filter(({ name }) => part.kinds[name] && name !== "signed_bytes");
    expect(read.length).toBeGreaterThan(5);
    expect(read.map(({ name }) => [name, part.kinds[name]])).toEqual(
      read.map(({ name, type }) => [name, KIND_OF[type] ?? "text"]),
    );
  },
);
