import { expect, test } from "vitest";
import {
  add,
  basisPointsOf,
  fromDecimal,
  isPublishable,
  money,
  roundToPublished,
  subtract,
  zero,
} from "./money.ts";

const EUR = { id: 1, code: "EUR", decimals: 2, publishedDecimals: 2 };
const ETH = { id: 2, code: "ETH", decimals: 18, publishedDecimals: 8 };

test("amounts of one asset add and subtract", () => {
  expect(add(money(EUR, 150n), money(EUR, 50n)).units).toBe(200n);
  expect(subtract(money(EUR, 150n), money(EUR, 50n)).units).toBe(100n);
  expect(zero(EUR).units).toBe(0n);
});

test("amounts of two assets are never combined", () => {
  expect(() => add(money(EUR, 1n), money(ETH, 1n))).toThrow("EUR and ETH");
  expect(() => subtract(money(EUR, 1n), money(ETH, 1n))).toThrow("EUR and ETH");
});

test("basis points are rounded as named", () => {
  expect(basisPointsOf(money(EUR, 333n), 75n, "down").units).toBe(2n);
  expect(basisPointsOf(money(EUR, 333n), 75n, "up").units).toBe(3n);
});

test("an amount finer than its published scale is rounded for the outside only", () => {
  const dust = money(ETH, 1_234_567_891_234_567_891n);
  expect(isPublishable(dust)).toBe(false);
  const published = roundToPublished(dust, "down");
  expect(published.units).toBe(1_234_567_890_000_000_000n);
  expect(isPublishable(published)).toBe(true);
});

test("a decimal number becomes smallest units", () => {
  expect(fromDecimal(EUR, { units: 12_345n, scale: 3 }, "down").units).toBe(1234n);
  expect(fromDecimal(EUR, { units: 12n, scale: 0 }, "down").units).toBe(1200n);
});
