import {
  ALL_LANGUAGES,
  chooseLocale,
  directionOf,
  inRegion,
  LANGUAGES,
  type Language,
  languageOf,
} from "@exchange/ui/languages";
import { isolate, pluralText } from "@exchange/ui/messages";
import type en from "../locales/en.json";
import { readStored, store } from "./stored.ts";

type Key = keyof typeof en;
/** The messages with a text for each plural form: `home.payouts_one` is a form of `home.payouts`. */
type Plural<Of = Key> = Of extends `${infer Name}_other` ? Name : never;
/** The messages by key. Each language has those of the English file, which a test compares. */
export type TextKey = Exclude<Key, `${Plural}_${string}`> | Plural;
type Texts = Readonly<Record<string, string>>;

/** The texts of each language in a file of their own, of which a browser fetches one. */
const TEXTS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import("../locales/en.json")).default,
  de: async () => (await import("../locales/de.json")).default,
  fr: async () => (await import("../locales/fr.json")).default,
  es: async () => (await import("../locales/es.json")).default,
  "pt-BR": async () => (await import("../locales/pt-BR.json")).default,
  it: async () => (await import("../locales/it.json")).default,
  tr: async () => (await import("../locales/tr.json")).default,
  ar: async () => (await import("../locales/ar.json")).default,
};

const CHOICE = "exchange-console-language";
let texts: Texts = {};
let language: Language = "en";
/** The language as the browser names it, with its region: en-GB writes other dates than en-US. */
let locale = "en";

export const languageNow = (): Language => language;
export const localeNow = (): string => locale;

/** The languages of the console, each by its own name. */
export const languages = (): readonly (readonly [code: Language, name: string])[] =>
  ALL_LANGUAGES.map((code) => [code, LANGUAGES[code]]);

/** Loads the texts of the chosen language, or of the first one of the browser that there is. */
export async function loadTexts(): Promise<void> {
  const wanted = [readStored(CHOICE), ...navigator.languages];
  await speak(languageOf(chooseLocale(wanted)) ?? "en");
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
}

/** Speaks English in place of a language that cannot be fetched. */
async function speak(wanted: Language): Promise<void> {
  const fetched = await TEXTS[wanted]().catch(() => undefined);
  language = fetched ? wanted : "en";
  locale = inRegion(language, navigator.languages);
  texts = fetched ?? (await TEXTS.en());
}

/** Remembers the language and shows the console in it. */
export function chooseLanguage(code: string): void {
  store(CHOICE, code);
  location.reload();
}

/** Returns a text with its values in place of `{name}`. The value `count` chooses its plural form. */
export function say(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text = pluralText(texts, { key, values }, locale) ?? texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = values[name] ?? "";
    return isolate(typeof value === "number" ? sayNumber(value) : value, text);
  });
}

/** The words of a kind that have a text: the texts `payout.created` and `payout.signed` are those of `payout`. */
export type WordOf<Kind extends string, Of = Key> = Of extends `${Kind}.${infer Word}`
  ? Word
  : never;
type WordKind =
  | "status"
  | "reason"
  | "role"
  | "operation"
  | "action"
  | "did"
  | "via"
  | "found"
  | "job"
  | "error"
  | "entry"
  | "books"
  | "purpose"
  | "payout"
  | "wait"
  | "wait_text"
  | "check"
  | "deposit"
  | "card";

/**
 * Returns the text of a word from a closed list of the contract. A list with a member that has no text does not compile
 * here. A newer service may send such a member, which is shown as it is.
 */
export const sayWord = <Kind extends WordKind>(kind: Kind, word: WordOf<Kind>): string =>
  textOf(kind, word);

/** A text that stands inside other sentences, at the beginning of one. */
export const asSentence = (text: string): string =>
  text.slice(0, 1).toLocaleUpperCase(language) + text.slice(1);

const textOf = (kind: WordKind, word: string): string =>
  texts[`${kind}.${word}`] ?? word.replaceAll("_", " ");

/** The name of a field of an account that a customer is paid to. A newer service may have fields without a name here. */
export const sayField = (name: string): string =>
  texts[`field.${name}`] ?? say("order.other_field", { name });

