import { describe, expect, test } from "vitest";
import { formatDecimal } from "./decimal.ts";
import { readAmount } from "./written.ts";

const read = (text: string, locale: string): string => {
  const reading = readAmount(text, locale);
  return reading.kind === "amount" ? formatDecimal(reading.value) : reading.kind;
};

describe("an amount is read as the person meant it", () => {
  const everywhere: readonly [string, string][] = [
    ["1,5", "1.5"],
    ["1.5", "1.5"],
    ["1 234,50", "1234.5"],
    ["1\u202f234,50", "1234.5"],
    ["1'234.50", "1234.5"],
    ["1\u2019234.50", "1234.5"],
    ["1,234.50", "1234.5"],
    ["1.234,50", "1234.5"],
    ["12,34,567.5", "1234567.5"],
    ["1,234,567", "1234567"],
    ["١٢٣", "123"],
    ["١٬٢٣٤٫٥٠", "1234.5"],
    ["۱۲۳٫۵", "123.5"],
    ["١٫٢٣٤", "1.234"],
    ["1,234٫567", "1234.567"],
    ["1.2٫5", "invalid"],
    ["1٫234,567", "invalid"],
    ["1٫2٫3", "invalid"],
    ["१२३", "123"],
    [".5", "0.5"],
    ["5.", "5"],
    ["0", "0"],
    ["00", "0"],
    ["0.001", "0.001"],
    ["1.123456789", "1.123456789"],
    ["", "empty"],
    ["   ", "empty"],
    ["1e3", "invalid"],
    ["-1", "invalid"],
    ["+1", "invalid"],
    ["€5", "invalid"],
    ["1.2.3", "invalid"],
    ["1,2,3", "invalid"],
    ["1.2,3.4", "invalid"],
    [".", "invalid"],
    ["NaN", "invalid"],
    ["0x10", "invalid"],
  ];
  for (const locale of ["en", "de", "fr-CH", "ar", "hi"]) {
    test.each(everywhere)(`%j is %j in ${locale}`, (text, expected) => {
      expect(read(text, locale)).toBe(expected);
    });
  }

  test.each([
    ["1.234", "en", "1.234"],
    ["1,234", "en", "1234"],
    ["1.234", "de", "1234"],
    ["1,234", "de", "1.234"],
    ["0,234", "en", "0.234"],
    ["1234,567", "en", "1234.567"],
  ])("a lone separator in %j follows the habit of %s", (text, locale, expected) => {
    expect(read(text, locale)).toBe(expected);
  });
});
