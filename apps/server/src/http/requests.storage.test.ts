import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorReply, type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const send = (
  url: string,
  payload: string | Buffer,
  headers: Record<string, string> = { "content-type": "application/json" },
) =>
  world.call<ErrorReply>({
    method: "POST",
    url,
    headers: { ...world.shop.headers, ...headers },
    payload,
  });

const read = (url: string) => world.call<ErrorReply>({ url, headers: world.shop.headers });

const TOKEN = "/v1/public_token/create";
const QUOTE = "/v1/exchange/quotes";
const tooLarge = JSON.stringify({ sessionId: "a", filler: "x".repeat(70_000) });

test.each([
  "4242424242424242",
  "4242 4242 4242 4242",
  "x4242-4242-4242-4242",
  "4242.4242_4242  4242",
  "４２４２４２４２４２４２４２４２",
])("a member that is named %s is refused without its name", async (name) => {
  const body = { sessionId: "a", lock: { [name]: "1" } };
  const reply = await send(TOKEN, JSON.stringify(body));
  expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  expect(reply.body.details?.[0]?.path).toContain("(digits)");
  const digitsOf = (text: string) => text.normalize("NFKC").replaceAll(/[ ._-]/g, "");
  expect(digitsOf(reply.text)).not.toContain("42424242");
  const twice = await send(TOKEN, `{"${name}":1,"${name}":2}`);
  expect(digitsOf(twice.text)).not.toContain("42424242");
});

describe("bodies", () => {
  test.each([
    ["nothing", ""],
    ["half an object", '{"sessionId":'],
    ["a list", "[]"],
    ["a key twice", '{"sessionId":"a","sessionId":"b"}'],
    ["__proto__", '{"sessionId":"a","__proto__":{}}'],
    ["1e400", '{"sessionId":"a","expiresIn":1e400}'],
    ["33 levels", `{"sessionId":"a","x":${"[".repeat(32)}${"]".repeat(32)}}`],
  ])("%s is INVALID_INPUT", async (_name, payload) => {
    const reply = await send(TOKEN, payload);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.details?.[0]?.path).toMatch(/^body/);
  });

  test("malformed JSON says so", async () => {
    const reply = await send(TOKEN, "{");
    expect(reply.body.message).toContain("Invalid JSON in the request body");
  });

  test("no body and no content type is a missing body", async () => {
    const reply = await world.call<ErrorReply>({
      method: "POST",
      url: TOKEN,
      headers: world.shop.headers,
    });
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.message).toContain("body is empty");
  });

  test("an amount that is text is refused", async () => {
    const reply = await send(QUOTE, quoteText({ baseAmount: "100" }));
    expect(reply.body).toMatchObject({
      code: "INVALID_INPUT",
      details: [{ path: "body.baseAmount", issue: "must be a number" }],
    });
  });

  test.each([-1, 0])("an amount of %s is refused", async (baseAmount) => {
    const reply = await send(QUOTE, quoteText({ baseAmount }));
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  });

  test("every fault is named", async () => {
    const reply = await send(QUOTE, '{"baseAmount":true}');
    expect(reply.body.details?.map(({ path }) => path).sort()).toEqual([
      "body.baseAmount",
      "body.baseCurrencyId",
      "body.operationType",
      "body.paymentMethodId",
      "body.targetCurrencyId",
    ]);
  });
});

const quoteText = (changes: Record<string, unknown>): string =>
  JSON.stringify({
    operationType: "B",
    baseCurrencyId: 1,
    baseAmount: 100,
    targetCurrencyId: 2,
    paymentMethodId: 1,
    ...changes,
  });

