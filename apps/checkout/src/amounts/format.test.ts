import { expect, test } from "vitest";
import {
  addWire,
  formatAmount,
  formatPlain,
  formatPrice,
  formatRate,
  roundWire,
} from "./format.ts";

test("fiat amounts carry their symbol and their own number of decimals", () => {
  expect(formatAmount({ amount: 100, currencyCode: "EUR" }, "fiat", "en")).toBe("€100.00");
  expect(formatAmount({ amount: 1500, currencyCode: "JPY" }, "fiat", "en")).toBe("¥1,500");
});

test.each([
  ["HUF", 3_990.6, "HUF\u00a03,990.60"],
  ["HUF", 3_990, "HUF\u00a03,990"],
  ["IDR", 100_000.49, "IDR\u00a0100,000.49"],
  ["COP", 1_200.5, "COP\u00a01,200.50"],
  ["PKR", 99.99, "PKR\u00a099.99"],
  ["KWD", 1.5, "KWD\u00a01.500"],
])("an amount of %s is never rounded, even if its cents are out of use", (code, amount, text) => {
  expect(formatAmount({ amount, currencyCode: code }, "fiat", "en")).toBe(text);
});

test("a part of an amount has the decimals of the amount", () => {
  const partOf = (amount: number, currencyCode: string): number =>
    roundWire(amount / 3, { amount, currencyCode }, "fiat");
  expect(partOf(60.61, "HUF")).toBe(20.2);
  expect(partOf(100, "JPY")).toBe(33);
  expect(partOf(100, "EUR")).toBe(33.33);
});

test("the smallest amount of a coin is written in full", () => {
  expect(formatAmount({ amount: 1e-8, currencyCode: "BTC" }, "crypto", "en")).toBe(
    "0.00000001\u00a0BTC",
  );
});

test("an amount of fifteen digits keeps each of them", () => {
  expect(formatAmount({ amount: 1234567.12345678, currencyCode: "ADA" }, "crypto", "en")).toBe(
    "1,234,567.12345678\u00a0ADA",
  );
});

test("a coin's price is the inverse of the rate", () => {
  expect(formatPrice(0.0000166666666667, { code: "EUR", kind: "fiat" }, "en")).toBe("€60,000.00");
  expect(formatPrice(8, { code: "EUR", kind: "fiat" }, "en")).toBe("€0.125");
});

test("a rate that is not positive shows no price", () => {
  expect(formatPrice(0, { code: "EUR", kind: "fiat" }, "en")).toBe("");
});

test("wire numbers are added exactly", () => {
  expect(addWire(0.1, 0.2)).toBe(0.3);
  expect(addWire(0.000025, 0.000005)).toBe(0.00003);
  expect(addWire(1e-8, 1)).toBe(1.00000001);
});

test("a plain number is grouped and never rounded up to a symbol", () => {
  expect(formatPlain({ units: 123456n, scale: 2 }, 2, "en")).toBe("1,234.56");
});

test("a rate is rounded to its significant digits", () => {
  const dollars = { code: "USD", kind: "fiat" } as const;
  expect(formatRate(1.143712, dollars, "en")).toBe("$1.1437");
  expect(formatRate(2.5, dollars, "en")).toBe("$2.50");
  expect(formatRate(81266.551234, dollars, "en")).toBe("$81,266.55");
  expect(formatRate(0.00061234567, dollars, "en")).toBe("$0.000612346");
  const coins = { code: "ETH", kind: "crypto" } as const;
  expect(formatRate(0.0006589, coins, "en")).toBe("0.0006589\u00a0ETH");
});
