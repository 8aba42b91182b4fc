import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeCall } from "./calls/call.ts";
import { ExchangeError } from "./errors.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { type AttemptReport, type ExchangeOptions, readOptions } from "./options.ts";
import { makeResources } from "./resources.ts";
import {
  drip,
  hang,
  json,
  ok,
  refusal,
  reset,
  type ScriptedServer,
  startScriptedServer,
  status,
} from "./testing/scripted-server.ts";

const API_KEY = "exk_dev_0123456789_verysecret";
const CLIENT_ID = "client_dev_ABCDEF";
const QUOTE = {
  operationType: "B",
  baseCurrencyId: 1,
  baseAmount: 100.25,
  targetCurrencyId: 2,
  paymentMethodId: 3,
} as const;

let server: ScriptedServer;
let slept: number[];
let reports: AttemptReport[];
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  slept = [];
  reports = [];
});

/** A client that records its waits and does not wait. */
function client(own: Partial<ExchangeOptions> = {}): Exchange {
  let keys = 0;
  const settings = readOptions({
    baseUrl: server.url,
    apiKey: API_KEY,
    clientId: CLIENT_ID,
    onAttempt: (report) => reports.push(report),
    ...own,
  });
  const call = makeCall(settings, {
    nowMs: Date.now,
    random: () => 0.5,
    randomKey: () => `key-${++keys}`,
    sleep: async (ms, signal) => {
      slept.push(ms);
      signal?.throwIfAborted();
    },
  });
  return makeResources(call);
}

const errorOf = async (call: Promise<unknown>): Promise<ExchangeError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ExchangeError) return error;
  throw new Error(`no ExchangeError: ${inspect(error)}`);
};

const keysSeen = () => server.seen.map(({ headers }) => headers["idempotency-key"]);

describe("a call", () => {
  test("carries the credentials and returns the content of the envelope", async () => {
    server.answer(ok({ rate: 0.00001 }));
    expect(await client().quotes.create(QUOTE)).toEqual({ rate: 0.00001 });
    expect(server.seen).toHaveLength(1);
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: "POST", target: "/v1/exchange/quotes" });
    expect(JSON.parse(seen?.body ?? "")).toEqual(QUOTE);
    expect(seen?.headers).toMatchObject({
      "x-api-key": API_KEY,
      "x-client-id": CLIENT_ID,
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^exchange-node\/\d/),
    });
  });

  test("writes its query without undefined members and sends no key with a GET", async () => {
    server.answer(ok([]));
    const query = { operationType: "B", countryCode: "CA", includeDeliveryMethods: true } as const;
    await client().paymentMethods.list(query);
    await client().limits.read({
      operationType: "B",
      baseCurrency: "a&b c",
      countryCode: undefined,
    });
    expect(server.seen.map(({ target }) => target)).toEqual([
      "/v1/payment-methods?operationType=B&countryCode=CA&includeDeliveryMethods=true",
      "/v1/exchange/limits?operationType=B&baseCurrency=a%26b+c",
    ]);
    expect(keysSeen()).toEqual([undefined, undefined]);
  });

  test("returns an answer without an envelope as it is", async () => {
    const result = {
      success: false,
      message: "Not an address.",
      wallet: null,
      availableNetworks: [],
      requiresNetworkCode: false,
    };
    server.answer(json(200, result));
    const query = { walletAddress: "x", currencyCode: "btc" };
    expect(await client().wallets.lookUp(query)).toEqual(result);
    server.answer(json(200, { hello: "world" }));
    expect((await errorOf(client().wallets.lookUp(query))).code).toBe("UNEXPECTED_ANSWER");
  });

  test("gives nothing for an answer without a body", async () => {
    server.answer(status(204));
    expect(await client().wallets.remove(7)).toBeUndefined();
    expect(server.seen[0]).toMatchObject({ method: "DELETE", target: "/v1/wallets/7", body: "" });
  });

  test.each(["..", ".", "", undefined])("is not sent with %j in its path", async (sessionId) => {
    server.answer(ok({}));
    const reading = client().sessions.read(sessionId as string);
    await expect(reading).rejects.toThrow(TypeError);
    await expect(reading).rejects.toThrow('An address cannot hold an empty one, "." or "..".');
    expect(server.seen).toEqual([]);
  });

  test("writes a parameter so that it stays one segment of the path", async () => {
    server.answer(ok({}));
    await client().sessions.read("a/../b?c#d");
    expect(server.seen[0]?.target).toBe("/v1/sessions/a%2F..%2Fb%3Fc%23d");
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n])(
    "refuses %s as an amount",
    async (value) => {
      server.answer(ok({}));
      const request = { ...QUOTE, baseAmount: value as number };
      await expect(client().quotes.create(request)).rejects.toThrow("baseAmount");
      expect(server.seen).toEqual([]);
    },
  );

  test("leaves amounts as they are, to the last of their digits", async () => {
    server.answer(ok({ amount: 0.00000001, large: 123456789012.345 }));
    const answer = await client().quotes.create({ ...QUOTE, baseAmount: 0.00000001 });
    expect(answer).toEqual({ amount: 0.00000001, large: 123456789012.345 });
    expect(Number(/"baseAmount":([^,]+),/.exec(server.seen[0]?.body ?? "")?.[1])).toBe(0.00000001);
  });
});

