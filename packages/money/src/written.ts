import { type Decimal, parseDecimal } from "./decimal.ts";

/** The text of an amount field, read as the person meant it. */
export type AmountReading =
  | { readonly kind: "empty" }
  | { readonly kind: "invalid" }
  | { readonly kind: "amount"; readonly value: Decimal };

// Zero digits of the scripts our locales print: Arabic, Persian, Devanagari, full width.
const ZEROS = [0x0660, 0x06f0, 0x0966, 0xff10];
// Spaces (also the narrow ones that Intl prints) and apostrophes only group digits.
const GROUPING_ONLY = /[\s\u00a0\u202f\u2009'\u2019\u066c]/g;
// The Arabic decimal separator. It never groups digits.
const ARABIC_DECIMAL = "\u066b";

/**
 * Reads an amount written with a point or a comma, with or without grouping, in local digits. If
 * one separator could be either ("1.234"), the locale decides.
 */
export function readAmount(text: string, locale: string): AmountReading {
  const digits = toAsciiDigits(text).replace(GROUPING_ONLY, "");
  if (digits === "") return { kind: "empty" };
  if (!/\d/.test(digits) || /[^\d.,\u066b]/.test(digits)) return { kind: "invalid" };
  const point = decimalPosition(digits, locale);
  const whole = point < 0 ? digits : digits.slice(0, point);
  const fraction = point < 0 ? "" : digits.slice(point + 1);
  if (/[.,\u066b]/.test(fraction) || !isGrouping(whole)) return { kind: "invalid" };
  const value = parseDecimal(`${whole.replace(/[.,]/g, "") || "0"}.${fraction || "0"}`);
  return value ? { kind: "amount", value } : { kind: "invalid" };
}

/** The position of the decimal separator, or -1. */
function decimalPosition(digits: string, locale: string): number {
  if (digits.includes(ARABIC_DECIMAL)) return digits.indexOf(ARABIC_DECIMAL);
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  if (last < 0) return -1;
  const mark = digits[last] ?? "";
  const other = mark === "." ? "," : ".";
  if (digits.includes(other)) return last;
  if (digits.indexOf(mark) !== last) return -1;
  const couldBeGroup = /^[1-9]\d{0,2}$/.test(digits.slice(0, last)) && digits.length - last === 4;
  return couldBeGroup && groupMark(locale) === mark ? -1 : last;
}

/** Whether the separators of the whole part are where people group digits. */
function isGrouping(whole: string): boolean {
  if (!/[.,]/.test(whole)) return true;
  if (whole.includes(".") && whole.includes(",")) return false;
  const groups = whole.split(/[.,]/);
  const [first = "", ...rest] = groups;
  const tail = rest.at(-1) ?? "";
  return (
    /^\d{1,3}$/.test(first) &&
    tail.length === 3 &&
    rest.every((group) => group.length === 2 || group.length === 3)
  );
}

function groupMark(locale: string): string | undefined {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: "latn" }).formatToParts(1234567);
  return parts.find((part) => part.type === "group")?.value;
}

/** Replaces the digits of other scripts by ASCII digits, which banks and card processors require. */
export function toAsciiDigits(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const zero = ZEROS.find((start) => code >= start && code <= start + 9);
    return zero === undefined ? character : String(code - zero);
  }).join("");
}
