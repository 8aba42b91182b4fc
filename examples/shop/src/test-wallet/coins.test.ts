import { expect, test } from "vitest";
import { COINS, type Coin, parseAmount, printAmount } from "./coins.ts";

const coin = (code: Coin["code"]): Coin => {
  const found = COINS.find((one) => one.code === code);
  if (found === undefined) throw new Error(`there is no ${code}`);
  return found;
};

test.each([
  ["ETH", "1", 10n ** 18n],
  ["ETH", "0.000000000000000001", 1n],
  ["ETH", " 0.05 ", 5n * 10n ** 16n],
  ["USDT", "60.5", 60_500_000n],
  ["USDT", "0", 0n],
] as const)("%s %j are %d units", (code, text, units) => {
  expect(parseAmount(text, coin(code))).toBe(units);
});

test.each([
  ["USDT", "0.0000001"],
  ["ETH", "1e18"],
  ["ETH", "-1"],
  ["ETH", "1,5"],
  ["ETH", ".5"],
  ["ETH", "5."],
  ["ETH", ""],
  ["ETH", "0x10"],
] as const)("%s cannot be %j", (code, text) => {
  expect(parseAmount(text, coin(code))).toBeUndefined();
});

test("an amount is printed to its last digit, without zeros at its end", () => {
  expect(printAmount(10n ** 18n, coin("ETH"))).toBe("1");
  expect(printAmount(1n, coin("ETH"))).toBe("0.000000000000000001");
  expect(printAmount(60_500_000n, coin("USDT"))).toBe("60.5");
  expect(printAmount(0n, coin("USDT"))).toBe("0");
});
