import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeReadinessCheck } from "./check-readiness.ts";
import type { Deps } from "./deps.ts";

const PAUSE_MS = 3_600_000;
const HISTORY = { mark: "1", version: "7", restored_why: null };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A process whose database answers as the test says. */
const depsWith = (query: () => Promise<object[]>): Deps =>
  ({ database: { query }, catalogue: () => ({ currencies: ["BTC"] }) }) as unknown as Deps;

test("an answer of the database that arrived while the process was paused is read, and counts", async () => {
  const check = makeReadinessCheck(
    depsWith(async () => {
      await turn();
      return [HISTORY];
    }),
  );
  const found = check();
  vi.advanceTimersByTime(PAUSE_MS);
  expect(await found).toMatchObject({ isReady: true, checks: { database: "ok" } });
});

test("a database that does not answer is not ready after two seconds", async () => {
  const check = makeReadinessCheck(depsWith(() => new Promise(() => {})));
  let isOver = false;
  const found = check().finally(() => {
    isOver = true;
  });
  for (let passedMs = 0; passedMs < 2_000; passedMs += 100) {
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(100);
    await turn();
  }
  expect(await found).toMatchObject({
    isReady: false,
    checks: { database: "failing", history: "unknown" },
    cause: "The database does not answer.",
  });
});

test("a database that does not answer is not ready in time although the event loop is busy", async () => {
  const check = makeReadinessCheck(depsWith(() => new Promise(() => {})));
  let isOver = false;
  const found = check().finally(() => {
    isOver = true;
  });
  let passedMs = 0;
  for (; !isOver; passedMs += 600) {
    vi.advanceTimersByTime(600);
    await turn();
  }
  expect(passedMs).toBe(2_400);
  expect((await found).isReady).toBe(false);
});

test("a row of the history that rested while its only writer was paused does not show hung writes", async () => {
  const check = makeReadinessCheck(depsWith(async () => [HISTORY]));
  expect((await check()).isReady).toBe(true);
  vi.advanceTimersByTime(PAUSE_MS);
  await turn();
  expect((await check()).isReady).toBe(true);
  for (let parts = 1; parts < 10; parts += 1) {
    vi.advanceTimersByTime(1_500);
    await turn();
  }
  expect(await check()).toMatchObject({
    isReady: false,
    cause: "The database answers reads, and its writes hang.",
  });
});
