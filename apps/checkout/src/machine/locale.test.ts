import { formatDecimal, readAmount } from "@exchange/money";
import { describe, expect, test } from "vitest";
import { inLocale } from "./reduce.ts";
import { makeChoosing } from "./testing.ts";

const LOCALES = [
  "en",
  "en-IN",
  "de",
  "de-CH",
  "fr",
  "es",
  "pt-BR",
  "it",
  "tr",
  "ar",
  "ar-EG",
  "hi",
];
const AMOUNTS = ["0", "1", "1.5", "1000", "1234.5", "1234567.89", "0.00000001", "999999.12345678"];

const typedIn = (locale: string, text: string) => {
  const stage = makeChoosing();
  return { ...stage, world: { ...stage.world, locale }, amount: { ...stage.amount, text } };
};

const textOf = (stage: ReturnType<typeof inLocale>): string =>
  stage.kind === "choosing" ? stage.amount.text : "";

describe("when the language changes", () => {
  test.each(AMOUNTS)("the amount %s is the same number in every language and back", (amount) => {
    for (const from of LOCALES) {
      for (const to of LOCALES) {
        const start = inLocale(typedIn("en", amount), from);
        const text = textOf(inLocale(start, to));
        const reading = readAmount(text, to);
        const value = reading.kind === "amount" ? formatDecimal(reading.value) : reading.kind;
        expect(value, `${text} from ${from} to ${to}`).toBe(amount);
      }
    }
  });

  test.each(["", "abc", "1e3"])("text that is not an amount stays as typed: %j", (text) => {
    expect(textOf(inLocale(typedIn("en", text), "ar"))).toBe(text);
  });

  test("digits beyond the currency's decimals stay, and so does their error", () => {
    expect(textOf(inLocale(typedIn("en", "1.123456789"), "de"))).toBe("1,123456789");
  });

  test("the present locale changes nothing", () => {
    const stage = typedIn("de", "1,50");
    expect(inLocale(stage, "de")).toBe(stage);
  });
});