describe("a refusal", () => {
  test("says its code, status, request and details, and is not tried again", async () => {
    const details = [{ path: "body.baseAmount", issue: "is too small", min: 20 }];
    server.answer(refusal(400, "AMOUNT_BELOW_MINIMUM", { details }));
    const error = await errorOf(client().quotes.create(QUOTE));
    expect(error).toMatchObject({
      name: "ExchangeError",
      code: "AMOUNT_BELOW_MINIMUM",
      operation: "createQuote",
      status: 400,
      requestId: "req-1",
      details,
      retryable: false,
      attempts: 1,
      idempotencyKey: "key-1",
    });
    expect(error.message).toBe(
      "POST /exchange/quotes: 400 AMOUNT_BELOW_MINIMUM: Because. (request req-1)",
    );
    expect(server.seen).toHaveLength(1);
  });

  test("keeps the members of its own that a code has", async () => {
    server.answer(refusal(409, "QUOTE_EXPIRED", { quote: { quoteId: "fresh" } }));
    const error = await errorOf(client().quotes.create(QUOTE));
    expect(error.body).toMatchObject({ quote: { quoteId: "fresh" } });
  });
});

describe("temporary failures are retried", () => {
  test("500 and a cut connection, with the same key each time and a longer wait", async () => {
    server.answer(refusal(500, "INTERNAL_ERROR"), reset, ok({ orderId: 5 }));
    expect(await client().orders.cancel(5)).toEqual({ orderId: 5 });
    expect(keysSeen()).toEqual(["key-1", "key-1", "key-1"]);
    expect(slept).toEqual([188, 375]);
  });

  test("another call has another key, and a key of your own is kept", async () => {
    server.answer(reset, ok({}), ok({}), reset, ok({}));
    const exchange = client();
    await exchange.orders.cancel(5);
    await exchange.orders.cancel(5);
    await exchange.orders.cancel(5, { idempotencyKey: "mine" });
    expect(keysSeen()).toEqual(["key-1", "key-1", "key-2", "mine", "mine"]);
  });

  test.each(["", "é", "x".repeat(256)])("the key %j is refused before it is sent", async (key) => {
    server.answer(ok({}));
    const call = client().orders.cancel(5, { idempotencyKey: key });
    await expect(call).rejects.toThrow("idempotencyKey");
    expect(server.seen).toEqual([]);
  });

  test("429 as late as Retry-After says, in seconds or as a date", async () => {
    const inAMinute = new Date(Date.now() + 58_000).toUTCString();
    const before = Date.now();
    server.answer(
      refusal(429, "RATE_LIMITED"),
      json(429, { code: "RATE_LIMITED", message: "" }, { "retry-after": "7" }),
      status(503, { "retry-after": inAMinute }, "<html>"),
      ok([]),
    );
    await client({ maxRetries: 3 }).countries.list();
    expect(slept.slice(0, 2)).toEqual([188, 7_000]);
    const askedAt = Date.parse(inAMinute) - (slept[2] ?? 0);
    expect(askedAt).toBeGreaterThanOrEqual(before);
    expect(askedAt).toBeLessThanOrEqual(Date.now());
  });

  test("but not when the wait is longer than a minute: the error says how long", async () => {
    const busy = { code: "RATE_LIMITED", message: "Later." };
    server.answer(json(429, busy, { "retry-after": "61" }));
    const error = await errorOf(client().countries.list());
    expect(error).toMatchObject({ retryable: true, retryAfterMs: 61_000, attempts: 1 });
    expect(slept).toEqual([]);
  });

  test("until its tries are used up; the last error is thrown with its key", async () => {
    server.answer(reset);
    const error = await errorOf(client().quotes.create(QUOTE, { maxRetries: 1 }));
    expect(error).toMatchObject({
      code: "CONNECTION_FAILED",
      status: undefined,
      retryable: true,
      attempts: 2,
      idempotencyKey: "key-1",
    });
  });

  test("never when that is wished", async () => {
    server.answer(refusal(503, "PROVIDER_UNAVAILABLE"), ok({}));
    const error = await errorOf(client({ maxRetries: 0 }).quotes.create(QUOTE));
    expect(error).toMatchObject({ code: "PROVIDER_UNAVAILABLE", retryable: true });
    expect(server.seen).toHaveLength(1);
  });

  test("a key that our own unanswered try still holds is asked for again", async () => {
    server.answer(reset, refusal(409, "IDEMPOTENCY_CONFLICT"), ok({ orderId: 5 }));
    const answer = await client().orders.cancel(5);
    expect(answer).toEqual({ orderId: 5 });
    server.answer(refusal(409, "IDEMPOTENCY_CONFLICT"), ok({}));
    const error = await errorOf(client().orders.cancel(5, { idempotencyKey: "used" }));
    expect(error.code).toBe("IDEMPOTENCY_CONFLICT");
  });

  test.each([400, 409])(
    "a key that another call still holds is asked for again when the %i says when",
    async (status) => {
      const body = { code: "IDEMPOTENCY_CONFLICT", message: "It still runs." };
      const running = json(status, body, { "retry-after": "2" });
      server.answer(running, ok({ orderId: 5 }));
      const options = { idempotencyKey: "shared" };
      expect(await client().orders.cancel(5, options)).toEqual({ orderId: 5 });
      expect(slept).toEqual([2_000]);
      server.answer(running);
      const error = await errorOf(client().orders.cancel(5, options));
      expect(error).toMatchObject({ retryable: true, retryAfterMs: 2_000, attempts: 3 });
      server.answer(json(status, body));
      const other = await errorOf(client().orders.cancel(5, options));
      expect(other).toMatchObject({ retryable: false, attempts: 1 });
    },
  );

  test("a deletion succeeds if an unanswered attempt did it and the next one finds nothing", async () => {
    server.answer(reset, refusal(404, "NOT_FOUND"));
    expect(await client().wallets.remove(7)).toBeUndefined();
    server.answer(status(429), refusal(404, "NOT_FOUND"));
    expect((await errorOf(client().wallets.remove(7))).code).toBe("NOT_FOUND");
    server.answer(reset, refusal(404, "NOT_FOUND"));
    expect((await errorOf(client().wallets.read(7))).code).toBe("NOT_FOUND");
  });

  test("the error for a server that does not listen is a sentence", async () => {
    const gone = await startScriptedServer();
    await gone.close();
    const error = await errorOf(client({ baseUrl: gone.url }).countries.list());
    expect(error).toMatchObject({ code: "CONNECTION_FAILED", attempts: 3 });
    expect(error.message).toContain("ECONNREFUSED");
  });
});

