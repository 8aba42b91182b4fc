import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, statement, unnamedStatement } from "../postgres/database.ts";
import { withoutWriters } from "./copy-tables.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

test.each(["orders", "jobs", "payout_intents", "ledger_entries", "history"])(
  "nobody else writes to %s while the database is moved",
  async (name) => {
    const asWriter = () =>
      database.transaction((tx) => tx.runScript(`lock table ${name} in row exclusive mode nowait`));
    await asWriter();
    await withoutWriters(database, async (from) => {
      await expect(asWriter()).rejects.toThrow(/could not obtain lock/);
      await from.query(unnamedStatement(`select from ${name}`));
    });
    await asWriter();
  },
);

test("a move may wait for the other side for longer than an idle transaction may", async () => {
  const timeout = statement("test_idle", "show idle_in_transaction_session_timeout");
  await withoutWriters(database, async (from) => {
    expect(await from.query(timeout)).toEqual([{ idle_in_transaction_session_timeout: "0" }]);
  });
});
