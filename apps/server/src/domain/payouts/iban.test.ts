import { expect, test } from "vitest";
import { isIban } from "./iban.ts";

test("the registry's examples pass", () => {
  for (const iban of [
    "DE89370400440532013000",
    "FR1420041010050500013M02606",
    "GB29NWBK60161331926819",
    "NO9386011117947",
    "MT84MALT011000012345MTLCAST001S",
  ]) {
    expect(isIban(iban)).toBe(true);
  }
});

test("one wrong sign, two swapped ones, spaces and small letters fail", () => {
  for (const iban of [
    "DE89370400440532013001",
    "DE89370400440532010300",
    "DE89 3704 0044 0532 0130 00",
    "de89370400440532013000",
    "",
  ]) {
    expect(isIban(iban)).toBe(false);
  }
});
