/// <reference types="vite/client" />
import { ROLE_NAMES } from "@exchange/contract/roles";
import { ALL_LANGUAGES } from "@exchange/ui/languages";
import { formsOf } from "@exchange/ui/messages";
import { beforeEach, describe, expect, test, vi } from "vitest";

type Texts = Readonly<Record<string, string>>;
const FILES = import.meta.glob<Texts>("../locales/*.json", { eager: true, import: "default" });

/** Words that are the same in English and in another language. */
const SAME = new RegExp(
  `^(${[
    "account|catalogue|clabe|code|compliance|confirmations|console|endpoint|euro|iban|link|logo|maximum|minimum",
    "name|notes?|pages|passkey|password|person|problem|roles|service|sessions?|spread|status|support",
    "test|treasury|volume|wallets|webhooks",
  ].join("|")})$`,
  "i",
);

const FIELDS = import.meta.glob<readonly { readonly name: string }[]>(
  "../../server/catalogue/payout-fields.json",
  { eager: true, import: "default" },
);

const read = (language: string): Texts => FILES[`../locales/${language}.json`] ?? {};
const valuesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/\{\w+\}/g))].toSorted();
const english = formsOf(read("en"));
/** The English text that is translated: that of a plural is the general one. */
const originalOf = (name: string): string => Object.values(english.get(name) ?? {}).at(-1) ?? "";

test("the console has a file for each language of the checkout, and no other", () => {
  const wanted = ALL_LANGUAGES.map((language) => `../locales/${language}.json`);
  expect(Object.keys(FILES).toSorted()).toEqual(wanted.toSorted());
});

test("no English message begins with What or Who, unless it asks", () => {
  const wrong = Object.values(read("en")).filter(
    (text) => /^(What|Who)(ever)?\b/.test(text) && !text.includes("?"),
  );
  expect(wrong).toEqual([]);
});

test("an article stands before a time in French", () => {
  const wrong = Object.entries(read("fr")).filter(([, text]) => /depuis \{time\}/i.test(text));
  expect(wrong).toEqual([]);
});

test("each role has a name", () => {
  for (const role of ROLE_NAMES) expect(read("en")).toHaveProperty([`role.${role}`]);
});

test("each field of an account in the catalogue has a label", () => {
  const [fields = []] = Object.values(FIELDS);
  expect(fields.length).toBeGreaterThan(0);
  for (const { name } of fields) expect(read("en")).toHaveProperty([`field.${name}`]);
});

describe.each(ALL_LANGUAGES)("%s", (language) => {
  const own = formsOf(read(language));
  const names = [...own.keys()];

  test("lacks no message, has no other, and has them in the order of the English", () => {
    expect({
      missing: [...english.keys()].filter((name) => !own.has(name)),
      unknown: names.filter((name) => !english.has(name)),
    }).toEqual({ missing: [], unknown: [] });
    expect(names).toEqual([...english.keys()]);
  });

  test("has every plural form of the language where the English has forms, and only there", () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [name, forms] of own) {
      const wanted = "" in (english.get(name) ?? {}) ? [""] : pluralCategories.toSorted();
      expect(Object.keys(forms).toSorted(), name).toEqual(wanted);
    }
  });

  test("has the values of the English; only a form for one number may leave the count out", () => {
    for (const [name, forms] of own) {
      for (const [form, text] of Object.entries(forms)) {
        const mayOmit = form === "zero" || form === "one" || form === "two";
        const isCompared = (value: string): boolean => !mayOmit || value !== "{count}";
        expect(valuesIn(text).filter(isCompared), `${name} ${form}`).toEqual(
          valuesIn(originalOf(name)).filter(isCompared),
        );
      }
    }
  });

  test("has no markup, no empty text, no space at an end and no double space", () => {
    const wrong = /[<>"]|&\w+;|^\s|\s$|\s\s|\n|^$/;
    expect(Object.entries(read(language)).filter(([, text]) => wrong.test(text))).toEqual([]);
  });

  test.skipIf(language === "en")("has no English left", () => {
    const left = [...own].filter(([name, forms]) => {
      const text = Object.values(forms).at(-1) ?? "";
      const words = text.replace(/\{\w+\}/g, " ").match(/\p{L}{3,}/gu) ?? [];
      return text === originalOf(name) && words.some((word) => !SAME.test(word));
    });
    expect(left).toEqual([]);
  });
});

