import en from "../locales/en.json";

/** The texts by key. Each language has the keys of the English file, which a test compares. */
export type TextKey = keyof typeof en;
type Texts = Readonly<Record<TextKey, string>>;

/** The languages, each in a file of its own. English is part of the first load. */
const LANGUAGES: Readonly<Record<string, () => Promise<Texts>>> = {
  en: async () => en,
  de: async () => (await import("../locales/de.json")).default,
};

const CHOICE = "exchange-console-language";
let texts: Texts = en;
let language = "en";
/** The language as the browser names it, with its region: en-GB writes other dates than en-US. */
let locale = "en";

export const languageNow = (): string => language;
export const languages = (): readonly string[] => Object.keys(LANGUAGES);

/** Loads the texts of the chosen language, or of the first one of the browser that there is. */
export async function loadTexts(): Promise<void> {
  const wanted = [localStorage.getItem(CHOICE) ?? "", ...navigator.languages];
  const codes = wanted.map((tag) => tag.split("-")[0] ?? "");
  language = codes.find((code) => Object.hasOwn(LANGUAGES, code)) ?? "en";
  locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
  texts = (await LANGUAGES[language]?.()) ?? en;
  document.documentElement.lang = language;
}

/** Remembers the language and shows the console in it. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(CHOICE, code);
  location.reload();
}

/** Returns a text with its values in place of `{name}`. */
export function say(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return texts[key].replace(/\{(\w+)\}/g, (_match, name: string) => String(values[name] ?? ""));
}

/** Returns the text of a word of the service, or the word itself where there is no text for it. */
export function sayWord(
  kind: "status" | "reason" | "role" | "operation" | "action",
  word: string,
): string {
  const key = `${kind}.${word}`;
  return Object.hasOwn(texts, key) ? texts[key as TextKey] : word.replaceAll("_", " ");
}

/** A reason that a person wrote, or a word of the service in its place. */
export const sayReason = (reason: string | null): string =>
  reason !== null && /^[a-z_]+$/.test(reason) ? sayWord("reason", reason) : (reason ?? "");

/** Returns the name of a language in the language of the console. */
export const sayLanguage = (code: string): string =>
  new Intl.DisplayNames(language, { type: "language" }).of(code) ?? code;

/** Times are shown to the second: a story happens within one minute. */
export const sayTime = (unixSeconds: number): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }).format(
    new Date(unixSeconds * 1_000),
  );
export const sayNumber = (value: number): string => new Intl.NumberFormat(locale).format(value);
export const sayPercent = (basisPoints: number): string =>
  new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 }).format(
    basisPoints / 10_000,
  );
export const sayEuro = (cents: number): string =>
  new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).format(cents / 100);

/** An exact amount. Its digits are never rounded, so they are not formatted as a number. */
export const sayAmount = ({
  amount,
  currency,
}: {
  readonly amount: string;
  readonly currency: string;
}): string => `${amount} ${currency.toUpperCase()}`;

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
