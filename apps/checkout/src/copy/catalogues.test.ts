/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import { messageTypes, PARTS } from "../../dev/message-types.mjs";
import type { Catalogue, Message } from "./format.ts";
import { ALL_LANGUAGES } from "./languages.ts";

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
const TRANSLATIONS = ALL_LANGUAGES.filter((language) => language !== "en").flatMap((language) =>
  PARTS.map((part): [string, string] => [language, part]),
);

/** Words that are the same in another language. */
const SAME = new Set(["Bank"]);
const PROPER_NAMES =
  /^(ACH|BLIK|Bancontact|CLABE|Faster Payments|IBAN|iDEAL|Interac e-Transfer|PayID|Pix|SEPA Instant|SPEI|UPI)$/;

const read = (language: string, part: string): Catalogue =>
  FILES[`../../locales/${language}/${part}.json`] ?? {};
const textsOf = (message: Message): readonly string[] =>
  typeof message === "string" ? [message] : Object.values(message);
const allTexts = (catalogue: Catalogue) =>
  Object.entries(catalogue).flatMap(([key, message]) =>
    textsOf(message).map((text): [string, string] => [key, text]),
  );
const holdersOf = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name))].sort();

test("there are the files of every language, and none besides", () => {
  const wanted = ALL_LANGUAGES.flatMap((language) =>
    PARTS.map((part) => `../../locales/${language}/${part}.json`),
  );
  expect(Object.keys(FILES).sort()).toEqual(wanted.sort());
});

test.each(PARTS)("the types of %s are those of its English messages", (part) => {
  expect(TYPES[`./messages/${part}.ts`], "run npm run generate -w @exchange/checkout").toBe(
    messageTypes(part),
  );
});

describe.each(TRANSLATIONS)("%s %s", (language, part) => {
  const english = read("en", part);
  const own = read(language, part);

  test("has exactly the messages of the English", () => {
    expect(Object.keys(own).sort()).toEqual(Object.keys(english).sort());
  });

  test("has the plural forms of its language, where and only where the English has some", () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [key, message] of Object.entries(english)) {
      const forms = own[key] ?? "";
      if (typeof message === "string") expect(typeof forms, key).toBe("string");
      else expect(Object.keys(forms).sort(), key).toEqual([...pluralCategories].sort());
    }
  });

  test("has the placeholders of the English; only a form for one number may leave the count out", () => {
    for (const [key, message] of Object.entries(english)) {
      const wanted = holdersOf(textsOf(message).at(-1) ?? "");
      const forms = own[key] ?? "";
      for (const [form, text] of typeof forms === "string"
        ? [["", forms]]
        : Object.entries(forms)) {
        const mayOmit = form === "zero" || form === "one" || form === "two";
        const needed = mayOmit ? wanted.filter((name) => name !== "count") : wanted;
        const found = mayOmit
          ? holdersOf(text ?? "").filter((name) => name !== "count")
          : holdersOf(text ?? "");
        expect(found, `${key} ${form}`).toEqual(needed);
      }
    }
  });

  test("has no English left", () => {
    const left = Object.entries(own).filter(([key, message]) => {
      const text = textsOf(message).at(-1) ?? "";
      const words = text.replace(/\{\w+\}/g, " ").match(/[\p{L}]{3,}/gu) ?? [];
      return text === textsOf(english[key] ?? "").at(-1) && words.some((word) => !SAME.has(word));
    });
    expect(left).toEqual([]);
  });
});

test.each(
  ALL_LANGUAGES.flatMap((language) => PARTS.map((part): [string, string] => [language, part])),
)("%s %s has no markup, no line ends and no space at an end or in twos", (language, part) => {
  const wrong = allTexts(read(language, part)).filter(([, text]) =>
    /[<>"]|&\w+;|^\s|\s$|\s\s|\n|^$/.test(text),
  );
  expect(wrong).toEqual([]);
});

test("every name the service's catalogue gives a customer is in ours, unless it is a proper one", () => {
  const names = Object.values(SERVICE)
    .flat()
    .map(({ name, label }) => label ?? name);
  expect(names.length).toBeGreaterThan(30);
  const known = read("en", "steps");
  expect(names.filter((name) => !PROPER_NAMES.test(name) && known[name] === undefined)).toEqual([]);
});

test("a name of the service's reads in English as the service wrote it", () => {
  const own = Object.entries(read("en", "steps")).filter(([key]) => /^[A-Z0-9]/.test(key));
  expect(own.length).toBeGreaterThan(30);
  for (const [key, text] of own) expect(text).toBe(key);
});
