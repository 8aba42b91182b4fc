import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startLease } from "./lease.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("a lease passes while the process is stopped", () => {
  const lease = startLease(20_000);
  vi.advanceTimersByTime(3_000);
  expect(lease.leftMs()).toBe(17_000);
});

test("a lease passes while the machine is suspended, and its timers' clock stands still", () => {
  const lease = startLease(20_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(lease.leftMs()).toBeLessThan(0);
});

test("a lease does not get longer when the machine's clock is set back", () => {
  const lease = startLease(20_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(3_000);
  expect(lease.leftMs()).toBe(17_000);
});
