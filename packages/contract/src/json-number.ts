import {
  type Decimal,
  divide,
  formatDecimal,
  type Money,
  normalize,
  powerOfTen,
  rescale,
  significantDigits,
} from "@exchange/money";
import { WIRE_LIMITS } from "./limits.ts";

/**
 * An exact number of an answer. `encodeJson` writes it as a JSON number in fixed notation, never
 * through a double.
 */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON text that `encodeJson` copies byte for byte. */
class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A placeholder for the value whose JSON this is. `encodeJson` prints the text. */
export const jsonText = <Value>(text: string): Value => new JsonText(text) as Value;

export const jsonNumber = (value: Decimal): JsonNumber => new JsonNumber(formatDecimal(value));

/**
 * An amount as the API shows it: at the asset's published scale, with at most 15 significant digits
 * (completion, section 1). Our own prices always fit. An amount from outside, such as a deposit,
 * may have more digits: they are cut off, never rounded up.
 */
export const amountNumber = (amount: Money): JsonNumber => new JsonNumber(amountText(amount));

/** The same as JSON text. */
export function amountText({ asset, units: exact }: Money): string {
  const hidden = asset.decimals - asset.publishedDecimals;
  const units = hidden === 0 ? exact : divide(exact, powerOfTen(hidden), "down");
  const shown = { units, scale: asset.publishedDecimals };
  return formatDecimal(units < DIGITS_MAX && units > -DIGITS_MAX ? shown : cutToDigits(shown));
}

const DIGITS_MAX = powerOfTen(WIRE_LIMITS.amountSignificantDigitsMax);

function cutToDigits(value: Decimal): Decimal {
  const shown = normalize(value);
  const beyond = significantDigits(shown) - WIRE_LIMITS.amountSignificantDigitsMax;
  return beyond > 0 ? rescale(shown, Math.max(0, shown.scale - beyond), "down") : shown;
}

/**
 * A wire type as the service builds it: an exact number is allowed where the client sees a number.
 */
export type Outgoing<T> = T extends number
  ? T | JsonNumber
  : T extends readonly (infer Item)[]
    ? readonly Outgoing<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Outgoing<T[Key]> }
      : T;

/** JSON text of plain data and exact numbers. Undefined properties are left out, as in JSON.stringify. */
export function encodeJson(value: unknown): string {
  if (typeof value === "string") return encodeText(value);
  if (typeof value !== "object")
    return value === undefined ? "null" : String(JSON.stringify(value));
  if (value === null) return "null";
  if (value instanceof JsonNumber || value instanceof JsonText) return value.text;
  return Array.isArray(value) ? encodeList(value) : encodeObject(value as Record<string, unknown>);
}

/**
 * Every character that JSON may need to escape: quotes, backslashes, control characters,
 * surrogates.
 */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** A string as JSON text. */
export const encodeText = (text: string): string =>
  ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;

function encodeList(items: readonly unknown[]): string {
  let text = "";
  for (const item of items) text += text === "" ? encodeJson(item) : `,${encodeJson(item)}`;
  return `[${text}]`;
}

function encodeObject(members: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const key of Object.keys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${encodeText(key)}:${encodeJson(member)}`;
  }
  return `{${text}}`;
}
