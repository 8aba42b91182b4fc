import { createServer, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createKey } from "../../flows/merchants/create-key.ts";
import { revokeKey } from "../../flows/merchants/revoke-key.ts";
import { statement } from "../../storage/postgres/database.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { askRaw, type RawAnswer, requestHead } from "../../testing/raw-http.ts";
import { MERCHANT_ID } from "../../testing/world.ts";

const METHODS = "/v1/payment-methods?operationType=B&countryCode=CA";
const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";
const SCRIPT = `/v1/sdk/exchange.js?clientId=${MERCHANT_ID}&env=dev`;
const QUOTES = "/v1/exchange/quotes";
const TOKENS = "/v1/public_token/create";

const writeHead = vi.spyOn(ServerResponse.prototype, "writeHead");

const USE_UP = statement(
  "use_up_of_test",
  "update sessions set status = 'expired', order_id = 1 where session_id = $1",
);

let world: HttpWorld;
/** The same service without its front door. */
let ordinary: Server;
let quote: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const now = new Date();
  world = await makeHttpWorld({ deps: { clock: { now: () => now } } });
  await world.app.listen({ port: 0, host: "127.0.0.1" });
  ordinary = createServer((request, response) => world.app.routing(request, response));
  ordinary.keepAliveTimeout = world.app.server.keepAliveTimeout;
  await new Promise<void>((resolve) => ordinary.listen(0, "127.0.0.1", resolve));
  const { catalogue } = world.deps;
  const idOf = (reference: string) => catalogue().currencyByCodeOrReference(reference)?.id;
  quote = {
    operationType: "B",
    baseCurrencyId: idOf("eur"),
    baseAmount: 100.5,
    targetCurrencyId: idOf("eth"),
    paymentMethodId: catalogue().paymentMethods.find(({ reference }) => reference === "card")?.id,
  };
  for (const path of [METHODS, CURRENCIES, SCRIPT]) await ask(ordinary, get(path));
  await ask(ordinary, token({ sessionId: "cart-used" }));
  await world.database.query(USE_UP, ["cart-used"]);
});
afterAll(async () => {
  ordinary.close();
  ordinary.closeAllConnections();
  await world.close();
});

interface Asked extends RawAnswer {
  readonly isTaken: boolean;
}

async function ask(server: Server, request: string): Promise<Asked> {
  writeHead.mockClear();
  const answer = await askRaw(server, request);
  // Only the front door hands its headers over as a list.
  const isTaken = writeHead.mock.calls.some((call) => (call as unknown[]).some(Array.isArray));
  return { ...answer, isTaken };
}

const merchant = () => ({ host: "shop.example", ...world.shop.headers });

const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  `${requestHead(`${method} ${path} HTTP/1.1`, { ...merchant(), ...headers })}\r\n\r\n`;

const post = (body: string, headers: Readonly<Record<string, string>> = {}, path = QUOTES) => {
  const type = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
  };
  const head = requestHead(`POST ${path} HTTP/1.1`, { ...merchant(), ...type, ...headers });
  return `${head}\r\n\r\n${Buffer.from(body).toString("latin1")}`;
};

const token = (changes: Readonly<Record<string, unknown>> = {}): string =>
  post(JSON.stringify({ sessionId: "cart-1", ...changes }), {}, TOKENS);

const quoteWith = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ ...quote, ...changes });

/** What no two answers share: their id, their moment, the quote's name, the token. */
const settled = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/quo_[0-9a-f]{32}/g, "<quote>")
    .replace(/"eyJ[\w-]+\.[\w-]+\.[\w-]{43}"/g, "<token>")
    .replace(/"expiresAt":\d+/, "expiresAt")
    .replace(/^Date: .*$/m, "Date")
    .replace(/^(ratelimit-re\w+|retry-after): \d+$/gm, "$1");

const remaining = ({ head }: Asked): number =>
  Number(/^ratelimit-remaining: (\d+)/m.exec(head)?.[1] ?? Number.NaN);

/** Asks both and compares every byte; gives whether the front door took it. */
async function compare(request: string): Promise<boolean> {
  const front = await ask(world.app.server, request);
  const other = await ask(ordinary, request);
  expect(other.isTaken).toBe(false);
  expect(settled(front.head)).toBe(settled(other.head));
  expect(settled(front.body)).toBe(settled(other.body));
  // Both were counted, once each.
  if (!Number.isNaN(remaining(front))) expect(remaining(other)).toBe(remaining(front) - 1);
  return front.isTaken;
}

