import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { LOOPS, watchLoops } from "./watch-loops.ts";

test("a stuck loop is seen in time although the event loop is busy", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const loops = watchLoops({ error: vi.fn() } as never, LOOPS.api);
  let passedMs = 0;
  for (; loops.states().configuration === "ok"; passedMs += 5_900) {
    vi.advanceTimersByTime(5_900);
    await turn();
  }
  expect(passedMs).toBe(64_900);
  loops.stop();
});

test("a loop that stood still because the whole process was paused is not stuck", async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  onTestFinished(() => void vi.useRealTimers());
  const log = { error: vi.fn(), warn: vi.fn() };
  const loops = watchLoops(log as never, LOOPS.worker);
  vi.advanceTimersByTime(3_600_000);
  await turn();
  expect(new Set(Object.values(loops.states()))).toEqual(new Set(["ok"]));
  expect(log.error).not.toHaveBeenCalled();
  for (let passedMs = 0; passedMs < 60_000; passedMs += 5_000) {
    vi.advanceTimersByTime(5_000);
    await turn();
  }
  expect(loops.states()).toEqual({
    configuration: "stuck",
    jobs: "stuck",
    webhooks: "stuck",
    audit: "ok",
  });
  loops.stop();
});
