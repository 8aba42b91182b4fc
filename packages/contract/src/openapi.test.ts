import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { ADMIN_GLOSSARY } from "./admin/glossary.ts";
import { buildAdminOpenApiDocument } from "./admin/openapi.ts";
import type { Endpoint } from "./endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { API_ERRORS } from "./errors.ts";
import { GLOSSARY } from "./glossary.ts";
import { buildOpenApiDocument } from "./openapi.ts";
import { makeSchemaBook } from "./openapi-schemas.ts";
import { named } from "./schema.ts";

const document = buildOpenApiDocument({
  publicUrl: "https://pay.example.org",
  environment: "dev",
  takesCards: true,
});

interface Written {
  readonly operationId: string;
  readonly description: string;
  readonly security: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly required: boolean };
}

const writtenOperation = (path: string, method: string): Written => {
  const item = document.paths[path] as unknown as Record<string, Written>;
  const found = item[method.toLowerCase()];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
};

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" ? [String(member)] : referencesIn(member),
  );
}

test("every endpoint is written with its operation id, success status and error statuses", () => {
  for (const endpoint of Object.values(ENDPOINTS)) {
    const written = writtenOperation(endpoint.path, endpoint.method);
    expect(written.operationId).toBe(endpoint.operationId);
    expect(Object.keys(written.responses).map(Number)).toEqual(
      [endpoint.success.status, ...endpoint.errors].sort((a, b) => a - b),
    );
  }
});

test("a body is required exactly where one of its members is", () => {
  const isRequired = (path: string) => writtenOperation(path, "POST").requestBody?.required;
  expect(isRequired("/public_token/create")).toBe(true);
  expect(isRequired("/checkout/orders/{orderId}/payments")).toBe(true);
  expect(isRequired("/orders/{orderId}/refunds")).toBe(false);
  expect(isRequired("/webhook_endpoints/{endpointId}/rotate_secret")).toBe(false);
  expect(isRequired("/webhook_endpoints/{endpointId}/test")).toBe(false);
  const change = writtenOperation("/webhook_endpoints/{endpointId}", "PATCH");
  expect(change.requestBody?.required).toBe(true);
});

test("merchant calls need both headers, browser calls the public token", () => {
  expect(writtenOperation("/exchange/quotes", "POST").security).toEqual([
    { apiKey: [], clientId: [] },
  ]);
  expect(writtenOperation("/checkout/session", "GET").security).toEqual([{ publicToken: [] }]);
  expect(writtenOperation("/sdk/exchange.js", "GET").security).toEqual([]);
});

test("every merchant endpoint that changes something names the scope its API key needs", () => {
  const unnamed = Object.values<Endpoint>(ENDPOINTS).filter(
    ({ caller, method, keyScope }) =>
      caller === "merchant" && method !== "GET" && keyScope === undefined,
  );
  expect(unnamed.map(({ operationId }) => operationId)).toEqual([]);
  expect(writtenOperation("/orders/{orderId}/refunds", "POST").description).toContain(
    "The API key needs the scope `refunds.write`.",
  );
});

test("sandbox endpoints are not in the document of prod", () => {
  const { paths, tags } = buildOpenApiDocument({
    publicUrl: "https://pay.example.org",
    environment: "prod",
    takesCards: false,
  });
  expect(document.paths).toHaveProperty(["/sandbox/clock"]);
  expect(paths).not.toHaveProperty(["/sandbox/clock"]);
  expect(tags.map(({ name }) => name)).not.toContain("Sandbox");
});

test("every reference leads somewhere", () => {
  const references = new Set(referencesIn(document));
  expect(references.size).toBeGreaterThan(30);
  for (const reference of references) {
    const found = reference
      .split("/")
      .slice(1)
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document);
    expect(found, reference).toBeTypeOf("object");
  }
});

test("equal schemas keep their own names, and an optional one its name", () => {
  const Left = named("Left", Type.String());
  const Right = named("Right", Type.String());
  const book = makeSchemaBook();
  expect(book.refer(Type.Object({ left: Left, right: Type.Optional(Right) }))).toMatchObject({
    properties: {
      left: { $ref: "#/components/schemas/Left" },
      right: { $ref: "#/components/schemas/Right" },
    },
  });
  expect(Object.keys(book.definitions())).toEqual(["Left", "Right"]);
});

