import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database, Statement } from "../../storage/postgres/database.ts";
import { makeChangeWatch } from "./watch-changes.ts";

const SESSION = { sessionId: "one", merchantId: null };
const stamps = new Map([["reviews", "a"]]);
let isAway = false;
let looks = 0;
const warned: string[] = [];

/** The database as the watch reads it. */
const query = async ({ name }: Statement): Promise<unknown[]> => {
  if (isAway) throw new Error("the database is away");
  if (name === "person_sessions_list_open") {
    looks += 1;
    return [{ id: "one", roles: ["support"] }];
  }
  if (name === "changes_moved") return [{ snapshot: "1:1:", merchantIds: [] }];
  return [...stamps].map(([topic, stamp]) => ({ topic, merchantId: null, stamp }));
};
const makeWatch = () =>
  makeChangeWatch({
    database: { query } as unknown as Database,
    log: { warn: (_fields: object, words: string) => warned.push(words) } as never,
  });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a silent stream gets an event without topics, and a change of a second is one event", async () => {
  const stream = makeWatch().follow(SESSION, new AbortController().signal);
  const next = async () => {
    const { value } = await stream.next();
    return value;
  };
  const first = next();
  await vi.advanceTimersByTimeAsync(0);
  expect(await first).toContain("reviews");
  const quiet = next();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await quiet).toEqual([]);
  const changed = next();
  stamps.set("reviews", "b");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await changed).toEqual(["reviews"]);
  await stream.return(undefined);
  const earlier = looks;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks).toBeLessThanOrEqual(earlier + 1);
});

test("after the database was away every topic is named, and the stream did not end", async () => {
  const stream = makeWatch().follow(SESSION, new AbortController().signal);
  const first = stream.next();
  await vi.advanceTimersByTimeAsync(1_000);
  const named = (await first).value;
  isAway = true;
  const next = stream.next();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(warned).toContain("changes cannot be watched");
  isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await next).toEqual({ done: false, value: named });
  await stream.return(undefined);
});

test("a stream that its server ends does not wait for a change", async () => {
  const ended = new AbortController();
  const stream = makeWatch().follow(SESSION, ended.signal);
  const first = stream.next();
  await vi.advanceTimersByTimeAsync(1_000);
  await first;
  const next = stream.next();
  ended.abort();
  expect((await next).done).toBe(true);
});
