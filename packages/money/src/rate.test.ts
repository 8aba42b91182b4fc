import Big from "big.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareDecimals, formatDecimal, significantDigits } from "./decimal.ts";
import { money } from "./money.ts";
import { convert, ratio } from "./rate.ts";

const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });

test("a rate has at most the digits asked for and is never above the exact quotient", () => {
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const rate = ratio(numerator, denominator, { digits: 12, rounding: "down" });
      const digits = formatDecimal(rate).replace(/^0\.0*|\.|0+$/g, "");
      expect(digits.length).toBeLessThanOrEqual(12);
      expect(rate.units * denominator).toBeLessThanOrEqual(numerator * 10n ** BigInt(rate.scale));
    }),
    { numRuns: 10_000 },
  );
});

test("rounding up never falls below, and the two differ by less than one last digit", () => {
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const down = ratio(numerator, denominator, { digits: 12, rounding: "down" });
      const up = ratio(numerator, denominator, { digits: 12, rounding: "up" });
      expect(compareDecimals(down, up)).toBeLessThanOrEqual(0);
      const gap = new Big(formatDecimal(up)).minus(formatDecimal(down));
      expect(gap.lte(new Big(formatDecimal(down)).times("1e-11"))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test("known rates come out digit for digit", () => {
  const show = (a: bigint, b: bigint) =>
    formatDecimal(ratio(a, b, { digits: 12, rounding: "down" }));
  expect(show(1n, 3n)).toBe("0.333333333333");
  expect(show(2n, 3n)).toBe("0.666666666666");
  expect(show(100n, 4n)).toBe("25");
  expect(show(10n ** 20n, 1n)).toBe("100000000000000000000");
  expect(significantDigits(ratio(1n, 7n, { digits: 12, rounding: "down" }))).toBe(12);
  expect(() => ratio(0n, 1n, { digits: 12, rounding: "down" })).toThrow(RangeError);
});

test("converting is exact up to the one named rounding", () => {
  const eur = { id: 1, code: "EUR", decimals: 2, publishedDecimals: 2 };
  const eth = { id: 2, code: "ETH", decimals: 18, publishedDecimals: 8 };
  const rate = { units: 123_456_789n, scale: 12 };
  const down = convert(money(eur, 10_001n), rate, { target: eth, rounding: "down" });
  expect(down.units).toBe(12_346_913_467_890_000n);
  const back = convert(money(eth, 1n), { units: 3n, scale: 0 }, { target: eur, rounding: "up" });
  expect(back.units).toBe(1n);
});
