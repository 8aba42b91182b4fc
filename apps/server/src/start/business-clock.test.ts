import { expect, onTestFinished, test, vi } from "vitest";
import { makeSyncedClock } from "./business-clock.ts";

test("the clock follows the database's business clock and runs on by itself", () => {
  let steadyMs = 1_000;
  const clock = makeSyncedClock(() => steadyMs);
  clock.sync(new Date(86_400_000));
  steadyMs += 500;
  expect(clock.now().getTime()).toBe(86_400_500);
});

test("the clock of the machine that is set meanwhile moves nothing", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = makeSyncedClock(() => performance.now());
  const businessMs = Date.now() + 86_400_000;
  clock.sync(new Date(businessMs));
  vi.setSystemTime(Date.now() + 7_200_000);
  expect(Math.abs(clock.now().getTime() - businessMs)).toBeLessThan(3_600_000);
});

test("the delay of an answer does not make the clock jump", () => {
  const clock = makeSyncedClock(() => 5_000);
  for (const delay of [0, 3, 0, 9, 1]) clock.sync(new Date(5_000 - delay));
  expect(clock.now().getTime()).toBe(5_000);
});
