/// <reference types="vite/client" />

import { ALL_LANGUAGES } from "@exchange/ui/languages";
import { type Catalogue, formsOf } from "@exchange/ui/messages";
import { describe, expect, test } from "vitest";
import { messageTypes, PARTS, placeholdersOf } from "../../tools/message-types.mjs";

const FILES = import.meta.glob<Catalogue>("../../locales/*/*.json", {
  eager: true,
  import: "default",
});
const TYPES = import.meta.glob<string>("./messages/*.ts", {
  eager: true,
  query: "?raw",
  import: "default",
});
const SERVICE = import.meta.glob<readonly { readonly name: string; readonly label?: string }[]>(
  "../../../server/catalogue/{payment-methods,delivery-methods,payout-fields}.json",
  { eager: true, import: "default" },
);
const CATALOGUES = ALL_LANGUAGES.flatMap((language) =>
  PARTS.map((part): [string, string] => [language, part]),
);
const TRANSLATIONS = CATALOGUES.filter(([language]) => language !== "en");

/** Words that are the same in English and another language. */
const SAME = new Set(["Bank"]);
const PROPER_NAMES =
  /^(ACH|BLIK|Bancontact|CLABE|Faster Payments|IBAN|iDEAL|Interac e-Transfer|PayID|Pix|SEPA Instant|SPEI|UPI)$/;

const read = (language: string, part: string): Catalogue =>
  FILES[`../../locales/${language}/${part}.json`] ?? {};
test("every language has its files, and no other file exists", () => {
  const wanted = ALL_LANGUAGES.flatMap((language) =>
    PARTS.map((part) => `../../locales/${language}/${part}.json`),
  );
  expect(Object.keys(FILES).sort()).toEqual(wanted.sort());
});

test.each(PARTS)("the types of %s match its English messages", (part) => {
  expect(TYPES[`./messages/${part}.ts`], "run npm run generate -w @exchange/checkout").toBe(
    messageTypes(part),
  );
});

describe.each(TRANSLATIONS)("%s %s", (language, part) => {
  const english = formsOf(read("en", part));
  const own = formsOf(read(language, part));
  /** The English text that is translated: that of a plural is the general one. */
  const originalOf = (key: string): string => Object.values(english.get(key) ?? {}).at(-1) ?? "";

  test("has exactly the messages of the English", () => {
    expect([...own.keys()].sort()).toEqual([...english.keys()].sort());
  });

  test("has a plural where and only where the English has one", () => {
    for (const [key, forms] of english) expect("" in (own.get(key) ?? {}), key).toBe("" in forms);
  });

  test("has the placeholders of the English; only a form for one number may leave the count out", () => {
    for (const [key, forms] of own) {
      const wanted = placeholdersOf(originalOf(key));
      for (const [form, text] of Object.entries(forms)) {
        const mayOmit = form === "zero" || form === "one" || form === "two";
        const isCompared = (name: string): boolean => !mayOmit || name !== "count";
        expect(placeholdersOf(text).filter(isCompared), `${key} ${form}`).toEqual(
          wanted.filter(isCompared),
        );
      }
    }
  });

  test("has no English left", () => {
    const left = [...own].filter(([key, forms]) => {
      const text = Object.values(forms).at(-1) ?? "";
      const words = text.replace(/\{\{\w+\}\}/g, " ").match(/[\p{L}]{3,}/gu) ?? [];
      return text === originalOf(key) && words.some((word) => !SAME.has(word));
    });
    expect(left).toEqual([]);
  });
});

describe.each(CATALOGUES)("%s %s", (language, part) => {
  const texts = Object.entries(read(language, part));

  test("has every plural form of its language and no other", () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, forms] of formsOf(read(language, part))) {
      const wanted = "" in forms ? [""] : [...pluralCategories].sort();
      expect(Object.keys(forms).sort(), key).toEqual(wanted);
    }
  });

  test("has no markup, no line breaks, no space at an end and no double space", () => {
    const wrong = texts.filter(([, text]) => /[<>"]|&\w+;|^\s|\s$|\s\s|\n|^$/.test(text));
    expect(wrong).toEqual([]);
  });

  test("breaks no line before a mark that has a space before it", () => {
    const wrong = texts.filter(([, text]) => / [:;?!»…]|« /.test(text));
    expect(wrong).toEqual([]);
  });

  test("uses no more of its format than plain placeholders", () => {
    const wrong = texts.filter(([, text]) => /[{}]|\$t\(/.test(text.replace(/\{\{\w+\}\}/g, "")));
    expect(wrong).toEqual([]);
  });
});

test.each(ALL_LANGUAGES)("%s has one name for the refund address", (language) => {
  const [orders, steps] = [read(language, "orders"), read(language, "steps")];
  expect(orders["sendBack.saved"]).toBe(orders["sendBack.label"]);
  expect(steps["review.refundTo"]).toBe(orders["sendBack.label"]);
});

/** Names, and examples of what a bank prints in these digits everywhere. */
const PRINTED = /3-D Secure|12-34-56|\+44 7700 900123/g;

test("Arabic has no digits of its own beside the numbers that its locale prints", () => {
  const texts = PARTS.flatMap((part) => Object.entries(read("ar", part)));
  expect(texts.filter(([, text]) => /\p{Nd}/u.test(text.replace(PRINTED, "")))).toEqual([]);
});

test("every name in the service's catalogue has a text, unless it is a proper name", () => {
  const names = Object.values(SERVICE)
    .flat()
    .map(({ name, label }) => label ?? name);
  expect(names.length).toBeGreaterThan(30);
  const texts = read("en", "steps");
  expect(names.filter((name) => !PROPER_NAMES.test(name) && texts[name] === undefined)).toEqual([]);
});

test("the English text of a service's name is the name itself", () => {
  const own = Object.entries(read("en", "steps")).filter(([key]) => /^[A-Z0-9]/.test(key));
  expect(own.length).toBeGreaterThan(30);
  for (const [key, text] of own) expect(text).toBe(key);
});
