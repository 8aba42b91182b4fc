import { readFileSync } from "node:fs";
import { Script } from "node:vm";
import { buildOpenApiDocument, ENDPOINTS, type Endpoint } from "@exchange/contract";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { type Entry, listEntries, resolve } from "./document.ts";
import { LIBRARY_METHODS } from "./library-methods.ts";
import { codeSamples } from "./samples.ts";

const OPERATIONS = new URL("../../../../../sdk/node/src/generated/operations.ts", import.meta.url);
const document = buildOpenApiDocument({
  publicUrl: "http://localhost:8080",
  environment: "dev",
  takesCards: true,
});
const entries = listEntries(document).filter(({ isWebhook }) => !isWebhook);

const sourceOf = (entry: Entry, label: string): string => {
  const sample = codeSamples(document, entry).find((one) => one.label === label);
  if (!sample) throw new Error(`no sample in ${label}`);
  return sample.source;
};
const entryOf = (operationId: string): Entry => {
  const entry = entries.find(({ operation }) => operation.operationId === operationId);
  if (!entry) throw new Error(`no operation ${operationId}`);
  return entry;
};

test("every operation has a sample in four languages", () => {
  expect(entries.length).toBeGreaterThan(30);
  for (const entry of entries) {
    expect(codeSamples(document, entry).map(({ label }) => label)).toEqual([
      "curl",
      "Node",
      "Python",
      "PHP",
    ]);
  }
});

test("samples send every required parameter, and every body", () => {
  for (const entry of entries) {
    const { parameters = [], requestBody } = entry.operation;
    const missing = parameters
      .map((one) => resolve(document, one))
      .filter(({ required, example }) => required && example === undefined)
      .map(({ name }) => name);
    const body = requestBody?.content["application/json"];
    if (body && body.example === undefined) missing.push("the body");
    expect([entry.operation.operationId, missing]).toEqual([entry.operation.operationId, []]);
  }
});

test("the body of every sample is one that its endpoint takes", () => {
  const ajv = new Ajv({ strict: false });
  for (const { operationId, body } of Object.values<Endpoint>(ENDPOINTS)) {
    const example =
      entryOf(operationId).operation.requestBody?.content["application/json"]?.example;
    const isValid = body === undefined || ajv.compile(body)(example);
    expect([operationId, isValid]).toEqual([operationId, true]);
  }
});

test("the key of a demo is read from its file, and is in no sample", () => {
  const demo = { clientId: "client_dev_demo", keyFile: "/srv/my data/demo-merchant.key" };
  const curl = codeSamples(document, entryOf("readOrder"), demo)[0]?.source;
  expect(curl).toContain(`-H "x-api-key: $(cat '/srv/my data/demo-merchant.key')"`);
});

test("a demo's own client id is shown, and no other credential", () => {
  const merchant = { clientId: "client_dev_demo" };
  const samples = codeSamples(document, entryOf("readOrder"), merchant);
  for (const { source } of samples) {
    expect(source).toContain("client_dev_demo");
    expect(source).not.toContain("CLIENT_ID");
    expect(source).toContain("API_KEY");
  }
});

test("an amount is text where a library takes text, and a list is followed", () => {
  const refund = (label: string) => sourceOf(entryOf("refundOrder"), label);
  expect(refund("Python")).toContain('"amount": "12.5"');
  expect(refund("PHP")).toContain("'amount' => '12.5'");
  expect(refund("Node")).toContain('"amount": 12.5');
  const list = (label: string) => sourceOf(entryOf("listOrders"), label);
  expect(list("Node")).toContain("for await (const item of exchange.orders.list(");
  expect(list("Python")).toContain("for item in exchange.orders.list(");
  expect(list("PHP")).toContain("foreach ($exchange->orders->list(");
});

test("Node samples call the methods that the library has", () => {
  const text = readFileSync(OPERATIONS, "utf8");
  const ids = [...text.matchAll(/\bid: "(\w+)"/g)].map(([, id]) => id);
  expect(new Set(Object.keys(LIBRARY_METHODS))).toEqual(new Set(ids));
  for (const [id, name] of Object.entries(LIBRARY_METHODS)) {
    const [resource, method] = name.split(".");
    expect(text).toMatch(
      new RegExp(`^  ${resource}: \\{$[^]*?\\b${method}: \\{\\s+id: "${id}"`, "m"),
    );
  }
  expect(sourceOf(entryOf("readOrder"), "Node")).toContain("exchange.orders.read(");
  expect(sourceOf(entryOf("readCheckoutSession"), "Node")).toContain("Bearer ${process.env");
});

test("Node samples are programs", () => {
  for (const entry of entries) {
    const body = sourceOf(entry, "Node").replace(/^import .*$/m, "");
    expect(() => new Script(`async () => {\n${body}\n};`)).not.toThrow();
  }
});

test("samples hold credentials by the names of variables only", () => {
  for (const entry of entries) {
    const [security = {}] = entry.operation.security;
    for (const { source } of codeSamples(document, entry)) {
      expect(source).toContain("http://localhost:8080/v1");
      if ("apiKey" in security) expect(source).toContain("API_KEY");
      if ("publicToken" in security) expect(source).toContain("ACCESS_TOKEN");
    }
  }
});

test("the literals of a body fit the language", () => {
  const entry = entryOf("createQuote");
  const media = {
    schema: {},
    example: { on: true, off: false, none: null, list: [1.5, "it's"], empty: {} },
  };
  const operation = { ...entry.operation, requestBody: { content: { "application/json": media } } };
  const changed = { ...entry, operation };
  const python = sourceOf(changed, "Python");
  for (const text of ['"on": True,', '"off": False,', '"none": None,', '"empty": {},']) {
    expect(python).toContain(text);
  }
  expect(sourceOf(changed, "PHP")).toContain("it\\'s");
  expect(sourceOf(changed, "curl")).toContain("it'\\''s");
});
