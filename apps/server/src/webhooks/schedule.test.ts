import { describe, expect, test } from "vitest";
import { RETRY_DELAYS_MS, retryDelayMs } from "./schedule.ts";

const attempt = (number: number, fraction = 0.5) => ({
  number,
  fraction,
  retryAfterMs: undefined,
});

describe("the retry schedule", () => {
  test("is 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h", () => {
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440];
    const delays = RETRY_DELAYS_MS.map((_delay, index) => retryDelayMs(attempt(index + 1)));
    expect(delays).toEqual(minutes.map((minute) => minute * 60_000));
  });

  test("spreads each delay by 20 % either way", () => {
    expect(retryDelayMs(attempt(2, 0))).toBe(240_000);
    expect(retryDelayMs(attempt(2, 0.999_999))).toBe(360_000);
  });

  test("ends after the tenth attempt", () => {
    expect(retryDelayMs(attempt(10))).toBeUndefined();
    expect(retryDelayMs({ ...attempt(10), retryAfterMs: 1_000 })).toBeUndefined();
  });

  test("waits as long as Retry-After asks, up to one hour", () => {
    expect(retryDelayMs({ ...attempt(1), retryAfterMs: 90_000 })).toBe(90_000);
    expect(retryDelayMs({ ...attempt(1), retryAfterMs: 86_400_000 })).toBe(3_600_000);
  });

  test("is never shortened by Retry-After", () => {
    expect(retryDelayMs({ ...attempt(4), retryAfterMs: 1_000 })).toBe(7_200_000);
  });
});
