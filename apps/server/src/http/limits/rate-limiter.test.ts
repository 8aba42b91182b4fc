import { expect, test } from "vitest";
import { forgetEnded, makeRateLimiter } from "./rate-limiter.ts";

function makeWorld(limit: number) {
  const clock = { ms: 1_000_000 };
  const limiter = makeRateLimiter({ limit, windowMs: 60_000, nowMs: () => clock.ms });
  return { clock, limiter };
}

test("requests up to the limit pass and say what is left", () => {
  const { limiter } = makeWorld(2);
  expect(limiter.take("a")).toEqual({ allowed: true, limit: 2, remaining: 1, resetSeconds: 60 });
  expect(limiter.take("a")).toMatchObject({ allowed: true, remaining: 0 });
  expect(limiter.take("a")).toMatchObject({ allowed: false, remaining: 0 });
});

test("each caller has a count of its own", () => {
  const { limiter } = makeWorld(1);
  limiter.take("a");
  expect(limiter.take("a").allowed).toBe(false);
  expect(limiter.take("b").allowed).toBe(true);
});

test("a new window starts when the old one ends, and not before", () => {
  const { clock, limiter } = makeWorld(1);
  limiter.take("a");
  clock.ms += 59_999;
  expect(limiter.take("a")).toMatchObject({ allowed: false, resetSeconds: 1 });
  clock.ms += 1;
  expect(limiter.take("a")).toMatchObject({ allowed: true, resetSeconds: 60 });
});

test("a caller is shared at each twentieth of its limit, and adopts the window of all processes", () => {
  const { clock, limiter } = makeWorld(40);
  limiter.take("a");
  expect(limiter.listUnshared()).toEqual([]);
  clock.ms += 10_000;
  limiter.take("a");
  const [count] = limiter.listUnshared();
  if (!count) throw new Error("nothing is shared");
  expect(count).toEqual({ key: "a", amount: 2, windowMs: 50_000 });
  limiter.take("a");
  limiter.adopt(count, { count: 39, endsInMs: 5_000 });
  expect(limiter.take("a")).toEqual({ allowed: false, limit: 40, remaining: 0, resetSeconds: 5 });
  expect(limiter.listUnshared()).toEqual([{ key: "a", amount: 2, windowMs: 5_000 }]);
});

test("callers that never come back do not fill the memory", () => {
  const { limiter } = makeWorld(1);
  limiter.take("first");
  for (let caller = 0; caller < 100_000; caller += 1) limiter.take(`caller ${caller}`);
  expect(limiter.take("first").allowed).toBe(true);
});

test("windows that have ended are forgotten, the others stay", () => {
  const windows = new Map([5, 10, 20, 30].map((endsAtMs) => [`until ${endsAtMs}`, { endsAtMs }]));
  forgetEnded(windows, 10);
  expect([...windows.keys()]).toEqual(["until 20", "until 30"]);
});