describe("the front door takes", () => {
  test.each([
    ["the payment methods", () => get(METHODS)],
    ["the currencies", () => get(CURRENCIES)],
    ["a read of a client that closes", () => get(METHODS, { connection: "close" })],
    ["a read by HTTP/1.0", () => get(METHODS).replace("HTTP/1.1", "HTTP/1.0")],
    [
      "a read with headers that change nothing",
      () =>
        get(METHODS, {
          accept: "*/*",
          "if-none-match": "*",
          "accept-encoding": "gzip",
          origin: "https://shop.example",
        }),
    ],
    ["the script", () => get(SCRIPT)],
    ["the script, gzip", () => get(SCRIPT, { "accept-encoding": "gzip, deflate" })],
    ["the script, brotli", () => get(SCRIPT, { "accept-encoding": "gzip, deflate, br" })],
    ["the script as it is", () => get(SCRIPT, { "accept-encoding": "br;q=0, identity" })],
    ["a quote", () => post(quoteWith())],
    [
      "a quote with its character set",
      () => post(quoteWith(), { "content-type": "application/json; charset=utf-8" }),
    ],
    ["a quote with white space", () => post(JSON.stringify(quote, null, 4))],
    ["a token", () => token()],
    [
      "a token with all that may be asked for",
      () =>
        token({
          scope: ["merchant.read", "order.create"],
          expiresIn: 600,
          lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 100.5 },
          customer: { reference: "c-1", email: "ada@shop.example", countryCode: "ca" },
          returnUrl: "https://shop.example/back",
          locale: "fr-CA",
          metadata: { 'cart "7"': "två ½" },
        }),
    ],
  ])("%s, and answers to the byte what the ordinary path does", async (_name, request) => {
    expect(await compare(request())).toBe(true);
  });

  test.each([
    ["no JSON", () => "{"],
    ["a list", () => "[]"],
    ["white space", () => "   "],
    ["bytes that are not UTF-8", () => '{"a":"\u00ff"}'],
    ["a key twice", () => quoteWith().replace("{", '{"baseAmount":1,')],
    ["__proto__", () => quoteWith().replace("{", '{"__proto__":{},')],
    [
      "half of a surrogate pair",
      () => quoteWith({ note: 1 }).replace('"note":1', '"note":"\\ud800"'),
    ],
    [
      "a number of too many digits",
      () => quoteWith({ baseAmount: 1 }).replace(":1,", ":1.123456789,"),
    ],
    ["1e400", () => quoteWith({ baseAmount: 1 }).replace(":1,", ":1e400,")],
    [
      "33 levels",
      () => quoteWith({ x: 1 }).replace('"x":1', `"x":${"[".repeat(32)}${"]".repeat(32)}`),
    ],
    ["an unknown member", () => quoteWith({ unknown: true })],
    ["a missing member", () => quoteWith({ operationType: undefined })],
    ["an unknown operation", () => quoteWith({ operationType: "X" })],
    ["text for an amount", () => quoteWith({ baseAmount: "100" })],
    ["an unknown currency", () => quoteWith({ targetCurrencyId: 99_999 })],
    ["too small an amount", () => quoteWith({ baseAmount: 0.01 })],
    ["too large an amount", () => quoteWith({ baseAmount: 99_999_999 })],
    ["too many decimals", () => quoteWith({ baseAmount: 100.123 })],
    ["an unknown delivery method", () => quoteWith({ deliveryMethodId: 99_999 })],
  ])("a body with %s, and refuses it as the ordinary path does", async (_name, body) => {
    expect(await compare(post(body()))).toBe(true);
  });

  test.each([
    ["no JSON", () => post("{", {}, TOKENS)],
    ["no session", () => token({ sessionId: undefined })],
    ["a bad session", () => token({ sessionId: "a b" })],
    ["an unknown scope", () => token({ scope: ["admin"] })],
    ["a lifetime of text", () => token({ expiresIn: "60" })],
    ["a lock that no order could meet", () => token({ lock: { baseCurrency: "XXQ" } })],
    ["an unknown country", () => token({ customer: { countryCode: "XX" } })],
    ["a return address that is none", () => token({ returnUrl: "https://" })],
    ["a session that has its order", () => token({ sessionId: "cart-used" })],
  ])("a token with %s, and refuses it as the ordinary path does", async (_name, request) => {
    expect(await compare(request())).toBe(true);
  });

  test("a quote whose body comes in pieces", async () => {
    const { port } = world.app.server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const request = post(quoteWith(), { connection: "close" });
    const answered = (async () => {
      let text = "";
      for await (const chunk of socket) text += String(chunk);
      return text;
    })();
    for (const at of [0, 40, request.length - 30, request.length - 1]) {
      const next = [40, request.length - 30, request.length - 1, request.length].find(
        (end) => end > at,
      );
      socket.write(request.slice(at, next));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await answered).toMatch(/^HTTP\/1\.1 200 OK[^]*"quoteId":"quo_/);
  });
});

