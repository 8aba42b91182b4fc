import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../testing/database.ts";
import { type Database, statement } from "./database.ts";

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

/** The pool may still hold connections that it does not know to be ended. */
async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const result = await work().catch(() => undefined);
    if (result !== undefined) return result;
    await sleep(20);
  }
}

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

test("a listener whose connection is ended listens again by itself", async () => {
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

test("a listener that is ended while the server restarts does not come back", async () => {
  const unlisten = await database.listen("news", () => {});
  await endConnections();
  await unlisten();
  expect(await untilItWorks(() => database.query(PID))).toHaveLength(1);
});