test("two different schemas of one name are an error", () => {
  const book = makeSchemaBook();
  book.refer(named("Same", Type.String()));
  expect(() => book.refer(named("Same", Type.Number()))).toThrow(
    "Two different schemas are named Same.",
  );
});

test("every error code is shown as an example of its status", () => {
  const text = JSON.stringify(document.components.responses);
  for (const code of Object.keys(API_ERRORS)) expect(text).toContain(`"${code}"`);
});

test("all four webhooks are described", () => {
  expect(Object.keys(document.webhooks)).toEqual([
    "OrderCreated",
    "OrderFulfillment",
    "OrderUpdated",
    "OrderRefunded",
  ]);
});

/** A field or a parameter of the document, by its place. */
interface Field {
  readonly place: string;
  readonly schema: FieldSchema;
}
interface FieldSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
}

function fieldsOf(value: unknown, place: string): Field[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (["example", "examples", "x-codeSamples"].includes(key)) return [];
    if (key !== "properties") return fieldsOf(member, `${place}/${key}`);
    return Object.entries(member as Record<string, FieldSchema>).flatMap(([name, schema]) => [
      { place: `${place}.${name}`, schema },
      ...fieldsOf(schema, `${place}.${name}`),
    ]);
  });
}

/** A value that a reader cannot guess from its type: a text or a number without a list of choices. */
const needsExample = (schema: FieldSchema): boolean =>
  schema.anyOf
    ? schema.anyOf.filter(({ type }) => type !== "null").every(needsExample)
    : ["string", "number", "integer"].includes(schema.type ?? "") &&
      !(schema.enum || schema.format || "const" in schema);

/** Whether a value has the type of a field. A reference is examined where it is defined. */
function takes({ anyOf, type, pattern }: FieldSchema, value: unknown): boolean {
  if (anyOf) return anyOf.some((branch) => takes(branch, value));
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
    case "boolean":
      return typeof value === type;
    case "string":
      return typeof value === "string" && (!pattern || new RegExp(pattern, "u").test(value));
    default:
      return true;
  }
}

const described = {
  "the merchants' interface": {
    document,
    webhooks: document.webhooks,
    words: GLOSSARY,
    fieldsMin: 600,
  },
  "the console's interface": {
    document: buildAdminOpenApiDocument({ consoleUrl: "https://console.example.org" }),
    webhooks: {},
    words: ADMIN_GLOSSARY,
    fieldsMin: 1_000,
  },
};

describe.each(Object.entries(described))("in %s", (_name, { document: written, ...expected }) => {
  const fields = [
    ...fieldsOf(written.components.schemas, ""),
    ...fieldsOf(written.paths, ""),
    ...fieldsOf(expected.webhooks, ""),
  ];
  const parameters = Object.entries(written.paths).flatMap(([path, item]) =>
    Object.values(item as Record<string, { parameters?: readonly Parameter[] }>)
      .flatMap((operation) => operation.parameters ?? [])
      .map((parameter) => ({ path, ...parameter })),
  );

  test("every field is described", () => {
    expect(fields.length).toBeGreaterThan(expected.fieldsMin);
    const missing = fields.filter(({ schema }) => !schema.description).map(({ place }) => place);
    expect(missing).toEqual([]);
  });

  test("every text and number without a list of choices has an example", () => {
    const missing = fields
      .filter(({ schema }) => needsExample(schema) && !schema.examples)
      .map(({ place }) => place);
    expect(missing).toEqual([]);
  });

  test("every example is a value that its field takes", () => {
    const wrong = fields.filter(
      ({ schema }) => !(schema.examples ?? []).every((example) => takes(schema, example)),
    );
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  test("every parameter is described", () => {
    const missing = parameters.filter(({ $ref, description }) => !($ref || description));
    expect(missing.map(({ path, name }) => `${path} ${name}`)).toEqual([]);
  });

  test("every entry of the glossary describes a field, or has an example of one that its schema describes", () => {
    const texts = new Set([
      ...fields.map(({ schema }) => schema.description),
      ...parameters.map(({ description }) => description),
    ]);
    const names = new Set(fields.map(({ place }) => place.split(".").at(-1)));
    const unused = Object.entries(expected.words).filter(([key, { description, example }]) =>
      description === undefined
        ? example === undefined || !names.has(key.split(".").at(-1))
        : !texts.has(description),
    );
    expect(unused.map(([key]) => key)).toEqual([]);
  });
});

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly description?: string;
}
