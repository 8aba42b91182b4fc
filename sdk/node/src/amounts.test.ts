import fc from "fast-check";
import { expect, test } from "vitest";
import { formatUnits, toUnits } from "./amounts.ts";

test.each<[number | string, number, bigint]>([
  [0.1, 2, 10n],
  [100, 2, 10_000n],
  [0, 8, 0n],
  [-0.5, 1, -5n],
  [1e-8, 8, 1n],
  [1.5e-7, 8, 15n],
  [123456789012.345, 3, 123_456_789_012_345n],
  [1e21, 0, 10n ** 21n],
  ["0.10", 2, 10n],
  ["0.100", 2, 10n],
])("%s with %i decimals is %s units", (amount, decimals, units) => {
  expect(toUnits(amount, decimals)).toBe(units);
});

test.each<[number | string, number]>([
  [0.123, 2],
  [0.1 + 0.2, 2],
  [1e-9, 8],
  [Number.NaN, 2],
  [Number.POSITIVE_INFINITY, 2],
  ["1,000", 2],
  ["1e999999999", 2],
  ["", 2],
  [1, -1],
  [1, 1.5],
  [1, 1_000_000],
])("%s with %s decimals is refused", (amount, decimals) => {
  expect(() => toUnits(amount, decimals)).toThrow(RangeError);
});

test("an amount of the service survives the way to units and back, digit for digit", () => {
  const amount = fc.record({
    units: fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }),
    decimals: fc.integer({ min: 0, max: 8 }),
  });
  fc.assert(
    fc.property(amount, ({ units, decimals }) => {
      const text = formatUnits(units, decimals);
      expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
      expect(toUnits(text, decimals)).toBe(units);
      // At most 15 digits: JSON.parse reads it as a double of the same amount.
      expect(toUnits(Number(text), decimals)).toBe(units);
    }),
    { numRuns: 2_000 },
  );
});
