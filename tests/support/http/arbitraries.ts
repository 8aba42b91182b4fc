import fc from "fast-check";
import type { JsonSchema, OpenApiDocument, Operation } from "./openapi.ts";

/** A request made from the OpenAPI document: sometimes valid, mostly invalid. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly rawBody: string | undefined;
}

const HOSTILE_STRINGS = [
  "",
  " ",
  "\u0000",
  "__proto__",
  "constructor",
  "' or 1=1 --",
  "</script>",
  "../../etc/passwd",
  "${7*7}",
  "\ud800",
  "𝕊",
  "NaN",
  "-0",
  "9".repeat(400),
] as const;
const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  1e15,
  1e16,
  1e21,
  1e308,
  5e-324,
  0.1 + 0.2,
  2 ** 53,
  -(2 ** 53),
];

/** Ids and references of the catalogue, so that some requests pass the first check. */
const CATALOGUE_IDS = [1, 2, 3, 4, 124, 840, 978, 1001, 1010, 1020];
const CATALOGUE_REFERENCES = ["CA", "DE", "US", "BTC", "USDT", "ETH", "usdt-tron", "card", "dev"];

const anyString = fc.oneof(fc.constantFrom(...HOSTILE_STRINGS), fc.string({ maxLength: 200 }));
const anyNumber = fc.oneof(
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

/** Returns values of a schema, as far as the service's keywords go. */
function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  const enumerated = schema["enum"] as unknown[] | undefined;
  if (enumerated) return fc.constantFrom(...enumerated);
  if ("const" in schema) return fc.constant(schema["const"]);
  const options = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
  if (options) return fc.oneof(...options.map(fitting));
  const fittingOf: Record<string, () => fc.Arbitrary<unknown>> = {
    object: () => fittingObject(schema),
    array: () => fc.array(fitting((schema["items"] ?? {}) as JsonSchema), { maxLength: 4 }),
    integer: () =>
      fc.oneof(fc.constantFrom(...CATALOGUE_IDS), fc.integer({ min: 1 }), fc.integer()),
    number: () => fc.oneof(fc.integer({ min: 1, max: 2_000 }), anyNumber),
    boolean: () => fc.boolean(),
    null: () => fc.constant(null),
  };
  return (
    fittingOf[String(schema["type"])]?.() ??
    fc.oneof(fc.constantFrom(...CATALOGUE_REFERENCES), anyString)
  );
}

function fittingObject(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = (schema["properties"] ?? {}) as Record<string, JsonSchema>;
  const required = (schema["required"] ?? []) as string[];
  const shape = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      fc.oneof(
        { weight: 5, arbitrary: fitting(property) },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
    ]),
  );
  const requiredKeys = required.filter((name) => name in shape);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(shape, { requiredKeys }) },
    { weight: 1, arbitrary: fc.record(shape, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function requestOf(path: string, method: string, operation: Operation): fc.Arbitrary<FuzzRequest> {
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content["application/json"]?.schema;
  const values = fc.tuple(
    ...parameters.map(({ schema }) =>
      fc.oneof({ weight: 4, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anyString }),
    ),
  );
  const bodies = body
    ? fc.oneof(
        { weight: 9, arbitrary: fitting(body).map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: anyString },
      )
    : fc.constant(undefined);
  return fc.tuple(values, bodies).map(([drawn, rawBody]) => {
    const text = (at: number): string => plainText(drawn[at]);
    const query = new URLSearchParams();
    let address = path;
    for (const [at, parameter] of parameters.entries()) {
      if (parameter.in === "query") query.append(parameter.name, text(at));
      const inPath = encodeURIComponent(text(at)) || "x";
      if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, inPath);
    }
    return { method: method.toUpperCase(), path: `/v1${address}?${query}`, rawBody };
  });
}

/** Returns a value as text for an address, which cannot have halves of surrogate pairs. */
function plainText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return Buffer.from(text).toString("utf8");
}

/** Replaces every reference in the document by its target. The service's document has no cycle. */
function resolved(document: OpenApiDocument): OpenApiDocument {
  const follow = (reference: string): unknown =>
    reference
      .slice(2)
      .split("/")
      .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== "object" || node === null) return node;
    if ("$ref" in node && typeof node.$ref === "string") return walk(follow(node.$ref));
    return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, walk(member)]));
  };
  return walk(document) as OpenApiDocument;
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** Returns requests to every operation of the document, each with the same frequency. */
export function requestsOf(served: OpenApiDocument): fc.Arbitrary<FuzzRequest> {
  const document = resolved(served);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => requestOf(path, method, operation)),
  );
  return fc.oneof(...operations);
}