/** The name of a member in the log of changes. One without a text here is shown as words: `bySession` as "by session". */
export const sayMember = (name: string): string =>
  texts[`changed.${name}`] ??
  name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A reason that a person wrote, or a word of the service in its place. */
export const sayReason = (reason: string | null): string =>
  reason !== null && /^[a-z_]+$/.test(reason) ? textOf("reason", reason) : (reason ?? "");

/** The name of a country by its ISO 3166-1 code, in the person's language. */
export const countryName = (code: string): string =>
  /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames([locale], { type: "region" }).of(code) ?? code)
    : code;

/** Returns countries with their names, in the order of the person's language. */
export function countriesByName(codes: readonly string[]): readonly (readonly [string, string])[] {
  const { compare } = new Intl.Collator(locale);
  return codes
    .map((code) => [code, countryName(code)] as const)
    .toSorted(([, one], [, other]) => compare(one, other));
}

/** Several words as a list: "Viewer, Support". */
export const sayList = (words: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: "unit", style: "short" }).format(words);

/** Times are shown to the second: a story happens within one minute. */
export const sayTime = (unixSeconds: number): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }).format(
    new Date(unixSeconds * 1_000),
  );
/** A UTC day such as 2026-11-28 in words. A column of days is narrow, and has short months. */
export const sayDay = (day: string, month: "long" | "short" = "long"): string =>
  new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month,
    year: "numeric",
    timeZone: "UTC",
  }).format(new Date(day));
/** The time zone in which times are shown, such as Europe/Berlin. */
export const zoneName = (): string => new Intl.DateTimeFormat(locale).resolvedOptions().timeZone;
export const sayNumber = (value: number): string => new Intl.NumberFormat(locale).format(value);
export const sayPercent = (basisPoints: number): string =>
  new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 }).format(
    basisPoints / 10_000,
  );
export const sayEuro = (cents: number): string =>
  new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).format(cents / 100);

const MONEY: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** No coin has more decimals. */
const DECIMALS_MAX = 20;

/** An exact number. No digit is rounded away. */
export const sayExact = (amount: string, decimalsMin: number): string =>
  new Intl.NumberFormat(locale, {
    numberingSystem: "latn",
    minimumFractionDigits: decimalsMin,
    maximumFractionDigits: DECIMALS_MAX,
  }).format(amount as Intl.StringNumericLiteral);

/** An exact amount. Money has its cents, and no digit is rounded away. It runs from left to right where the text around it does not. */
export function sayAmount(exact: { readonly amount: string; readonly currency: string }): string {
  const code = exact.currency.toUpperCase();
  const number = sayExact(exact.amount, decimalsOf(exact.amount, code));
  const text = `${number} ${code}`;
  return directionOf(language) === "rtl" ? `\u2066${text}\u2069` : text;
}

/**
 * The least decimals of an amount. Money has those of its currency. Of a currency that browsers write in whole units, such as
 * HUF, a part is written with two. A coin has none that it must show.
 */
function decimalsOf(amount: string, currency: string): number {
  if (!MONEY.has(currency)) return 0;
  const money = new Intl.NumberFormat("en", { style: "currency", currency });
  return money.resolvedOptions().minimumFractionDigits || (Number(amount) % 1 ? 2 : 0);
}

/** An exact amount as a field begins with it, in the form in which the person types one. */
export const typedAmount = (amount: string): string =>
  amount.replace(".", (0.5).toLocaleString(locale, { numberingSystem: "latn" }).charAt(1));

/** An exact amount with the code of its currency alone, beside the name of the currency on its network. */
export const sayCoins = (amount: string, currency: string): string =>
  sayAmount({ amount, currency: currency.split("-")[0] ?? currency });

/** "5 minutes", "3 hours", "2 days" */
export function sayAge(seconds: number): string {
  const [count, unit] =
    seconds < 3_600
      ? [Math.max(1, Math.round(seconds / 60)), "minute"]
      : seconds < 86_400
        ? [Math.round(seconds / 3_600), "hour"]
        : [Math.round(seconds / 86_400), "day"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
