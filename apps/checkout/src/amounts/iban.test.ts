import { expect, test } from "vitest";
import { groupByFour, passesIbanCheck } from "./iban.ts";

// The examples of the SWIFT IBAN registry.
test.each([
  "DE89370400440532013000",
  "GB29NWBK60161331926819",
  "FR1420041010050500013M02606",
  "NO9386011117947",
  "MT84MALT011000012345MTLCAST001S",
])("%s passes", (iban) => {
  expect(passesIbanCheck(iban)).toBe(true);
});

test("every wrong digit and every swap of two different neighbors is found", () => {
  const iban = "DE89370400440532013000";
  for (let at = 2; at < iban.length; at += 1) {
    const digit = iban[at] ?? "";
    const wrong = iban.slice(0, at) + ((Number(digit) + 1) % 10) + iban.slice(at + 1);
    expect(passesIbanCheck(wrong), wrong).toBe(false);
    const next = iban[at + 1];
    if (next === undefined || next === digit) continue;
    const swapped = iban.slice(0, at) + next + digit + iban.slice(at + 2);
    expect(passesIbanCheck(swapped), swapped).toBe(false);
  }
});

test("characters other than letters and digits do not pass", () => {
  expect(passesIbanCheck("DE89 3704 0044 0532 0130 00")).toBe(false);
  expect(passesIbanCheck("")).toBe(false);
});

test("it is printed in groups of four", () => {
  expect(groupByFour("NO9386011117947")).toBe("NO93 8601 1117 947");
});