describe("a console", () => {
  const page = { lang: "", dir: "" };
  const speak = async (languages: readonly string[], getItem: () => string | null = () => null) => {
    vi.stubGlobal("navigator", { languages });
    vi.stubGlobal("localStorage", { getItem });
    vi.stubGlobal("document", { documentElement: page });
    const say = await import("./say.ts");
    await say.loadTexts();
    return say;
  };
  beforeEach(() => {
    vi.resetModules();
    vi.unstubAllGlobals();
    return () => {
      vi.unstubAllGlobals();
      vi.unstubAllEnvs();
    };
  });

  test("speaks the first language of the browser that it has, with its region", async () => {
    const { say, sayNumber } = await speak(["ja", "de-CH", "fr"]);
    expect(say("nav.orders")).toBe("Aufträge");
    expect(sayNumber(1_200)).toBe(new Intl.NumberFormat("de-CH").format(1_200));
  });

  test("speaks the chosen language before those of the browser", async () => {
    const { say } = await speak(["de"], () => "pt-BR");
    expect(say("nav.orders")).toBe("Pedidos");
    expect(page).toEqual({ lang: "pt-BR", dir: "ltr" });
  });

  test("speaks English to a browser without a language of its own", async () => {
    const { say } = await speak(["ja"], () => "xx");
    expect(say("nav.orders")).toBe("Orders");
  });

  test("speaks the browser's language where the browser forbids storage", async () => {
    const { say } = await speak(["de"], () => {
      throw new DOMException("storage is forbidden", "SecurityError");
    });
    expect(say("nav.orders")).toBe("Aufträge");
  });

  test("chooses the plural form by the count", async () => {
    const { say } = await speak(["en"]);
    expect(say("home.payouts", { count: 1 })).toBe("1 payout waits");
    expect(say("home.payouts", { count: 1_200 })).toBe("1,200 payouts wait");
  });

  test("has a form of its own for each of the six Arabic plurals", async () => {
    const { say } = await speak(["ar"]);
    const texts = [0, 1, 2, 3, 11, 100].map((count) =>
      say("home.payouts", { count }).replace(/[\d\u2068\u2069]/g, ""),
    );
    expect(new Set(texts).size).toBeGreaterThanOrEqual(5);
  });

  test("runs from right to left in Arabic, where values keep their own direction", async () => {
    const { say, sayAmount } = await speak(["ar-AE"]);
    expect(page).toEqual({ lang: "ar", dir: "rtl" });
    expect(say("order.title", { id: "17" })).toContain("\u206817\u2069");
    expect(sayAmount({ amount: "0.5", currency: "btc" })).toBe("\u20660.5 BTC\u2069");
  });

  test("names countries in the person's language, and orders them by these names", async () => {
    const { countriesByName, countryName } = await speak(["de"]);
    expect(countriesByName(["AT", "DE", "EG", "ZA"]).map(([, name]) => name)).toEqual([
      ...["Ägypten", "Deutschland", "Österreich", "Südafrika"],
    ]);
    expect(countryName("a code of a newer service")).toBe("a code of a newer service");
  });

  test("calls a field of an account by its label, and a field of a newer service by its name", async () => {
    const { sayField } = await speak(["en"]);
    expect(sayField("accountHolder")).toBe("Account holder");
    expect(sayField("constructor")).toBe("Other detail (constructor)");
  });

  test("names the UTC day, whatever the time zone of the person", async () => {
    vi.stubEnv("TZ", "America/Los_Angeles");
    const { sayDay } = await speak(["en-GB"]);
    expect(sayDay("2026-11-28")).toBe("28 November 2026");
  });

  test("says coins with their code alone, beside the name of the currency on its network", async () => {
    const { sayCoins } = await speak(["en"]);
    expect(sayCoins("1000", "usdc-solana")).toBe("1,000 USDC");
    expect(sayCoins("12.5", "eur")).toBe("12.50 EUR");
  });

  test("writes amounts in the person's language, money with its cents and coins with every digit", async () => {
    const { sayAmount } = await speak(["de"]);
    const texts = [
      { amount: "-1672.1", currency: "eur" },
      { amount: "1769", currency: "gbp" },
      { amount: "120000", currency: "jpy" },
      { amount: "1234.719318259999996001", currency: "eth" },
    ].map(sayAmount);
    expect(texts).toEqual([
      ...["-1.672,10 EUR", "1.769,00 GBP", "120.000 JPY", "1.234,719318259999996001 ETH"],
    ]);
  });

  test("writes a part of a currency that is usually whole with two decimals", async () => {
    const { sayAmount } = await speak(["en"]);
    const texts = ["3990.6", "3990", "3990.00"].map((amount) =>
      sayAmount({ amount, currency: "huf" }),
    );
    expect(texts).toEqual(["3,990.60 HUF", "3,990 HUF", "3,990 HUF"]);
  });
});
