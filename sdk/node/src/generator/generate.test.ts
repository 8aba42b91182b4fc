import { readFileSync } from "node:fs";
import path from "node:path";
import { API_ERRORS, ENDPOINTS, type Endpoint, WEBHOOK_EVENT_TYPES } from "@exchange/contract";
import { expect, test } from "vitest";
import type { ClientErrorCode } from "../errors.ts";
import { createExchange } from "../exchange.ts";
import { OPERATIONS } from "../generated/operations.ts";
import { ok, page, startScriptedServer } from "../testing/scripted-server.ts";
import { type MerchantCall, merchantCalls } from "./document.ts";
import { exactNames } from "./exact-names.ts";
import { generate, ROOT } from "./generate.ts";
import { nameMethods } from "./names.ts";
import { type Schema, typeOf } from "./schema-types.ts";

const MERCHANT_ENDPOINTS = Object.values<Endpoint>(ENDPOINTS).filter(
  ({ caller }) => caller === "merchant",
);

const named = (operationId: string, path: string) => ({ operationId, path }) as Endpoint;

test("the generated files match the contract: else run `npm run generate -w @exchange/node`", () => {
  const generated = generate();
  const committed = Object.keys(generated).map((file) => [
    file,
    readFileSync(path.join(ROOT, file), "utf8"),
  ]);
  expect(committed.length).toBeGreaterThan(20);
  expect(Object.fromEntries(committed)).toEqual(generated);
});

test("the Python and PHP libraries have the version of this one, in their requests too", () => {
  const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
  const { version } = JSON.parse(read("sdk/node/package.json")) as { version: string };
  expect(read("sdk/python/pyproject.toml")).toContain(`\nversion = "${version}"\n`);
  expect(read("sdk/python/src/exchange_client/calls.py")).toContain(`"exchange-python/${version}"`);
  expect(read("sdk/php/src/Caller.php")).toContain(`'user-agent: exchange-php/${version}'`);
});

const calling = (body: Schema): MerchantCall =>
  ({ endpoint: named("readThing", "/things"), body }) as MerchantCall;
const members = (properties: Record<string, Schema>): Schema => ({ type: "object", properties });

test.each<[string, Schema]>([
  [
    "an amount that is a count elsewhere",
    members({ fee: { type: "integer" }, order: members({ fee: { type: "number" } }) }),
  ],
  ["a list of amounts", members({ fees: { type: "array", items: { type: "number" } } })],
])("%s is an error of the generator, not a float in a client", (_what, body) => {
  expect(() => exactNames([calling(body)])).toThrow(/in the contract|do not read/);
});

test("every merchant endpoint of the contract has one method, and every method an endpoint", () => {
  const operations = Object.values(OPERATIONS).flatMap((methods) => Object.values(methods));
  const asText = ({ method, path }: { readonly method: string; readonly path: string }) =>
    `${method} ${path}`;
  expect(operations.map(asText).sort()).toEqual(MERCHANT_ENDPOINTS.map(asText).sort());
  expect(operations.length).toBeGreaterThan(15);
});

test("every method makes the request its endpoint wants", async () => {
  const server = await startScriptedServer();
  const exchange = createExchange({ baseUrl: server.url, apiKey: "key", clientId: "client" });
  const names = nameMethods(MERCHANT_ENDPOINTS);
  for (const { endpoint, params, query, body, cursor } of merchantCalls()) {
    server.answer(cursor === undefined ? ok({}) : page([], null));
    const name = names.get(endpoint.operationId);
    const resource = exchange[name?.resource as keyof typeof exchange];
    const method = resource[name?.method as never] as (...given: unknown[]) => unknown;
    const given = [
      ...params.map((_, at) => `p${at}`),
      ...((body ?? query) ? [{ member: "m" }] : []),
    ];
    const answer = await method(...given);
    if (cursor !== undefined) await (answer as { firstPage(): Promise<unknown> }).firstPage();
    let at = 0;
    const filled = endpoint.path.replace(/\{\w+\}/g, () => `p${at++}`);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: endpoint.method,
      target: `/v1${filled}${query ? "?member=m" : ""}`,
      body: body ? '{"member":"m"}' : "",
    });
    const isKeyed = server.seen[0]?.headers["idempotency-key"] !== undefined;
    expect(isKeyed).toBe(endpoint.method === "POST");
  }
  await server.close();
});

test.each(["docs/reference/agents.md", "docs/guides/use-the-node-library.md"])(
  "every code, event and reason in %s is one of the contract's or the library's",
  (page) => {
    const text = readFileSync(path.join(ROOT, page), "utf8");
    const codes = [...text.matchAll(/[`"]((?!EXCHANGE_)[A-Z]+_[A-Z_]+)[`"]/g)].map(
      ([, code = ""]) => code,
    );
    const events = [...text.matchAll(/[`"](Order[A-Z]\w+)[`"]/g)].map(([, event = ""]) => event);
    const local: readonly ClientErrorCode[] = ["TIMEOUT", "CONNECTION_FAILED", "UNEXPECTED_ANSWER"];
    const vocabulary: readonly string[] = [
      ...Object.keys(API_ERRORS),
      ...local,
      ...WEBHOOK_EVENT_TYPES,
    ];
    expect(codes.length).toBeGreaterThan(0);
    expect([...codes, ...events].filter((word) => !vocabulary.includes(word))).toEqual([]);
  },
);

test.each([
  ["listThings", "/things", "things.list"],
  ["readThing", "/things/{thingId}", "things.read"],
  ["createBlueThing", "/blue_things", "blueThings.create"],
  ["listCurrencies", "/exchange/currencies", "currencies.list"],
  ["cancelOrderByMerchant", "/orders/{orderId}/cancel", "orders.cancel"],
  ["advanceSandboxOrder", "/sandbox/orders/{orderId}/advance", "sandbox.advanceOrder"],
  ["lookUpWallet", "/wallets/lookup", "wallets.lookUp"],
  ["exportLedger", "/reports", "reports.exportLedger"],
])("%s at %s is %s", (operationId, path, expected) => {
  const name = nameMethods([named(operationId, path)]).get(operationId);
  expect(`${name?.resource}.${name?.method}`).toBe(expected);
});

test("two operations that come to the same method both have one", () => {
  const names = nameMethods([
    named("replayThing", "/things/{thingId}/replay"),
    named("replayThings", "/things/replay"),
  ]);
  expect([...names.values()].map(({ method }) => method)).toEqual(["replay", "replayThings"]);
});

test("a schema the generator does not know is an error, not a silent unknown", () => {
  expect(() => typeOf({ type: "tuple" })).toThrow("tuple");
  expect(() => typeOf({ type: "object", properties: { a: {} } })).toThrow("does not know");
});
