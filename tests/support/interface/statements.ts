import { describe, expect, test } from "vitest";

/** A statement of the interface: its section, what it promises, and how the service shows that it holds. */
export type Statement = readonly [section: string, promise: string, holds: () => unknown];

/** Reads statements of the interface against the running service, one test for each. */
export function readInterface(part: string, statements: readonly Statement[]): void {
  describe(`the interface: ${part}`, () => {
    const titled = statements.map(([section, promise, holds]) => [`${section}: ${promise}`, holds]);
    test.each(titled as [string, Statement[2]][])("%s", async (_title, holds) => {
      await holds();
    });
  });
}

const TYPES = {
  string: expect.any(String),
  boolean: expect.any(Boolean),
  number: expect.any(Number),
  array: expect.any(Array),
  object: expect.any(Object),
} as const;

type FieldType =
  | keyof typeof TYPES
  | "integer"
  | "integer or null"
  | "string or null"
  | "array of string";

/** One statement for each field of a table: that it is there, and its type. */
export const fieldStatements = (
  section: string,
  sample: () => unknown,
  table: Readonly<Record<string, FieldType>>,
): Statement[] =>
  Object.entries(table).map(([path, type]) => [
    section,
    `${path} is ${/^[aio]/.test(type) ? "an" : "a"} ${type}`,
    () => expectType(memberAt(sample(), path), type),
  ]);

function memberAt(sample: unknown, path: string): unknown {
  let value = sample;
  for (const name of path.split(".")) {
    expect(value, path).toHaveProperty(name);
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function expectType(value: unknown, type: FieldType): void {
  switch (type) {
    case "integer":
      expect(Number.isSafeInteger(value), String(value)).toBe(true);
      return;
    case "integer or null":
      expect(value === null || Number.isSafeInteger(value), String(value)).toBe(true);
      return;
    case "string or null":
      expect(value === null || typeof value === "string", String(value)).toBe(true);
      return;
    case "array of string":
      expect(Array.isArray(value) && value.every((item) => typeof item === "string")).toBe(true);
      return;
    default:
      expect(value).toEqual(TYPES[type]);
  }
}
