import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { advanceHistory, readHistory } from "../../storage/history.ts";
import { ensureInstallation } from "../../storage/installation.ts";
import { type Database, unnamedStatement } from "../../storage/postgres/database.ts";
import { inSnapshot } from "../../storage/reports/report-parts.ts";
import { makeDatabase } from "../../testing/database.ts";
import { BEHIND_MAX, reportSource } from "./source.ts";

const KEY = new Uint8Array(32).fill(7);
const CONFLICT = unnamedStatement(
  "do $$ begin raise exception using errcode = '40001', message = 'conflict with recovery'; end $$",
);

let database: Database;
let standby: Database;
let foreign: Database;
beforeAll(async () => {
  [database, standby, foreign] = await Promise.all([
    makeDatabase({ poolSize: 2 }),
    makeDatabase({ poolSize: 2 }),
    makeDatabase({ poolSize: 2 }),
  ]);
  for (const each of [database, standby])
    await ensureInstallation(each, { environment: "dev", orderIdKey: KEY });
  await ensureInstallation(foreign, {
    environment: "dev",
    orderIdKey: KEY.map((byte) => byte + 1),
  });
});
afterAll(async () => {
  for (const each of [database, standby, foreign]) await each.close();
});

test("reports are read from the standby, and without one from the database itself", async () => {
  expect(await reportSource({ database })).toBe(database);
  expect((await reportSource({ database, standby })).query).toBe(standby.query);
});

test("each snapshot is checked, because the address of standbys may lead to another server", async () => {
  const several = { ...standby, transaction: foreign.transaction };
  const source = await reportSource({ database, standby: several });
  const onRows = vi.fn();
  const report = inSnapshot(source, async () => onRows());
  await expect(report).rejects.toThrow("another installation's database");
  expect(onRows).not.toHaveBeenCalled();
});

test("a standby that is a minute behind is refused, and so is another installation's", async () => {
  await advanceHistory(database, BEHIND_MAX);
  expect((await reportSource({ database, standby })).query).toBe(standby.query);
  await advanceHistory(database, 1n);
  await expect(reportSource({ database, standby })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining("61 seconds behind"),
  });
  await expect(reportSource({ database, standby: foreign })).rejects.toThrow(
    "another installation's database",
  );
});

test("a standby whose mark is higher follows another database, as after a restore, and is refused", async () => {
  const { mark } = await readHistory(database);
  await advanceHistory(standby, mark - (await readHistory(standby)).mark + BEHIND_MAX);
  expect((await reportSource({ database, standby })).query).toBe(standby.query);
  await advanceHistory(standby, 1n);
  await expect(reportSource({ database, standby })).rejects.toThrow("61 marks ahead");
});

test("a report that a standby ends is not begun again, so no row is in a file twice", async () => {
  const onRows = vi.fn();
  const report = inSnapshot(standby, async (tx) => {
    onRows();
    await tx.query(CONFLICT);
  });
  await expect(report).rejects.toThrow("hot_standby_feedback");
  expect(onRows).toHaveBeenCalledOnce();
});
