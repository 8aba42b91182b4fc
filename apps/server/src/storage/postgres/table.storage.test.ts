import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, statement } from "./database.ts";
import {
  bigInteger,
  boolean,
  bytes,
  decimal,
  integer,
  json,
  nullable,
  records,
  type TableRow,
  table,
  text,
  texts,
  timestamp,
  units,
  uuid,
} from "./table.ts";

const THINGS = table({
  id: bigInteger(),
  thing_id: uuid(),
  note: nullable(text()),
  words: texts(),
  is_on: boolean(),
  number: integer(),
  spend_units: units(),
  rate: decimal(),
  details: json<Readonly<Record<string, unknown>>>(),
  sealed: nullable(bytes()),
  created_at: timestamp(),
});

type Thing = TableRow<typeof THINGS>;

const CREATE = statement("things_create", `create table things (${THINGS.definitions})`);
const INSERT = statement(
  "things_insert",
  `insert into things (${THINGS.names}) select ${THINGS.names} from ${records("things", THINGS.definitions)}`,
);
const READ = statement("things_read", `select ${THINGS.of("t")} from things t order by t.id`);
const READ_JSON = statement(
  "things_read_json",
  `select (select json_agg(${THINGS.json("t")} order by t.id) from things t) as things,
     (select ${THINGS.json("t")} from (select) none left join things t on false) as missing`,
);

const FULL: Thing = {
  id: 9_007_199_254_740_993n,
  thingId: "018f3c3a-0000-7000-8000-000000000001",
  note: `"quoted", \\ and 'more' {é}\n`,
  words: ["one", "null", 'a "b", {c}', ""],
  isOn: true,
  number: -7,
  spendUnits: 12_345_678_901_234_567_890_123_456_789_012_345_678n,
  rate: { units: 123_456_789_012_345_678_901n, scale: 18 },
  details: { text: "ü", list: [1, { deep: null }] },
  sealed: Uint8Array.of(0, 255, 92),
  createdAt: new Date("2026-03-01T10:11:12.345Z"),
};
const EMPTY: Thing = { ...FULL, id: FULL.id + 1n, note: null, words: [], sealed: null };

const comparable = (thing: Thing) => ({
  ...thing,
  sealed: thing.sealed && Buffer.from(thing.sealed).toString("hex"),
});

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  await database.query(CREATE);
  await database.query(INSERT, [JSON.stringify({ things: [FULL, EMPTY].map(THINGS.write) })]);
});
afterAll(() => database.close());

test("a row reads back as it was written, to the last unit", async () => {
  const rows = await database.query(READ);
  expect(rows.map(THINGS.read).map(comparable)).toEqual([FULL, EMPTY].map(comparable));
});

test("a row reads the same from JSON as from columns", async () => {
  const [row] = await database.query<{ things: unknown[]; missing: unknown }>(READ_JSON);
  expect(row?.things.map(THINGS.read).map(comparable)).toEqual([FULL, EMPTY].map(comparable));
  expect(row?.missing).toBeNull();
});

test("a part of a table has only its own columns", () => {
  expect(THINGS.pick("id", "note").names).toBe("id, note");
  expect(THINGS.pick("id", "note").definitions).toBe("id bigint, note text");
  expect(THINGS.pick("id", "is_on").of("t")).toBe("t.id, t.is_on");
  expect(THINGS.omit("note").write(FULL)).not.toHaveProperty("note");
});
