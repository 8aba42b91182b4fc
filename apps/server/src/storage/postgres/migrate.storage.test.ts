import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { type Database, statement } from "./database.ts";
import { migrate } from "./migrate.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const HURRY = statement(
  "test_hurry",
  "select set_config('statement_timeout', '50ms', true), set_config('lock_timeout', '50ms', true)",
);
const HOLD = statement("test_hold", `select pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`);

/** The same database, where nothing may take long unless it says so. */
const hurried = (): Database => ({
  ...database,
  transaction: (work) =>
    database.transaction(async (tx) => {
      await tx.query(HURRY);
      return work(tx);
    }),
});

test("whoever starts while another migrates waits for it, longer than a statement may take", async () => {
  const migrated = await database.transaction(async (tx) => {
    await tx.query(HOLD);
    const waiting = migrate(hurried()).catch((error: Error) => error.message);
    await sleep(300);
    return { waiting };
  });
  expect(await migrated.waiting).toEqual({ applied: [] });
});
