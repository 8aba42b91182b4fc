import { formatDecimal, parseDecimal, readAmount } from "@exchange/money";
import { ALL_LANGUAGES } from "@exchange/ui/languages";
import { describe, expect, test } from "vitest";
import { formatPlain, ZERO } from "./format.ts";

const read = (text: string, locale: string): string => {
  const reading = readAmount(text, locale);
  return reading.kind === "amount" ? formatDecimal(reading.value) : reading.kind;
};

describe("an amount that the checkout printed is read as the same amount", () => {
  const fractions = [
    "",
    ".5",
    ".25",
    ".345",
    ".1234",
    ".12345",
    ".123456",
    ".1234567",
    ".12345678",
  ];
  const amounts = ["0", "1", "12", "123", "1234", "1234567"].flatMap((whole) =>
    fractions.map((fraction) => whole + fraction),
  );
  const regions = ["ar-EG", "ar-SA", "ar-QA", "ar-IQ", "ar-AE", "de-AT", "de-CH", "en-IN", "en-ZA"];
  const others = ["fr-CH", "es-MX", "it-CH", "pt-PT", "fa", "hi", "pl", "hi-u-nu-deva"];
  test.each([...ALL_LANGUAGES, ...regions, ...others])("in %s", (locale) => {
    for (const amount of amounts) {
      const text = formatPlain(parseDecimal(amount) ?? ZERO, 8, locale);
      expect(read(text, locale), text).toBe(amount);
    }
  });
});