describe("the front door leaves", () => {
  const nobody = { "x-api-key": "exk_dev_nobody" };
  test.each([
    ["a read with a wrong key", () => get(METHODS, nobody)],
    ["a read without a client id", () => get(METHODS).replace(/x-client-id: \S+\r\n/, "")],
    ["a read with its key twice", () => get(METHODS, { "X-Api-Key": world.shop.apiKey })],
    ["a read with a body", () => `${get(METHODS, { "content-length": "2" })}{}`],
    ["HEAD", () => get(METHODS, {}, "HEAD")],
    ["another method", () => get(METHODS, {}, "DELETE")],
    ["an address not asked before", () => get(`${METHODS}&x=1&x=2`)],
    ["the script of one who has it", () => get(SCRIPT, { "if-none-match": "*" })],
    ["HEAD of the script", () => get(SCRIPT, {}, "HEAD")],
    ["a wrong parameter of the script", () => get(`${SCRIPT}&env=dev`)],
    ["a quote with a wrong key", () => post(quoteWith(), nobody)],
    ["a token with a wrong key", () => post('{"sessionId":"cart-1"}', nobody, TOKENS)],
    ["a token of another content type", () => token().replace("application/json", "text/plain")],
    ["a quote with a wrong key and no JSON", () => post("{", nobody)],
    ["a quote of another content type", () => post(quoteWith(), { "content-type": "text/plain" })],
    ["a quote without a body", () => post("")],
    ["a body over 64 kB", () => post(quoteWith({ filler: "x".repeat(70_000) }))],
    ["a quote with a query", () => post(quoteWith(), {}, `${QUOTES}?x=1`)],
    ["a body in chunks", () => chunked(quoteWith())],
    ["a POST elsewhere", () => post("{}", {}, METHODS)],
  ])("%s to the ordinary path", async (_name, request) => {
    expect(await compare(request())).toBe(false);
  });

  const chunked = (body: string): string =>
    `${requestHead(`POST ${QUOTES} HTTP/1.1`, { ...merchant(), "content-type": "application/json", "transfer-encoding": "chunked" })}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  test.each([
    ["a quote", () => quoteWith(), QUOTES],
    ["a token", () => '{"sessionId":"cart-keyed"}', TOKENS],
  ])("%s with an Idempotency-Key, which is answered twice alike", async (_name, body, path) => {
    const request = post(body(), { "idempotency-key": `front-door ${path}` }, path);
    const first = await ask(world.app.server, request);
    const second = await ask(world.app.server, request);
    expect([first.isTaken, second.isTaken]).toEqual([false, false]);
    expect(second.body).toBe(first.body);
    expect(second.head).toContain("idempotent-replayed: true");
  });
});

test("a revoked key is let in no longer, and another merchant never sees the answer of the first", async () => {
  const key = await createKey(world.deps, world.shop.clientId);
  const other = await world.addShop();
  const withKey = (apiKey: string) => get(METHODS, { "x-api-key": apiKey });
  await ask(ordinary, get(METHODS));
  expect((await ask(world.app.server, withKey(key.apiKey))).isTaken).toBe(true);
  const mixed = await ask(world.app.server, withKey(other.apiKey));
  expect([mixed.head.slice(9, 12), mixed.isTaken]).toEqual(["401", false]);
  await revokeKey(world.deps, { merchantId: world.shop.clientId, id: key.keyId });
  await world.refresh();
  expect((await ask(world.app.server, withKey(key.apiKey))).head.slice(9, 12)).toBe("401");
});

test("where the front door itself fails, the ordinary path answers", async () => {
  await ask(ordinary, get(METHODS));
  writeHead.mockImplementationOnce(() => {
    throw new Error("planted");
  });
  const { head } = await ask(world.app.server, get(METHODS));
  expect(head.slice(9, 12)).toBe("200");
});

test("where the answer of a token cannot be sent, its connection ends and the service goes on", async () => {
  writeHead.mockImplementationOnce(() => {
    throw new Error("planted");
  });
  const { port } = world.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.write(token(), "latin1");
  await new Promise((resolve) => socket.resume().on("close", resolve));
  expect((await ask(world.app.server, token())).head.slice(9, 12)).toBe("201");
});

test("one too many is refused as the ordinary path refuses it", async () => {
  const limits = {
    readsPerMinute: 2,
    quotesPerMinute: 1,
    tokensPerMinute: 1,
    anonymousCallsPerMinute: 2,
  };
  const strict = await makeHttpWorld({ rateLimits: limits });
  await strict.app.listen({ port: 0, host: "127.0.0.1" });
  const headers = { host: "shop.example", ...strict.shop.headers };
  const statusOf = async (request: string) => {
    const { head, isTaken } = await ask(strict.app.server, request);
    return [head.slice(9, 12), isTaken, /^retry-after: \d+/m.test(head)];
  };
  for (const request of [get(METHODS, headers), get(SCRIPT, headers)]) {
    expect(await statusOf(request)).toEqual(["200", false, false]);
    expect(await statusOf(request)).toEqual(["200", true, false]);
    expect(await statusOf(request)).toEqual(["429", false, true]);
  }
  expect(await statusOf(post(quoteWith(), headers))).toEqual(["200", true, false]);
  expect(await statusOf(post(quoteWith(), headers))).toEqual(["429", false, true]);
  const asked = post('{"sessionId":"cart-1"}', headers, TOKENS);
  expect(await statusOf(asked)).toEqual(["201", true, false]);
  expect(await statusOf(asked)).toEqual(["429", false, true]);
  await strict.close();
});
