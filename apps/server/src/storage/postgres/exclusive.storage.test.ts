import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatabase } from "../../testing/database.ts";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { type Database, statement } from "./database.ts";
import { LockHeldError, runExclusively } from "./exclusive.ts";

let database: Database;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database.close());

const HOLD = statement("test_hold", `select pg_advisory_xact_lock(${ADVISORY_LOCKS.catalogue})`);
const PID = statement("test_pid", "select pg_backend_pid() as pid");
const LOCK = { lock: "catalogue", doing: "loading the catalogue" } as const;

test("processes that start together take turns", async () => {
  let running = 0;
  const turns = Array.from({ length: 4 }, (_none, number) =>
    runExclusively(database, LOCK, async (tx) => {
      running += 1;
      expect(running).toBe(1);
      await tx.query(PID);
      running -= 1;
      return number;
    }),
  );
  expect(await Promise.all(turns)).toEqual([0, 1, 2, 3]);
});

test("a wait that is too long ends with the holder's process and what to do", async () => {
  await database.transaction(async (tx) => {
    await tx.query(HOLD);
    const [row] = await tx.query<{ pid: number }>(PID);
    const waiting = runExclusively(database, { ...LOCK, waitMs: 300 }, async () => {});
    await expect(waiting).rejects.toThrow(LockHeldError);
    await expect(waiting).rejects.toThrow(
      new RegExp(
        `has been loading the catalogue for more than 0 seconds.* ${row?.pid} .*${row?.pid}`,
      ),
    );
  });
});

test("the work's error is thrown, and the lock is free again", async () => {
  const failing = runExclusively(database, LOCK, async () => {
    throw new Error("it failed");
  });
  await expect(failing).rejects.toThrow("it failed");
  expect(await runExclusively(database, LOCK, async () => 1)).toBe(1);
});
