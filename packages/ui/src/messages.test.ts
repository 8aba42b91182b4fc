import { describe, expect, test } from "vitest";
import { type Catalogue, formatMessage, type Values } from "./messages.ts";

const format = (text: string, values: Values, locale: string): string | undefined =>
  formatMessage({ message: text }, { key: "message", values }, locale);

const DAYS = { days_one: "{{count}} day", days_other: "{{count}} days" };
const ARABIC_DAYS = {
  days_zero: "لا أيام",
  days_one: "يوم واحد",
  days_two: "يومان",
  days_few: "{{count}} أيام",
  days_many: "{{count}} يومًا",
  days_other: "{{count}} يوم",
};
const formatDays = (catalogue: Catalogue, count: number, locale: string): string | undefined =>
  formatMessage(catalogue, { key: "days", values: { count } }, locale);

describe("a message", () => {
  test("prints each value wherever its placeholder is, and as often", () => {
    const text = format("{{b}} for {{a}}, {{b}} in all", { a: "1 BTC", b: "€5" }, "en");
    expect(text).toBe("€5 for 1 BTC, €5 in all");
  });

  test("prints a value that looks like a placeholder as it is", () => {
    expect(format("Back to {{shop}}", { shop: "{{shop}} & $& Sons" }, "en")).toBe(
      "Back to {{shop}} & $& Sons",
    );
  });

  test("leaves a placeholder without a value visible", () => {
    expect(format("Back to {{shop}}", {}, "en")).toBe("Back to {{shop}}");
  });

  test("that the catalogue lacks returns no text", () => {
    expect(formatMessage({}, { key: "message", values: {} }, "en")).toBeUndefined();
  });
});

describe("a plural", () => {
  test.each([
    ["en", 1, "1 day"],
    ["en", 2, "2 days"],
    ["en", 1200, "1,200 days"],
    ["de", 1200, "1.200 days"],
    ["fr", 0, "0 day"],
    ["tr", 2, "2 days"],
  ])("in %s of %d is %j", (locale, count, text) => {
    expect(formatDays(DAYS, count, locale)).toBe(text);
  });

  test("in Arabic has six forms", () => {
    const texts = [0, 1, 2, 3, 11, 100].map((count) =>
      formatDays(ARABIC_DAYS, count, "ar")?.replace(/[\u2068\u2069]/g, ""),
    );
    expect(texts).toEqual(["لا أيام", "يوم واحد", "يومان", "3 أيام", "11 يومًا", "100 يوم"]);
  });

  test("without the form of a count uses the general form", () => {
    expect(formatDays({ days_other: "{{count}} days" }, 1, "en")).toBe("1 days");
  });
});

describe("a value in the other direction", () => {
  test("is isolated in a right-to-left text", () => {
    expect(format("شراء {{coin}}", { coin: "BTC" }, "ar")).toBe("شراء \u2068BTC\u2069");
  });

  test("is isolated in a left-to-right text", () => {
    expect(format("Back to {{shop}}", { shop: "متجر" }, "en")).toBe("Back to \u2068متجر\u2069");
  });
});
