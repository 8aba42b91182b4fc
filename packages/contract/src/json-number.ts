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
import type { WebhookPayload } from "./webhooks.ts";

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

/**
 * A webhook's body as it was signed and stored. `encodeJson` writes it to the byte, so that its
 * signature still fits.
 */
export class StoredPayload {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const jsonNumber = (value: Decimal): JsonNumber => new JsonNumber(formatDecimal(value));

/**
 * An amount as the API shows it: at the asset's published scale and 15 significant digits (completion,
 * section 1). Amounts that we price always fit. Of amounts that others send, such as a deposit to the
 * last unit, the digits beyond are cut off, never rounded up.
 */
export function amountNumber({ asset, units: exact }: Money): JsonNumber {
  const hidden = asset.decimals - asset.publishedDecimals;
  const units = hidden === 0 ? exact : divide(exact, powerOfTen(hidden), "down");
  const published = { units, scale: asset.publishedDecimals };
  return jsonNumber(units < DIGITS_MAX && units > -DIGITS_MAX ? published : cutToDigits(published));
}

const DIGITS_MAX = powerOfTen(WIRE_LIMITS.amountSignificantDigitsMax);

function cutToDigits(value: Decimal): Decimal {
  const exact = normalize(value);
  const beyond = significantDigits(exact) - WIRE_LIMITS.amountSignificantDigitsMax;
  return beyond > 0 ? rescale(exact, Math.max(0, exact.scale - beyond), "down") : exact;
}

/**
 * A wire type as the service builds it. It has an exact number where the client reads a number, and the stored text
 * where the client reads a webhook's payload.
 */
export type Outgoing<T> = T extends number
  ? T | JsonNumber
  : T extends readonly (infer Item)[]
    ? readonly Outgoing<Item>[]
    : T extends WebhookPayload
      ? OutgoingMembers<T> | StoredPayload
      : T extends object
        ? OutgoingMembers<T>
        : T;

type OutgoingMembers<T> = { readonly [Key in keyof T]: Outgoing<T[Key]> };

/** Returns the JSON text of plain data and exact numbers. It omits undefined properties, as JSON.stringify does. */
export function encodeJson(value: unknown): string {
  if (typeof value === "string") return encodeText(value);
  if (typeof value !== "object")
    return value === undefined ? "null" : String(JSON.stringify(value));
  if (value === null) return "null";
  if (value instanceof JsonNumber || value instanceof StoredPayload) return value.text;
  return Array.isArray(value) ? encodeList(value) : encodeObject(value as Record<string, unknown>);
}

/** Matches the characters that JSON escapes: quotes, backslashes, control characters, surrogates. */
const ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

const encodeText = (text: string): string =>
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
