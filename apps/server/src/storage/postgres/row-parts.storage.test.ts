import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, statement } from "./database.ts";
import { type Fields, partOf, readFields } from "./row-parts.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

/** The fields of each row as PostgreSQL prints it. */
async function fieldsOf(sql: string, values: readonly unknown[] = []): Promise<Fields[]> {
  const rows = await database.query<{ parts: string }>(statement("", sql), values);
  return rows.map(({ parts }) => readFields(parts));
}

interface Shelf {
  readonly id: string;
  readonly width: number | null;
  readonly books: unknown;
  readonly seal: Buffer | null;
  readonly made_at: Date | null;
  readonly label: string;
}

const SHELF = partOf<Shelf>("t", "id width:number books:json seal:bytes made_at:moment", {
  label: "'no. ' || t.id",
});

const shelves = (values: string): string =>
  `select row('before', ${SHELF.columns}, 'after')::text as parts
   from (values ${values}) t (id, width, books, seal, made_at)`;

test("a part has its table's columns and what comes from elsewhere, each as what it is", async () => {
  const at = "timestamptz '2026-11-21 20:00:00.123999+00'";
  const [first = [], second = []] = await fieldsOf(
    shelves(
      `(1, 80, jsonb '{"a": ["x, (y)"]}', bytea '\\x0a5c22', ${at}), (2, null, null, null, null)`,
    ),
  );
  expect(SHELF.read(first, 1)).toEqual({
    id: "1",
    width: 80,
    books: { a: ["x, (y)"] },
    seal: Buffer.from("0a5c22", "hex"),
    made_at: new Date("2026-11-21T20:00:00.123Z"),
    label: "no. 1",
  });
  const nothing = { width: null, books: null, seal: null, made_at: null };
  expect(SHELF.read(second, 1)).toEqual({ id: "2", ...nothing, label: "no. 2" });
  expect([first[0], first[1 + SHELF.width]]).toEqual(["before", "after"]);
});

test("a part whose row is missing is undefined", async () => {
  const [fields = []] = await fieldsOf(shelves("(null::int, 1, null::jsonb, null::bytea, now())"));
  expect(SHELF.read(fields, 1)).toBeUndefined();
});

test("whatever text and nothing a row holds, its fields are read back as they are", async () => {
  const mark = fc.constantFrom(
    ",",
    "(",
    ")",
    '"',
    '""',
    "\\",
    "\\\\",
    '\\"',
    " ",
    "\n",
    "{}",
    "a",
    "é",
    "😀",
  );
  const text = fc.array(mark, { maxLength: 8 }).map((marks) => marks.join(""));
  const field = fc.option(text);
  await fc.assert(
    fc.asyncProperty(fc.tuple(field, field, field, field), async (fields) => {
      const sql = "select row($1::text, $2::text, $3::text, $4::text)::text as parts";
      expect(await fieldsOf(sql, fields)).toEqual([fields]);
      expect(await fieldsOf("select row($1::text)::text as parts", [fields[0]])).toEqual([
        [fields[0]],
      ]);
    }),
    { numRuns: 500 },
  );
});

test("a moment is the one that a date of the same column is, to the millisecond", async () => {
  const moment = "timestamptz 'epoch' + $1::bigint * interval '1 microsecond'";
  const micros = fc.bigInt({ min: 0n, max: 4_000_000_000_000_000n });
  await fc.assert(
    fc.asyncProperty(micros, async (at) => {
      const [fields = []] = await fieldsOf(
        `select row(${SHELF.columns})::text as parts from (select 1 as id, 1 as width, null as books,
           null as seal, ${moment} as made_at) t`,
        [at],
      );
      const [row] = await database.query<{ at: Date }>(statement("", `select ${moment} as at`), [
        at,
      ]);
      expect(SHELF.read(fields, 0)?.made_at).toEqual(row?.at);
    }),
    { numRuns: 200 },
  );
});
