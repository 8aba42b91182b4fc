import { compareDecimals, type Decimal, formatDecimal } from "@exchange/money";
import { expect, test } from "vitest";
import { found, shippedCatalogue } from "../../testing/catalogue.ts";
import { sandboxRates } from "./rate-source.ts";
import { REFERENCE_PRICES } from "./reference-prices.ts";
import { deviationBillionths } from "./walk.ts";

const rates = sandboxRates({ seed: "one" });
const NOON_MS = Date.UTC(2026, 0, 15, 12);

const priceAt = (code: string, momentMs: number, source = rates): Decimal =>
  found(found(source.prices(new Date(momentMs))).price(code));

test("every currency of the catalogue has a price", async () => {
  const { currencies } = await shippedCatalogue();
  const codes = new Set(currencies.map(({ code }) => code));
  const table = found(rates.prices(new Date(NOON_MS)));
  const missing = [...codes].filter((code) => (table.price(code)?.units ?? 0n) <= 0n);
  expect(missing).toEqual([]);
});

test("the same seed and time give the same price, whatever was asked before", () => {
  const other = sandboxRates({ seed: "one" });
  other.prices(new Date(5));
  expect(priceAt("BTC", NOON_MS, other)).toEqual(priceAt("BTC", NOON_MS));
  expect(deviationBillionths("one:BTC", new Date(NOON_MS))).toMatchInlineSnapshot(`3631363`);
});

test("another seed gives other prices", () => {
  const other = sandboxRates({ seed: "two" });
  expect(priceAt("BTC", NOON_MS, other)).not.toEqual(priceAt("BTC", NOON_MS));
});

test("within a second nothing moves, over an hour it does", () => {
  expect(rates.prices(new Date(NOON_MS))).toBe(rates.prices(new Date(NOON_MS + 999)));
  const hour = Array.from({ length: 60 }, (_, minute) =>
    formatDecimal(priceAt("BTC", NOON_MS + minute * 60_000)),
  );
  expect(new Set(hour).size).toBeGreaterThan(50);
});

test("prices stay within 5 % of their reference and step by less than 0.1 % a second", () => {
  let before = deviationBillionths("one:BTC", new Date(NOON_MS));
  for (let second = 1; second <= 20_000; second += 1) {
    const now = deviationBillionths("one:BTC", new Date(NOON_MS + second * 1000));
    expect(Math.abs(now)).toBeLessThanOrEqual(50_000_000);
    expect(Math.abs(now - before)).toBeLessThan(1_000_000);
    before = now;
  }
});

test("over years a price reaches both sides of its reference", () => {
  const days = Array.from({ length: 1000 }, (_, day) =>
    deviationBillionths("one:ETH", new Date(day * 86_400_000)),
  );
  expect(Math.min(...days)).toBeLessThan(-10_000_000);
  expect(Math.max(...days)).toBeGreaterThan(10_000_000);
  expect(Math.max(...days.map(Math.abs))).toBeLessThanOrEqual(50_000_000);
});

test("the dollar is a dollar and a pegged coin stays close to it", () => {
  expect(formatDecimal(priceAt("USD", NOON_MS))).toBe("1");
  for (let hour = 0; hour < 100; hour += 1) {
    const price = priceAt("USDT", NOON_MS + hour * 3_600_000);
    expect(compareDecimals(price, { units: 999n, scale: 3 })).toBe(1);
    expect(compareDecimals(price, { units: 1001n, scale: 3 })).toBe(-1);
  }
});

test("stable figures for limits are near the prices", async () => {
  const { currencies } = await shippedCatalogue();
  const prices = new Map(REFERENCE_PRICES.map(([code, price]) => [code, Number(price)]));
  for (const { code, perEuro } of currencies) {
    const euro = Number(formatDecimal(perEuro)) * found(prices.get(code));
    expect(euro, code).toBeGreaterThan(1.0);
    expect(euro, code).toBeLessThan(1.3);
  }
});

test("an unknown code has no price", () => {
  expect(found(rates.prices(new Date(NOON_MS))).price("NOPE")).toBeUndefined();
});