describe("time", () => {
  test.each([
    ["comes never", hang],
    ["begins and never ends", drip],
  ])("an answer that %s is a timeout", async (_title, answer) => {
    server.answer(answer);
    const startedAt = performance.now();
    const { countries } = client({ timeoutMs: 120_000 });
    const error = await errorOf(countries.list({ timeoutMs: 100, maxRetries: 0 }));
    expect(error).toMatchObject({ code: "TIMEOUT", status: undefined, retryable: true });
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  test("the caller's signal ends a call under way with its own reason", async () => {
    server.answer(hang);
    const controller = new AbortController();
    const call = client().countries.list({ signal: controller.signal, maxRetries: 0 });
    setTimeout(() => controller.abort(new Error("the customer left")), 50);
    await expect(call).rejects.toThrow("the customer left");
  });

  test("the caller's signal ends a wait, and a call that has not begun", async () => {
    server.answer(status(503, { "retry-after": "50" }));
    const controller = new AbortController();
    const exchange = createExchange({
      baseUrl: server.url,
      apiKey: API_KEY,
      clientId: CLIENT_ID,
      onAttempt: () => setTimeout(() => controller.abort(new Error("the customer left")), 20),
    });
    const { signal } = controller;
    const startedAt = performance.now();
    await expect(exchange.countries.list({ signal })).rejects.toThrow("the customer left");
    expect(performance.now() - startedAt).toBeLessThan(45_000);
    await expect(exchange.countries.list({ signal })).rejects.toThrow("the customer left");
    expect(server.seen).toHaveLength(1);
  });

  test("a client as it is sold waits for real and succeeds", async () => {
    server.answer(status(500), json(429, {}, { "retry-after": "1" }), ok(["CA"]));
    const exchange = createExchange({ baseUrl: server.url, apiKey: API_KEY, clientId: CLIENT_ID });
    const startedAt = performance.now();
    expect(await exchange.countries.list()).toEqual(["CA"]);
    expect(performance.now() - startedAt).toBeGreaterThan(1_100);
  });
});

describe("an answer that is not the service's", () => {
  test.each([
    ["cut JSON", status(200, {}, '{"success":true,"code":"ok","data":')],
    ["a page of HTML", status(200, { "content-type": "text/html" }, "<h1>Sign in</h1>")],
    ["JSON without data", json(200, { success: true })],
    ["a list", json(200, [])],
    ["null", json(200, null)],
    ["an error without a code", json(404, { error: "no such app" })],
    ["bytes that are not text", status(200, {}, "\xff\xfe")],
    ["nothing", status(200)],
  ])("%s is an error, and not tried again", async (_title, answer) => {
    server.answer(answer);
    const error = await errorOf(client().countries.list());
    expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", retryable: false, attempts: 1 });
  });

  test("a gateway's page with a passing status is tried again", async () => {
    server.answer(status(502, {}, "<html>Bad gateway</html>"), ok([]));
    expect(await client().countries.list()).toEqual([]);
  });

  test("an endless body is let go of", async () => {
    let sent = 0;
    server.answer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const more = (): void => {
        if (response.destroyed) return;
        sent += chunk.length;
        response.write(chunk, () => setImmediate(more));
      };
      more();
    });
    const error = await errorOf(client().countries.list());
    expect(error.code).toBe("UNEXPECTED_ANSWER");
    expect(error.message).toContain("too large");
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test("a redirect is not followed: nobody else gets the key", async () => {
    const other = await startScriptedServer();
    other.answer(ok([]));
    server.answer(status(307, { location: `${other.url}/v1/exchange/countries` }));
    const error = await errorOf(client().countries.list());
    expect(error).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 307, retryable: false });
    expect(other.seen).toEqual([]);
    await other.close();
  });
});

