import { expect, test, vi } from "vitest";
import { makeOpenStreams } from "./open-streams.ts";

const LIMITS = {
  ofHolderMax: 3,
  ofProcessMax: 5,
  excess: "end_oldest",
  lifetimeMs: 1_000,
} as const;

test("a fourth stream of one token ends its oldest, and no other token's", () => {
  const streams = makeOpenStreams(LIMITS);
  const other = streams.open("other");
  const mine = [1, 2, 3, 4].map(() => streams.open("mine"));
  expect(mine.map(({ signal }) => signal.aborted)).toEqual([true, false, false, false]);
  expect(other.signal.aborted).toBe(false);
});

test("a holder whose streams open again by themselves is refused another, and keeps those it has", () => {
  const streams = makeOpenStreams({ ...LIMITS, excess: "refuse_new" });
  const mine = [1, 2, 3].map(() => streams.open("mine"));
  expect(() => streams.open("mine")).toThrow("You have 3 event streams open");
  expect(mine.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
  streams.open("other");
  mine[0]?.end();
  streams.open("mine");
});

test("a process refuses streams beyond its ceiling until one ends", () => {
  const streams = makeOpenStreams(LIMITS);
  const open = [1, 2, 3, 4, 5].map((holder) => streams.open(`${holder}`));
  expect(() => streams.open("6")).toThrow("Too many event streams");
  open[0]?.end();
  open[0]?.end();
  streams.open("6");
  expect(() => streams.open("7")).toThrow("Too many event streams");
});

test("a stream ends after its lifetime", () => {
  vi.useFakeTimers();
  const { signal } = makeOpenStreams(LIMITS).open("mine");
  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.aborted).toBe(true);
  vi.useRealTimers();
});

test("a holder whose streams ended may open others, and all end with the service", () => {
  const streams = makeOpenStreams(LIMITS);
  for (let n = 0; n < 20; n += 1) streams.open("mine").end();
  const open = [streams.open("mine"), streams.open("other")];
  streams.endAll();
  expect(open.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});
