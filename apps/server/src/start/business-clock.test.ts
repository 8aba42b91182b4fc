import { expect, test } from "vitest";
import { makeSyncedClock } from "./business-clock.ts";

test("the clock follows the database's business clock and runs on by itself", () => {
  let realMs = 1_000_000;
  const clock = makeSyncedClock(() => realMs);
  clock.sync(new Date(realMs + 86_400_000));
  realMs += 500;
  expect(clock.now().getTime()).toBe(1_000_500 + 86_400_000);
});

test("the delay of an answer does not make the clock jump", () => {
  const clock = makeSyncedClock(() => 5_000);
  for (const delay of [3, 0, 9, 1]) clock.sync(new Date(5_000 - delay));
  expect(clock.now().getTime()).toBe(5_000);
});