describe("credentials", () => {
  const everyText = (value: unknown): string =>
    [
      inspect(value, { depth: 20, showHidden: true, getters: true }),
      String(value),
      JSON.stringify(value),
      value instanceof Error ? value.stack : "",
    ].join("\n");

  test("are in nothing a client prints", () => {
    expect(everyText(client())).not.toMatch(/verysecret|ABCDEF/);
  });

  test.each([
    ["a refusal", refusal(401, "UNAUTHORIZED")],
    ["a cut connection", reset],
    ["no answer", hang],
    ["a strange answer", status(200, {}, "<html>")],
  ])("are in no error after %s", async (_title, answer) => {
    server.answer(answer);
    const error = await errorOf(client({ timeoutMs: 200, maxRetries: 0 }).quotes.create(QUOTE));
    expect(everyText(error)).not.toMatch(/verysecret|ABCDEF/);
    expect(everyText(reports)).not.toMatch(/verysecret|ABCDEF/);
  });

  test("are removed from an error of your own fetch", async () => {
    const fetch = (_url: unknown, init?: RequestInit): Promise<Response> =>
      Promise.reject(new Error("no", { cause: new Error(JSON.stringify(init?.headers)) }));
    const error = await errorOf(client({ fetch, maxRetries: 0 }).countries.list());
    expect(error.message).toContain("***");
    expect(everyText(error)).not.toMatch(/verysecret|ABCDEF/);
  });
});

test("every try is reported, with its request and how long until the next", async () => {
  server.answer(
    refusal(503, "PROVIDER_UNAVAILABLE"),
    json(200, { data: 1 }, { "x-request-id": "r2" }),
  );
  await client().orders.read(12);
  expect(reports).toMatchObject([
    {
      operation: "readOrder",
      method: "GET",
      path: "/orders/{orderId}",
      attempt: 1,
      status: 503,
      requestId: "req-1",
      code: "PROVIDER_UNAVAILABLE",
      retryInMs: 188,
    },
    { attempt: 2, status: 200, requestId: "r2", code: undefined, retryInMs: undefined },
  ]);
});
