import { ALL_LANGUAGES } from "@exchange/ui/languages";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { CallError } from "../api.ts";

const AMOUNTS = ["0", "0.5", "1.234", "1234", "10000", "1234.56", "0.000000000000000001"];

/** Returns the modules of a page whose browser prefers the language. */
async function speak(language: string) {
  vi.stubGlobal("navigator", { languages: [language] });
  vi.resetModules();
  const words = await import("../say.ts");
  await words.loadTexts();
  return { ...words, ...(await import("./form.ts")) };
}

describe("an amount that a person types", () => {
  beforeEach(() => {
    vi.stubGlobal("document", { documentElement: {} });
    vi.stubGlobal("localStorage", { getItem: () => null });
  });

  test.each([...ALL_LANGUAGES, "de-CH", "en-IN"])(
    "is read in %s as the console writes it, and as a field begins with it",
    async (language) => {
      const { exactOf, sayAmount, typedAmount } = await speak(language);
      for (const amount of AMOUNTS) {
        const [shown = ""] = sayAmount({ amount, currency: "btc" })
          .replace("\u2066", "")
          .split(/ BTC/);
        expect(await exactOf(shown), shown).toBe(amount);
        expect(await exactOf(typedAmount(amount)), typedAmount(amount)).toBe(amount);
      }
    },
  );

  test("is refused in the person's language where it is none, and may be left out", async () => {
    const { exactOf } = await speak("de");
    expect(await exactOf("")).toBe("");
    for (const text of ["zwölf", "-1", "1e3", "1.2.3"]) {
      const failed = exactOf(text).catch((error: CallError) => error.code);
      expect(await failed, text).toBe("NOT_AMOUNT");
    }
  });
});