describe("richer statuses are folded into 400 where only few are documented", () => {
  test("a body over 64 kB", async () => {
    const token = await send(TOKEN, tooLarge);
    expect([token.status, token.body.code]).toEqual([400, "PAYLOAD_TOO_LARGE"]);
    const quote = await send(QUOTE, tooLarge);
    expect([quote.status, quote.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  test("a body far over the limit", async () => {
    const reply = await send(QUOTE, "x".repeat(2_000_000));
    expect([reply.status, reply.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  test.each([["text/plain"], ["application/x-www-form-urlencoded"], ["application/jsonp"], ["x"]])(
    "the content type %s",
    async (type) => {
      const headers = { "content-type": type };
      const token = await send(TOKEN, "{}", headers);
      expect([token.status, token.body.code]).toEqual([400, "UNSUPPORTED_MEDIA_TYPE"]);
      const quote = await send(QUOTE, "{}", headers);
      expect([quote.status, quote.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    },
  );

  test("a compressed body is refused with what to send instead", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const packed = gzipSync('{"sessionId":"packed"}');
    const token = await send(TOKEN, packed, headers);
    expect([token.status, token.body.code]).toEqual([400, "UNSUPPORTED_MEDIA_TYPE"]);
    expect(token.body.message).toContain(
      "Send it uncompressed, without the header Content-Encoding.",
    );
    const quote = await send(QUOTE, packed, headers);
    expect([quote.status, quote.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    expect(quote.body.details).toEqual([
      { path: "headers.content-encoding", issue: "must be absent" },
    ]);
    const plain = { "content-type": "application/json", "content-encoding": "identity" };
    expect((await send(TOKEN, '{"sessionId":"identity"}', plain)).status).toBe(201);
  });

  test("a content type with a character set is taken", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect((await send(TOKEN, '{"sessionId":"charset"}', headers)).status).toBe(201);
  });
});

describe("queries", () => {
  const METHODS = "/v1/payment-methods";
  test.each([
    ["nothing", "", "INVALID_INPUT"],
    ["no country", "?operationType=B", "INVALID_INPUT"],
    ["an unknown operation", "?operationType=X&countryCode=CA", "INVALID_OPERATION_TYPE"],
    ["an unknown country", "?operationType=B&countryCode=ZZ", "INVALID_COUNTRY"],
    ["a country's name", "?operationType=B&countryCode=Canada", "INVALID_COUNTRY"],
    ["an empty country", "?operationType=B&countryCode=", "INVALID_COUNTRY"],
    ["two operations", "?operationType=B&operationType=S&countryCode=CA", "INVALID_INPUT"],
    ["an unknown parameter twice", "?operationType=B&countryCode=CA&x=1&x=2", "INVALID_INPUT"],
    ["maybe", "?operationType=B&countryCode=CA&includeDeliveryMethods=maybe", "INVALID_INPUT"],
    ["U+0000", "?operationType=B&countryCode=CA&x=%00", "INVALID_INPUT"],
    ["__proto__", "?operationType=B&countryCode=CA&__proto__=x", "INVALID_INPUT"],
  ])("%s is refused", async (_name, query, code) => {
    const reply = await read(METHODS + query);
    expect([reply.status, reply.body.code]).toEqual([400, code]);
  });

  test("a country code may be in either letter case", async () => {
    const upper = await read(`${METHODS}?operationType=B&countryCode=CA`);
    const lower = await read(`${METHODS}?operationType=B&countryCode=ca`);
    expect(upper.status).toBe(200);
    expect(lower.text).toBe(upper.text);
  });
});

describe("addresses", () => {
  test.each([["/v1/nothing"], ["/nothing"], ["/v1/payment-methods/"], ["/V1/payment-methods"]])(
    "%s is not found",
    async (url) => {
      const reply = await read(url);
      expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
    },
  );

  test.each([
    ["GET", TOKEN, "POST"],
    ["DELETE", "/v1/payment-methods", "GET, HEAD"],
    ["POST", "/v1/exchange/currencies", "GET, HEAD"],
    ["PUT", "/v1/checkout/orders/1", "GET, HEAD"],
    ["OPTIONS", QUOTE, "POST"],
    ["POST", "/v1/sdk/exchange.js", "GET, HEAD"],
  ] as const)("%s %s names the method to use", async (method, url, allow) => {
    const reply = await world.call<ErrorReply>({ method, url });
    expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
    expect(reply.headers["allow"]).toBe(allow);
    expect(reply.body.message).toContain(allow.split(",")[0]);
  });

  test("broken percent-encoding in a path is refused with our body", async () => {
    for (const part of ["%E0%A4%A", "%zz", "%ff"]) {
      const reply = await read(`/v1/orders/${part}`);
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({ code: "INVALID_INPUT", requestId: expect.any(String) });
      expect(reply.body.message).toContain("Encode each part of it as UTF-8, such as %25");
    }
  });

  test("a part of a path that is too long for any id is refused with that reason", async () => {
    const reply = await read(`/v1/sessions/${"x".repeat(600)}`);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.message).toContain("is too long");
  });

  test.each([["abc"], ["1.5"], ["-1"], ["0"], ["1e3"], ["0x10"], ["9007199254740993"]])(
    "the order id %s is refused",
    async (orderId) => {
      const reply = await read(`/v1/orders/${orderId}`);
      expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    },
  );

  test("HEAD answers like GET, without the body", async () => {
    const reply = await world.call({
      method: "HEAD",
      url: "/v1/payment-methods?operationType=B&countryCode=CA",
      headers: world.shop.headers,
    });
    expect([reply.status, reply.text]).toEqual([200, ""]);
  });
});

describe("every answer", () => {
  test("has a request id of ours, in the header and in errors", async () => {
    const reply = await world.call<ErrorReply>({
      url: "/v1/nothing",
      headers: { "x-request-id": "chosen-by-a-client" },
    });
    expect(reply.headers["x-request-id"]).toMatch(UUID);
    expect(reply.body.requestId).toBe(reply.headers["x-request-id"]);
  });

  test("is not stored, not sniffed and not framed", async () => {
    const { headers } = await read("/v1/payment-methods?operationType=B&countryCode=CA");
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    });
    expect(headers["server"]).toBeUndefined();
  });

  test("tells nothing of what broke inside", async () => {
    const broken = await makeHttpWorld({
      deps: {
        tokens: {
          sign: () =>
            Promise.reject(new Error('relation "sessions" does not exist at /srv/app.js:1')),
          verify: async () => ({ ok: false, reason: "invalid" }),
        },
      },
    });
    const reply = await broken.call<ErrorReply>({
      method: "POST",
      url: TOKEN,
      headers: broken.shop.headers,
      payload: { sessionId: "broken" },
    });
    expect(reply.status).toBe(500);
    expect(Object.keys(reply.body).sort()).toEqual(["code", "message", "requestId"]);
    expect(reply.text).not.toMatch(/relation|srv|Error:/);
    await broken.close();
  });
});
