import { type Decimal, formatDecimal } from "@exchange/money";

/**
 * An exact number on its way out: printed in fixed notation, never through a double.
 * `encodeJson` writes its text as a JSON number token.
 */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON text that is kept as it is, to the byte. `encodeJson` writes it where it stands. */
class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Stands for the value whose JSON this is, in what `encodeJson` gets. */
export const jsonText = <Value>(text: string): Value => new JsonText(text) as Value;

export const jsonNumber = (value: Decimal): JsonNumber => new JsonNumber(formatDecimal(value));

/** A wire type as the service builds it: exact numbers may stand where the client sees numbers. */
export type Outgoing<T> = T extends number
  ? T | JsonNumber
  : T extends readonly (infer Item)[]
    ? readonly Outgoing<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Outgoing<T[Key]> }
      : T;

/** JSON text of plain data and exact numbers. Undefined properties are left out, as in JSON.stringify. */
export function encodeJson(value: unknown): string {
  if (value instanceof JsonNumber || value instanceof JsonText) return value.text;
  if (value === null || value === undefined) return "null";
  if (typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(encodeJson).join(",")}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${encodeJson(member)}`);
  }
  return `{${members.join(",")}}`;
}
