import { BRANDS, brandOf, digitsOf } from "./brand.ts";

export type NumberFault = "empty" | "mistyped" | "real_card";

/**
 * The fault of a card number, or undefined. Only the listed test cards pass, so that a real number
 * never leaves the browser. Production has no card form and no test cards.
 */
export function findNumberFault(
  text: string,
  testNumbers: readonly string[],
): NumberFault | undefined {
  const digits = digitsOf(text);
  if (digits === "") return "empty";
  if (/[^\d\s-]/.test(text)) return "mistyped";
  if (testNumbers.some((number) => digitsOf(number) === digits)) return undefined;
  const brand = brandOf(digits);
  const lengths = brand ? BRANDS[brand].lengths : [16];
  return lengths.includes(digits.length) && passesLuhn(digits) ? "real_card" : "mistyped";
}

/** The check digit of ISO/IEC 7812. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

export interface Expiry {
  readonly month: number;
  readonly year: number;
}

/** Reads "MM/YY", also "0127", "1/27" and "01 / 2027" as a password manager writes it. */
export function readExpiry(text: string): Expiry | undefined {
  const match = /^\s*(\d{1,2})\s*[/\-. ]\s*(\d{2}|\d{4})\s*$|^\s*(\d{2})(\d{2}|\d{4})\s*$/.exec(
    text,
  );
  if (!match) return undefined;
  const month = Number(match[1] ?? match[3]);
  const year = Number(match[2] ?? match[4]);
  if (month < 1 || month > 12) return undefined;
  return { month, year: year < 100 ? 2000 + year : year };
}

/** A card is valid until the last day of the month printed on it. */
export const hasExpired = (expiry: Expiry, today: Date): boolean =>
  expiry.year < today.getFullYear() ||
  (expiry.year === today.getFullYear() && expiry.month < today.getMonth() + 1);

/** Adds the slash while a person types, never while they delete. */
export function formatExpiry(text: string, previous: string): string {
  if (text.length < previous.length) return text;
  if (/^\d{2}$/.test(text)) return `${text}/`;
  if (/^[2-9]$/.test(text)) return `0${text}/`;
  const run = /^(\d{2})(\d{1,4})$/.exec(text);
  return run ? `${run[1]}/${run[2]}` : text;
}

/** The number of digits of the security code of such a card. */
export function codeLengthOf(number: string): 3 | 4 {
  const brand = brandOf(digitsOf(number));
  return brand ? BRANDS[brand].codeLength : 3;
}
