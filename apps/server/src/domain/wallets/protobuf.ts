/** A field of a protobuf message: a whole number, or bytes. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

const WIRE_NUMBER = 0;
const WIRE_BYTES = 2;
/** A number has 64 bits, which are ten groups of seven at most. */
const GROUPS_MAX = 10;
const UINT64_MAX = (1n << 64n) - 1n;
/** Nodes read a tag with 32 bits, and drop the others. */
const TAG_MAX = (1n << 32n) - 1n;

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Reads a number. Throws for one that is longer than it needs to be, or has more than 64 bits. */
function readNumber(cursor: Cursor): bigint {
  let number = 0n;
  for (let group = 0; group < GROUPS_MAX; group += 1) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) break;
    cursor.at += 1;
    number |= BigInt(byte & 0x7f) << BigInt(7 * group);
    if (byte >= 0x80) continue;
    if (byte === 0 && group > 0) throw new Error("a number has a group too many");
    if (number > UINT64_MAX) throw new Error("a number has more than 64 bits");
    return number;
  }
  throw new Error("a number does not end");
}

/**
 * Reads the fields of a message, in their order. Throws for bytes that are not a message of numbers and bytes, and for
 * those that a node reads in another way.
 */
export function readFields(bytes: Uint8Array): readonly Field[] {
  const cursor = { bytes, at: 0 };
  const fields: Field[] = [];
  while (cursor.at < bytes.length) {
    const tag = readNumber(cursor);
    if (tag > TAG_MAX) throw new Error("a tag has more than 32 bits");
    const number = Number(tag >> 3n);
    const wire = Number(tag & 7n);
    if (number === 0) throw new Error("a field has the number 0");
    if (wire === WIRE_NUMBER) {
      fields.push({ number, value: readNumber(cursor) });
    } else if (wire === WIRE_BYTES) {
      const length = Number(readNumber(cursor));
      const from = cursor.at;
      const end = from + length;
      if (end > bytes.length) throw new Error("a field is cut off");
      fields.push({ number, value: bytes.subarray(from, end) });
      cursor.at = end;
    } else {
      throw new Error(`a field has the wire type ${wire}`);
    }
  }
  return fields;
}

/** Throws for a field that occurs twice, or has another number than these. */
export function refuseUnusual(fields: readonly Field[], numbers: readonly number[]): void {
  const left = new Set(numbers);
  for (const { number } of fields) {
    if (!left.delete(number)) throw new Error(`field ${number} is unknown or occurs twice`);
  }
}

/** Returns the one way in which a node writes the fields. */
export function writeFields(fields: readonly Field[]): Uint8Array {
  const bytes = fields.flatMap(({ number, value }) =>
    typeof value === "bigint"
      ? [...writeNumber(tagOf(number, WIRE_NUMBER)), ...writeNumber(value)]
      : [...writeNumber(tagOf(number, WIRE_BYTES)), ...writeNumber(BigInt(value.length)), ...value],
  );
  return Uint8Array.from(bytes);
}

const tagOf = (number: number, wire: number): bigint => BigInt(number * 8 + wire);

function writeNumber(value: bigint): readonly number[] {
  const groups: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
  return [...groups, Number(rest)];
}

/** Returns the bytes of a field that occurs once. Throws otherwise. */
export function bytesAt(fields: readonly Field[], number: number): Uint8Array {
  const value = onlyAt(fields, number);
  if (value instanceof Uint8Array) return value;
  throw new Error(`field ${number} has no bytes`);
}

/** Returns the number of a field that occurs once. Throws otherwise. */
export function numberAt(fields: readonly Field[], number: number): bigint {
  const value = onlyAt(fields, number);
  if (typeof value === "bigint") return value;
  throw new Error(`field ${number} has no number`);
}

/** A node takes the last of several values, and merges messages. A transaction with either is left alone. */
function onlyAt(fields: readonly Field[], number: number): bigint | Uint8Array | undefined {
  const found = fields.filter((field) => field.number === number);
  if (found.length > 1) throw new Error(`field ${number} occurs ${found.length} times`);
  return found[0]?.value;
}
