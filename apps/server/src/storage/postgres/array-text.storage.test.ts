import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { arrayText } from "./array-text.ts";
import { type Database, statement } from "./database.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const read = statement("read_of_test", "select $1::text[] as texts, $2::float8[] as numbers");

/** Text that arrays and quoting each treat in their own way. */
const text = fc.oneof(
  fc.constantFrom(
    "",
    "null",
    "NULL",
    "{}",
    '"',
    "\\",
    "a,b",
    "{a}",
    " a.b ",
    "a.b",
    "a.b ",
    "7-\t",
    "-",
    "\n",
    "ü€😀",
  ),
  fc.uuid(),
  fc.string({ unit: "binary" }).map((value) => value.replaceAll("\0", "")),
);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0);

test("PostgreSQL reads back every text, number and null of a list", async () => {
  const some = fc.tuple(fc.array(fc.option(text)), fc.array(fc.option(number)));
  await fc.assert(
    fc.asyncProperty(some, async ([texts, numbers]) => {
      const rows = await database.query(read, [arrayText(texts), arrayText(numbers)]);
      expect(rows).toEqual([{ texts, numbers }]);
    }),
    { numRuns: 1_000 },
  );
});
