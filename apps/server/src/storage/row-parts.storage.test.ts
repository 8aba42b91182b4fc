import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../testing/database.ts";
import { type Database, type Statement, statement } from "./database.ts";
import { type Cells, partOf } from "./row-parts.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const rows = (sql: Statement, values: readonly unknown[] = []) =>
  database.query<Cells>(sql, values);

interface Shelf {
  readonly id: number;
  readonly name: string | null;
  readonly made_at: Date | null;
  readonly label: string;
}

const SHELF = partOf<Shelf>("t", "id name made_at", { label: "'no. ' || t.id" });

test("a part has its table's columns and what comes from elsewhere, in their places", async () => {
  const text = `select 'before', ${SHELF.columns}, 'after'
    from (values (1, 'wide', timestamptz '2026-11-21 20:00:00.123999+00'), (2, null, null)) t (id, name, made_at)`;
  const [first, second] = await rows(statement("parts", text, { rowsAs: "arrays" }));
  const madeAt = new Date("2026-11-21T20:00:00.123Z");
  expect(SHELF.read(first as Cells, 1)).toEqual({
    id: 1,
    name: "wide",
    made_at: madeAt,
    label: "no. 1",
  });
  expect(SHELF.read(second as Cells, 1)).toEqual({
    id: 2,
    name: null,
    made_at: null,
    label: "no. 2",
  });
  expect([first?.[0], first?.[1 + SHELF.width]]).toEqual(["before", "after"]);
});

test("a part whose row is missing is undefined", async () => {
  const text = `select ${SHELF.columns} from (values (1)) o (id) left join
    (select null::int as id, null::text as name, null::timestamptz as made_at) t on true`;
  const [row] = await rows(statement("missing", text, { rowsAs: "arrays" }));
  expect(SHELF.read(row as Cells, 0)).toBeUndefined();
});

test("a moment is the one that a date of the same column is, to the millisecond", async () => {
  const asNumber = statement(
    "as_number",
    `select ${SHELF.columns} from (select 1 as id, null as name,
       timestamptz 'epoch' + $1::bigint * interval '1 microsecond' as made_at) t`,
    { rowsAs: "arrays" },
  );
  const asDate = statement(
    "as_date",
    "select timestamptz 'epoch' + $1::bigint * interval '1 microsecond' as at",
  );
  const micros = fc.bigInt({ min: 0n, max: 4_000_000_000_000_000n });
  await fc.assert(
    fc.asyncProperty(micros, async (at) => {
      const [[cells], [row]] = await Promise.all([
        rows(asNumber, [at]),
        database.query<{ at: Date }>(asDate, [at]),
      ]);
      expect(SHELF.read(cells as Cells, 0)?.made_at).toEqual(row?.at);
    }),
    { numRuns: 200 },
  );
});
