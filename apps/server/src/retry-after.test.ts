import { expect, test } from "vitest";
import { readRetryAfter } from "./retry-after.ts";

test.each([
  ["120", 120_000],
  [" 5 ", 5_000],
  ["Thu, 01 Jan 2026 00:02:00 GMT", 120_000],
  ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
  ["-5", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("%j asks to wait for %s ms", (header, expected) => {
  expect(readRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(expected);
});
