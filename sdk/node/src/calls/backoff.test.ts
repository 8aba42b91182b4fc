import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs, readRetryAfter } from "./backoff.ts";

test("waits double up to eight seconds, each between half and all of it", () => {
  const at = (random: number) => [1, 2, 3, 4, 5, 6, 7, 50].map((n) => backoffMs(n, random));
  expect(at(0)).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  expect(at(1)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
});

const NOW = Date.UTC(2030, 0, 1);

test.each([
  ["0", 0],
  [" 120 ", 120_000],
  ["Tue, 01 Jan 2030 00:00:30 GMT", 30_000],
  ["Mon, 31 Dec 2029 23:59:00 GMT", 0],
  ["-1", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
  ["99999999999999999999", undefined],
  ["Xyz, nonsense", undefined],
])("Retry-After %j is %s ms", (header, ms) => {
  expect(readRetryAfter(header, NOW)).toBe(ms);
});

test("any header is a wait of zero or more, or none", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const ms = readRetryAfter(header, NOW);
      expect(ms === undefined || ms >= 0).toBe(true);
    }),
  );
});
