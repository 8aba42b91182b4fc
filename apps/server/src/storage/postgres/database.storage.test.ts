import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, statement } from "./database.ts";
import { isRefused } from "./transaction.ts";

let database: Database;
let other: Database;
beforeAll(async () => {
  database = await makeDatabase();
  other = await makeDatabase();
});
afterAll(() => Promise.all([database.close(), other.close()]));

const PID = statement("test_pid", "select pg_backend_pid() as pid");
const END_OTHERS = statement(
  "test_end_others",
  `select pg_terminate_backend(pid) from pg_stat_activity
   where datname = $1 and pid <> pg_backend_pid()`,
);
const NAME = statement("test_name", "select current_database() as name");
const NOTIFY = statement("test_notify", "select pg_notify('news', $1)");

/** Ends every connection of the database, as a restart of the server does. */
async function endConnections(): Promise<void> {
  const [row] = await database.query<{ name: string }>(NAME);
  await other.query(END_OTHERS, [row?.name]);
}

/** The pool may still hold ended connections that it has not noticed. */
async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const result = await work().catch(() => undefined);
    if (result !== undefined) return result;
    await sleep(20);
  }
}

test("every connection uses UTC, compiles nothing and ends statements that take too long", async () => {
  const read = statement(
    "test_settings",
    `select current_setting('TimeZone') as zone, current_setting('statement_timeout') as statement,
       current_setting('lock_timeout') as lock, current_setting('jit') as jit,
       current_setting('idle_in_transaction_session_timeout') as idle from pg_sleep(0.05)`,
  );
  const rows = await Promise.all(Array.from({ length: 4 }, () => database.query(read)));
  const expected = { zone: "UTC", statement: "30s", lock: "10s", jit: "off", idle: "1min" };
  for (const [row] of rows) expect(row).toEqual(expected);
});

const OF_A_TIME = statement(
  "test_of_a_time",
  "select count(*)::int as count from migrations where applied_at >= $1 and applied_at < $2",
);
const PLANNED = statement(
  "test_planned",
  `select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
   where name = '${OF_A_TIME.name}'`,
);

test("a statement is planned once for each connection, not for each set of values", async () => {
  const planned = await database.transaction(async (tx) => {
    for (let day = 1; day <= 9; day++)
      await tx.query(OF_A_TIME, [`2020-01-0${day}`, `2020-01-1${day}`]);
    return tx.query<{ custom: number; generic: number }>(PLANNED);
  });
  expect(planned).toEqual([{ custom: 0, generic: 9 }]);
});

test("a transaction whose connection is ended fails, and the next one works", async () => {
  const broken = database.transaction(async (tx) => {
    await tx.query(PID);
    await endConnections();
    await tx.query(PID);
  });
  await expect(broken).rejects.toThrow();
  const pid = await untilItWorks(() => database.transaction((tx) => tx.query(PID)));
  expect(pid).toHaveLength(1);
});

test("a listener whose connection is ended reconnects by itself", async () => {
  const heard: string[] = [];
  const unlisten = await database.listen("news", (payload) => heard.push(payload));
  await endConnections();
  while (!heard.includes("again")) {
    await untilItWorks(() => database.query(NOTIFY, ["again"]));
    await sleep(50);
  }
  await unlisten();
  const count = heard.length;
  await untilItWorks(() => database.query(NOTIFY, ["late"]));
  await sleep(100);
  expect(heard).toHaveLength(count);
});

test("a listener that is stopped while the server restarts does not reconnect", async () => {
  const unlisten = await database.listen("news", () => {});
  await endConnections();
  await unlisten();
  expect(await untilItWorks(() => database.query(PID))).toHaveLength(1);
});

const NOTE = statement("test_note", "insert into test_notes (text) values ($1)");
const NOTES = statement("test_notes", "select text from test_notes order by text");
const makeNotes = () =>
  database.query(
    statement("test_make_notes", "create table if not exists test_notes (text text primary key)"),
  );

test("when a statement fails, nothing is committed, even if its error is caught", async () => {
  await makeNotes();
  const failed = database.transaction(async (tx) => {
    await tx.query(NOTE, ["not kept"]);
    await tx.write(NOTE, ["twice"]);
    await tx.write(NOTE, ["twice"]);
  });
  await expect(failed).rejects.toMatchObject({ code: "23505" });
  await database
    .transaction(async (tx) => {
      await tx.write(NOTE, ["twice"]);
      await tx.write(NOTE, ["twice"]).catch(() => {});
    })
    .catch(() => {});
  expect(await database.query(NOTES)).toEqual([]);
  expect(await database.transaction((tx) => tx.query(PID))).toHaveLength(1);
});

test("a deferred check that fails at the commit fails the transaction", async () => {
  await makeNotes();
  const deferred = database.transaction(async (tx) => {
    await tx.runScript(
      `create table test_later (id int unique deferrable initially deferred);
       insert into test_later values (1), (1)`,
    );
  });
  await expect(deferred).rejects.toMatchObject({ code: "23505" });
});

const LATER = statement("test_serialization", "do $$ begin raise sqlstate '40001'; end $$");

test("a serialization failure runs the work again", async () => {
  let runs = 0;
  await database.transaction(async (tx) => {
    runs += 1;
    if (runs < 3) await tx.write(LATER);
  });
  expect(runs).toBe(3);
});

const REFUSE = statement("test_refuse", "select refuse_write('somebody was faster')");

test("a refused write is recognised by its code and is not run again", async () => {
  let runs = 0;
  const refused = database.transaction((tx) => {
    runs += 1;
    return tx.query(REFUSE);
  });
  await expect(refused).rejects.toSatisfy(isRefused);
  expect(runs).toBe(1);
  const other = database.query(statement("test_other", "select 1 / 0"));
  await expect(other).rejects.not.toSatisfy(isRefused);
});

const SMALL =
  "create table growing (id int primary key, what text); insert into growing values (1, '')";
const LARGE = "insert into growing select n, '' from generate_series(2, 5000) n";
const ONE = statement("test_one_of_many", "select what from growing where id = $1");
const READ_WHOLE = statement(
  "test_read_whole",
  "select seq_tup_read::int as rows from pg_stat_xact_user_tables where relname = 'growing'",
);

test("a plan that was made for a table of one page is replaced when the grown table is analyzed", async () => {
  const [before, after] = await database.transaction(async (tx) => {
    await tx.runScript(`${SMALL}; analyze growing`);
    await tx.query(ONE, [1]);
    await tx.runScript(`${LARGE}; analyze growing`);
    const [counted] = await tx.query<{ rows: number }>(READ_WHOLE);
    expect(await tx.query(ONE, [4_000])).toEqual([{ what: "" }]);
    const [then] = await tx.query<{ rows: number }>(READ_WHOLE);
    return [counted?.rows, then?.rows];
  });
  expect(after).toBe(before);
});
