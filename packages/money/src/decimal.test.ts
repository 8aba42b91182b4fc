import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  rescale,
  significantDigits,
} from "./decimal.ts";

const decimals = fc.record({
  units: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  scale: fc.integer({ min: 0, max: 30 }),
});

test("printing and reading give the same number back", () => {
  fc.assert(
    fc.property(decimals, (value) => {
      const read = parseDecimal(formatDecimal(value));
      expect(read && compareDecimals(read, value)).toBe(0);
    }),
    { numRuns: 10_000 },
  );
});

test("a number is printed in fixed notation without trailing zeros", () => {
  expect(formatDecimal({ units: 1n, scale: 8 })).toBe("0.00000001");
  expect(formatDecimal({ units: 12_300n, scale: 3 })).toBe("12.3");
  expect(formatDecimal({ units: -250n, scale: 2 })).toBe("-2.5");
  expect(formatDecimal({ units: 0n, scale: 4 })).toBe("0");
});

test("every amount with 8 decimals and 15 digits survives a double", () => {
  const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 8 }), (units, scale) => {
      const text = formatDecimal({ units, scale });
      const read = parseDecimal(String(Number(text)));
      expect(read && formatDecimal(read)).toBe(text);
    }),
    { numRuns: 20_000 },
  );
});

test("exponents are read, other texts are not numbers", () => {
  expect(parseDecimal("1e-7")).toEqual({ units: 1n, scale: 7 });
  expect(parseDecimal("2.5E3")).toEqual({ units: 2500n, scale: 0 });
  for (const text of [
    "",
    ".",
    "1.",
    ".5",
    "1,5",
    "0x10",
    "Infinity",
    "NaN",
    "1e9999",
    " 1",
    "--1",
  ]) {
    expect(parseDecimal(text)).toBeUndefined();
  }
});

test("rescaling rounds only when digits are dropped", () => {
  expect(rescale({ units: 15n, scale: 1 }, 3, "down")).toEqual({ units: 1500n, scale: 3 });
  expect(rescale({ units: 159n, scale: 2 }, 1, "down")).toEqual({ units: 15n, scale: 1 });
  expect(rescale({ units: 151n, scale: 2 }, 1, "up")).toEqual({ units: 16n, scale: 1 });
});

test("a product keeps every digit", () => {
  const product = multiplyDecimals({ units: 3n, scale: 1 }, { units: 7n, scale: 2 });
  expect(formatDecimal(product)).toBe("0.021");
});

test("significant digits do not count trailing zeros after the point", () => {
  expect(significantDigits({ units: 120n, scale: 4 })).toBe(2);
  expect(significantDigits({ units: 120n, scale: 0 })).toBe(3);
});
