/** A message of a catalogue; one that depends on a count has a text for each plural category. */
export type Message = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
export type Catalogue = Readonly<Record<string, Message>>;
export type Values = Readonly<Record<string, string | number>>;

const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Fills a message's placeholders. `count` chooses the plural and is printed as the locale prints numbers. */
export function formatMessage(message: Message, values: Values, locale: string): string {
  const text = typeof message === "string" ? message : pluralOf(message, values["count"], locale);
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    const shown = typeof value === "number" ? formatCount(value, locale) : value;
    return isolate(shown, text);
  });
}

export const formatCount = (count: number, locale: string): string =>
  new Intl.NumberFormat(locale).format(count);

function pluralOf(
  message: Exclude<Message, string>,
  count: string | number | undefined,
  locale: string,
): string {
  const category = new Intl.PluralRules(locale).select(Number(count));
  return message[category] ?? message.other ?? "";
}

/** An amount, name or address keeps its own direction where it or the text around it runs leftwards. */
const isolate = (value: string, text: string): string =>
  RIGHT_TO_LEFT_LETTER.test(value + text) ? `\u2068${value}\u2069` : value;
