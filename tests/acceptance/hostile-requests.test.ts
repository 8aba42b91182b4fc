import { beforeAll, describe, expect, inject, test } from "vitest";
import { type Call, call, type ErrorAnswer } from "../support/http/api.ts";
import {
  createMerchant,
  type Merchant,
  merchantCall,
  newSessionId,
} from "../support/orders/merchant.ts";

const service = inject("service");
const CREATE_TOKEN = "/v1/public_token/create";
const QUOTES = "/v1/exchange/quotes";
const QUERY = "operationType=B&countryCode=CA";

let merchant: Merchant;
beforeAll(async () => {
  merchant = await createMerchant(service);
});

const send = (request: Call) => merchantCall<ErrorAnswer>(service, merchant, request);
const post = (path: string, rawBody: string, headers: Record<string, string> = {}) =>
  send({ method: "POST", path, rawBody, headers });

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const withDeepValue = (depth: number): string =>
  `{"sessionId":"${newSessionId()}","metadata":${nested(depth)}}`;

describe.each([CREATE_TOKEN, QUOTES])("POST %s", (path) => {
  test.each([
    ["cut off", "{"],
    ["a single quote", "{'sessionId':'a'}"],
    ["a trailing comma", '{"sessionId":"a",}'],
    ["two values", "{} {}"],
    ["not a number", '{"sessionId":NaN}'],
    ["a control character", '{"sessionId":"a\u0001"}'],
    ["an empty body", ""],
    ["an array", "[]"],
    ["a string", '"sessionId"'],
    ["null", "null"],
    ["a name twice", '{"sessionId":"a","sessionId":"b"}'],
    ["a constructor with a prototype", '{"sessionId":"a","constructor":{"prototype":{"x":1}}}'],
    ["__proto__", '{"sessionId":"a","__proto__":{"polluted":true}}'],
    ["__proto__ deeper", '{"sessionId":"a","metadata":{"__proto__":{"polluted":true}}}'],
  ])("%s is INVALID_INPUT", async (_title, body) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "INVALID_INPUT", message: expect.any(String) });
  });

  test("JSON nested 33 deep is INVALID_INPUT", async () => {
    const answer = await post(path, withDeepValue(33));
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("INVALID_INPUT");
  });

  test("a body nested thirty thousand deep is refused, not a crash", async () => {
    const answer = await post(path, nested(30_000));
    expect(answer.status).toBe(400);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });
});

test("the parser's prototype stays clean", async () => {
  await post(CREATE_TOKEN, '{"sessionId":"a","__proto__":{"sessionId":"b"}}');
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

describe("sizes and content types", () => {
  const tooLarge = JSON.stringify({ sessionId: "a", filler: "x".repeat(70_000) });

  test("a body over 64 kB is 413 on quotes and folded into 400 on token creation", async () => {
    const [quote, token] = [await post(QUOTES, tooLarge), await post(CREATE_TOKEN, tooLarge)];
    expect([quote.status, quote.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
    expect([token.status, token.body.code]).toEqual([400, "PAYLOAD_TOO_LARGE"]);
  });

  test.each(["text/plain", "application/xml", "application/x-www-form-urlencoded"])(
    "a body of %s is 415 on quotes and folded into 400 on token creation",
    async (type) => {
      const headers = { "content-type": type };
      const [quote, token] = [
        await post(QUOTES, "{}", headers),
        await post(CREATE_TOKEN, "{}", headers),
      ];
      expect([quote.status, quote.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
      expect([token.status, token.body.code]).toEqual([400, "UNSUPPORTED_MEDIA_TYPE"]);
    },
  );

  test("application/json with a charset is JSON", async () => {
    const body = JSON.stringify({ sessionId: newSessionId() });
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect((await post(CREATE_TOKEN, body, headers)).status).toBe(201);
  });
});

describe("addresses", () => {
  test.each([
    ["GET", CREATE_TOKEN],
    ["PUT", CREATE_TOKEN],
    ["DELETE", QUOTES],
    ["GET", QUOTES],
    ["POST", `/v1/payment-methods?${QUERY}`],
    ["PATCH", `/v1/exchange/currencies?${QUERY}`],
    ["POST", "/v1/sdk/exchange.js"],
    ["GET", "/v1/nothing-here"],
    ["GET", "/nothing-here"],
    ["GET", "/v1/%2e%2e/%2e%2e/etc/passwd"],
    ["GET", "/v2/payment-methods"],
  ])("%s %s answers 404 NOT_FOUND in the error body", async (method, path) => {
    const answer = await send({ method, path });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({
      code: "NOT_FOUND",
      message: expect.any(String),
      requestId: expect.any(String),
    });
  });

  test.each([
    `/v1/payment-methods?${QUERY}&countryCode=US`,
    `/v1/payment-methods?operationType=B&operationType=S&countryCode=CA`,
    `/v1/exchange/currencies?${QUERY}&operationType=B`,
    `/v1/exchange/currencies?${QUERY}&__proto__=1`,
  ])("%s is INVALID_INPUT", async (path) => {
    const answer = await send({ path });
    expect([answer.status, answer.body.code]).toEqual([400, "INVALID_INPUT"]);
  });

  test("a malformed percent sequence is a 4xx with the error body", async () => {
    const answer = await send({
      path: "/v1/payment-methods?operationType=%E0%A4%A&countryCode=CA",
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  });

  test("every answer carries a request id, also one that was not found", async () => {
    const paths = ["/healthz", "/v1/openapi.json", "/v1/nothing", `/v1/payment-methods?${QUERY}`];
    const answers = await Promise.all(paths.map((path) => call(service, { path })));
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(ids).not.toContain(null);
    expect(new Set(ids).size).toBe(paths.length);
  });
});
