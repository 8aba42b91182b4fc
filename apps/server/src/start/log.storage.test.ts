import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, unnamedStatement } from "../storage/postgres/database.ts";
import { makeDatabase } from "../testing/database.ts";
import { logOptions } from "./log.ts";

/** A value of a row, with the characters that PostgreSQL puts around values. */
const VALUE = 'Ada "the Countess"\nLovelace: 4000000000002701';
const WORDS = ["Ada", "Countess", "Lovelace", "4000000000002701"];

const lines: string[] = [];
/** Each case has a log of its own, because a log writes an error that is repeated once. */
const openLog = () =>
  pino(
    logOptions("info"),
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    }),
  );

const SETUP = [
  `create table probed_people (
     id int primary key, name text not null unique check (length(name) > 3), age smallint,
     friend int references probed_people, spot int4range, short varchar(3), exclude using gist (spot with &&))`,
  `create function greet(name text) returns void language plpgsql as $$ begin
     raise exception 'refused' using detail = name, hint = name, errcode = 'P0001'; end $$`,
  `create function move_on(name text) returns void language plpgsql as $$ begin
     execute format('select %L::text::int', name); end $$`,
];

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
  for (const text of SETUP) await database.query(unnamedStatement(text));
  await database.query(
    unnamedStatement("insert into probed_people values (1, $1, 1, null, '[1,5]')"),
    [VALUE],
  );
});
afterAll(() => database.close());

/** An error of each class that the statements of the service can meet, made by a value of a row. */
const ERRORS: readonly (readonly [code: string, text: string])[] = [
  ["22001", "insert into probed_people select 2, 'name', 1, null, null, $1"],
  ["22003", "select $1::text, 99999::text::smallint"],
  ["22007", "select $1::text::date"],
  ["22021", "select convert_from(convert_to($1, 'UTF8') || '\\xff', 'UTF8')"],
  ["22P02", "select $1::text::uuid"],
  ["22P02", "select $1::text::int"],
  ["22P02", "select $1::text::json"],
  ["22P02", "select ('{' || $1)::int[]"],
  ["22P02", "select move_on($1)"],
  ["23502", "insert into probed_people select 2, null, 1 where $1 <> ''"],
  ["23503", "insert into probed_people select 2, $1 || 'x', 1, 4000000 where true"],
  ["23505", "insert into probed_people select 2, $1"],
  ["23514", "insert into probed_people select 2, left($1, 3)"],
  ["23P01", "insert into probed_people select 2, $1 || 'y', 1, null, '[2,3]'"],
  ["2201X", "select $1::text offset -1"],
  ["42883", "select no_such_function($1::text)"],
  ["54000", "select repeat($1, 2000000000)"],
  ["57014", "select pg_sleep(1), $1::text"],
  ["P0001", "select greet($1)"],
];

describe("a line of the log has no value of a row, after", () => {
  test.each(ERRORS)("SQLSTATE %s of %s", async (code, text) => {
    const error = await database
      .transaction(async (tx) => {
        const timeoutMs = code === "57014" ? 300 : 60_000;
        await tx.query(unnamedStatement(`set local statement_timeout = ${timeoutMs}`));
        await tx.query(unnamedStatement(text), [VALUE]);
      })
      .catch((caught: unknown) => caught);
    lines.length = 0;
    openLog().error({ err: error }, "failed");
    openLog().error({ err: new Error("wrapped", { cause: error }) }, "failed");
    const [line = "", wrapped = ""] = lines;
    expect(line).toContain(`"code":"${code}"`);
    expect(wrapped).toContain("wrapped");
    for (const word of WORDS) expect(lines.join("")).not.toContain(word);
  });
});
