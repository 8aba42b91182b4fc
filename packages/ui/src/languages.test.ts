import { describe, expect, test } from "vitest";
import { chooseLocale, inRegion, languageOf } from "./languages.ts";

describe("the language of a locale", () => {
  test.each([
    ["de", "de"],
    ["de-CH", "de"],
    ["DE_at", "de"],
    ["pt", "pt-BR"],
    ["pt-PT", "pt-BR"],
    ["ar-EG", "ar"],
    ["zh-Hant-TW", undefined],
    ["", undefined],
    ["deu", undefined],
  ])("of %j is %s", (locale, language) => {
    expect(languageOf(locale)).toBe(language);
  });
});

describe("the chosen locale", () => {
  test.each([
    [["fr-CH", "de"], "fr-CH"],
    [["zh-CN", "tr-TR", "en"], "tr-TR"],
    [[null, undefined, "", "it"], "it"],
    [["de_AT"], "de-AT"],
    [["en-GB"], "en-GB"],
    [["zh", "ja"], "en"],
    [[], "en"],
    [["de-<script>", "es"], "es"],
    [["ar-EG-u-nu-latn"], "ar-EG-u-nu-latn"],
  ])("of %j is %s", (wanted, locale) => {
    expect(chooseLocale(wanted)).toBe(locale);
  });

  test("a picked language keeps the device's region", () => {
    expect(inRegion("de", ["en-GB", "de-CH", "de-DE"])).toBe("de-CH");
    expect(inRegion("fr", ["en-GB", "de-CH"])).toBe("fr");
  });
});
