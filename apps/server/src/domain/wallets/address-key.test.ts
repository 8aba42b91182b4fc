import { expect, test } from "vitest";
import { addressKey } from "./address-key.ts";

test.each([
  ["evm", "0xAbCdEf", "0xabcdef"],
  ["bitcoin", "BC1QXY", "bc1qxy"],
  ["litecoin", "LTC1QXY", "ltc1qxy"],
  ["bitcoin_cash", "BITCOINCASH:QPM2", "bitcoincash:qpm2"],
  ["bitcoin_cash", "bitcoincash:qpm2", "qpm2"],
] as const)("two ways to write one %s address have one key", (format, one, other) => {
  expect(addressKey(format, one)).toBe(addressKey(format, other));
});

test.each([
  ["bitcoin", "1A1zP1", "1a1zp1"],
  ["litecoin", "LVg2kJ", "lvg2kj"],
  ["solana", "So1ana", "so1ana"],
  ["tron", "TJRyWw", "tjryww"],
  ["xrp", "rHb9CJ", "rhb9cj"],
] as const)(
  "where case matters, %s addresses that differ in it have different keys",
  (format, one, other) => {
    expect(addressKey(format, one)).not.toBe(addressKey(format, other));
  },
);
