import Big from "big.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { divide, type Rounding } from "./divide.ts";

const BIG_ROUNDING = { down: Big.roundDown, up: Big.roundUp, half_up: Big.roundHalfUp } as const;
const amounts = fc.bigInt({ min: 0n, max: 10n ** 38n });
const divisors = fc.bigInt({ min: 1n, max: 10n ** 20n });
const roundings = fc.constantFrom<Rounding>("down", "up", "half_up");

test("a quotient of non-negative integers is rounded as big.js rounds it", () => {
  fc.assert(
    fc.property(amounts, divisors, roundings, (dividend, divisor, rounding) => {
      const Oracle = Big();
      Oracle.DP = 0;
      Oracle.RM = BIG_ROUNDING[rounding];
      const expected = new Oracle(dividend.toString()).div(divisor.toString());
      expect(divide(dividend, divisor, rounding).toString()).toBe(expected.toFixed());
    }),
    { numRuns: 10_000 },
  );
});

test("down is towards minus infinity and up towards plus infinity", () => {
  expect(divide(-7n, 2n, "down")).toBe(-4n);
  expect(divide(-7n, 2n, "up")).toBe(-3n);
  expect(divide(7n, 2n, "down")).toBe(3n);
  expect(divide(7n, 2n, "up")).toBe(4n);
  expect(divide(-5n, 2n, "half_up")).toBe(-2n);
});

test("a divisor that is not positive is refused", () => {
  expect(() => divide(1n, 0n, "down")).toThrow(RangeError);
  expect(() => divide(1n, -1n, "down")).toThrow(RangeError);
});
