import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { type Database, openDatabase, statement } from "./database.ts";

const ROLE = "narrow_pool";
const CONNECTIONS = 3;
const CREATE = statement(
  "test_create_role",
  `create role ${ROLE} login connection limit ${CONNECTIONS}`,
);
const DROP = statement("test_drop_role", `drop role if exists ${ROLE}`);
const FILL = statement("test_fill_role", `alter role ${ROLE} connection limit 0`);
const WIDEN = statement("test_widen_role", `alter role ${ROLE} connection limit ${CONNECTIONS}`);
const WORK = statement("test_work", "select current_user as name from pg_sleep(0.02)");

/** Its statements wait as long as a test may take. */
const connection = () => ({
  ...inject("storageServer"),
  ...{ user: ROLE, database: "postgres", waitMs: 300_000 },
});

let owner: Database;
beforeAll(async () => {
  owner = await makeDatabase({ poolSize: 1 });
  await owner.query(DROP);
  await owner.query(CREATE);
});
afterAll(async () => {
  await owner.query(DROP);
  await owner.close();
});

test("statements wait for the connections that the server grants", async () => {
  const disturbed = vi.fn();
  const failed = vi.fn();
  const report = { away: vi.fn(), back: vi.fn(), disturbed, failed };
  const database = openDatabase({ ...connection(), poolSize: 12 }, report);
  try {
    const works = Array.from({ length: 60 }, () => database.query<{ name: string }>(WORK));
    for (const [row] of await Promise.all(works)) expect(row?.name).toBe(ROLE);
    const held = Array.from({ length: 10 }, () =>
      database.transaction(async (tx) => (await tx.query<{ name: string }>(WORK))[0]?.name),
    );
    expect(new Set(await Promise.all(held))).toEqual(new Set([ROLE]));
    expect(disturbed).toHaveBeenCalledOnce();
    expect(disturbed.mock.calls[0]?.[0].message).toBe("The database accepts no more connections.");
    expect(report.away).not.toHaveBeenCalled();
    // No statement failed. ExchangeDatabaseFull sees the refusals all the same.
    expect(new Set(failed.mock.calls.flat())).toEqual(new Set(["full"]));
  } finally {
    await database.close();
  }
});

test("without any connection a statement waits, and then fails with a sentence", async () => {
  const hasty = openDatabase({ ...connection(), waitMs: 3_000 });
  const patient = openDatabase(connection());
  try {
    await owner.query(FILL);
    const waiting = patient.query<{ name: string }>(WORK);
    await expect(hasty.query(WORK)).rejects.toThrow("accepts no more connections");
    await owner.query(WIDEN);
    expect((await waiting)[0]?.name).toBe(ROLE);
  } finally {
    await Promise.all([hasty.close(), patient.close()]);
  }
});
