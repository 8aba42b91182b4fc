import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileJsonEncoder } from "./json-encoder.ts";
import { encodeJson, jsonNumber } from "./json-number.ts";
import { nullable } from "./schema.ts";

const DELIVERY = Type.Object({
  success: Type.Literal(true),
  name: Type.String(),
  amount: Type.Number(),
  memo: Type.Optional(nullable(Type.String())),
  days: nullable(Type.Integer()),
  tags: Type.Array(Type.Object({ id: Type.Integer(), shown: Type.Optional(Type.Boolean()) })),
});

const exact = fc
  .record({ units: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), scale: fc.nat(18) })
  .map(jsonNumber);

const deliveries = fc.record(
  {
    success: fc.constant(true),
    name: fc.string({ unit: "binary" }),
    amount: fc.oneof(exact, fc.double()),
    memo: fc.option(fc.string(), { nil: null }),
    days: fc.option(fc.integer(), { nil: null }),
    tags: fc.array(fc.record({ id: fc.integer(), shown: fc.boolean() }, { requiredKeys: ["id"] })),
  },
  { requiredKeys: ["success", "name", "amount", "days", "tags"] },
);

test("a value of the schema is printed as encodeJson prints it", () => {
  const encode = compileJsonEncoder(DELIVERY);
  fc.assert(
    fc.property(deliveries, (value) => {
      expect(encode(value)).toBe(encodeJson(value));
    }),
    { numRuns: 2_000 },
  );
});

test.each<[string, TSchema, unknown]>([
  ["maps", Type.Record(Type.String(), Type.Number()), { b: 1, a: 2 }],
  ["objects whose first member may be missing", optionalFirst(), { b: 1 }],
  ["unions of more than one kind and null", Type.Union([Type.String(), Type.Number()]), 1],
  ["objects without members", Type.Object({}), {}],
])("what has no faster way is still printed: %s", (_name, schema, value) => {
  expect(compileJsonEncoder(schema)(value)).toBe(encodeJson(value));
});

function optionalFirst(): TSchema {
  return Type.Object({ a: Type.Optional(Type.Number()), b: Type.Number() });
}

test("what the schema does not name is not printed", () => {
  const encode = compileJsonEncoder(Type.Object({ id: Type.Integer() }));
  expect(encode({ id: 1, secret: "s" })).toBe('{"id":1}');
});
