/**
 * The texts of a language by their keys, in i18next's JSON format, version 4. A message that
 * depends on a count has a text for each plural category: `days_one`, `days_other`.
 */
export type Catalogue = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, string | number>>;

/** A message to print: its key without a plural suffix, and a value for each placeholder. */
export interface Message {
  readonly key: string;
  readonly values: Values;
}

const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Returns the message with its placeholders filled in, or undefined when the catalogue lacks it.
 * The locale chooses the plural category of `count` and prints numbers.
 */
export function formatMessage(
  catalogue: Catalogue,
  { key, values }: Message,
  locale: string,
): string | undefined {
  const text = pluralText(catalogue, { key, values }, locale) ?? catalogue[key];
  return text?.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return isolate(typeof value === "number" ? formatCount(value, locale) : value, text);
  });
}

export const formatCount = (count: number, locale: string): string =>
  new Intl.NumberFormat(locale).format(count);

/** Returns the form of a plural message for its `count`, or undefined for a message without one. */
export function pluralText(
  catalogue: Catalogue,
  { key, values: { count } }: Message,
  locale: string,
): string | undefined {
  if (typeof count !== "number") return undefined;
  const category = new Intl.PluralRules(locale).select(count);
  return catalogue[`${key}_${category}`] ?? catalogue[`${key}_other`];
}

/** Keeps the direction of an amount, name or address where it or the text around it runs right to left. */
export const isolate = (value: string, text: string): string =>
  RIGHT_TO_LEFT_LETTER.test(value + text) ? `\u2068${value}\u2069` : value;

const PLURAL_KEY = /^(.+)_(zero|one|two|few|many|other)$/;

/** Returns each message with its texts by plural category. A message without a plural has its text under "". */
export function formsOf(
  catalogue: Catalogue,
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const messages = new Map<string, Readonly<Record<string, string>>>();
  for (const [key, text] of Object.entries(catalogue)) {
    const [, name = key, category = ""] = PLURAL_KEY.exec(key) ?? [];
    messages.set(name, { ...messages.get(name), [category]: text });
  }
  return messages;
}
