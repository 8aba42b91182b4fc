import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../flows/merchants/create-key.ts";
import { revokeKey } from "../flows/merchants/revoke-key.ts";
import {
  type ErrorReply,
  type HttpWorld,
  makeHttpWorld,
  type Shop,
} from "../testing/http-world.ts";
import { operatorNamed } from "../testing/operators.ts";

const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";

let world: HttpWorld;
let other: Shop;

beforeAll(async () => {
  world = await makeHttpWorld();
  other = await world.addShop();
});
afterAll(() => world.close());

const changed = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");

const withoutRequestId = (body: ErrorReply) => ({ ...body, requestId: undefined });

test("every wrong credential gets the same 401, whatever is wrong", async () => {
  const { shop } = world;
  const prodKey = shop.apiKey.replace("exk_dev_", "exk_prod_");
  const causes: Record<string, Record<string, string>> = {
    "no header at all": {},
    "no key": { "x-client-id": shop.clientId },
    "no client id": { "x-api-key": shop.apiKey },
    "an empty key": { "x-client-id": shop.clientId, "x-api-key": "" },
    "a changed key": { "x-client-id": shop.clientId, "x-api-key": changed(shop.apiKey) },
    "a key of nonsense": { "x-client-id": shop.clientId, "x-api-key": "open sesame" },
    "a key of another environment": { "x-client-id": shop.clientId, "x-api-key": prodKey },
    "another merchant's client id": { "x-client-id": other.clientId, "x-api-key": shop.apiKey },
    "an unknown client id": { "x-client-id": "client_dev_nobody", "x-api-key": shop.apiKey },
    "the client id in another letter case": {
      "x-client-id": shop.clientId.toUpperCase(),
      "x-api-key": shop.apiKey,
    },
    "a public token": {
      "x-client-id": shop.clientId,
      authorization: `Bearer ${await world.token()}`,
    },
  };
  const bodies = new Set<string>();
  for (const [cause, headers] of Object.entries(causes)) {
    const reply = await world.call<ErrorReply>({ url: CURRENCIES, headers });
    expect(reply.status, cause).toBe(401);
    bodies.add(JSON.stringify(withoutRequestId(reply.body)));
  }
  expect([...bodies]).toEqual([
    JSON.stringify({
      code: "UNAUTHORIZED",
      message: "The merchant credentials are missing or not valid.",
    }),
  ]);
});

test("credentials are looked at before the body is", async () => {
  const reply = await world.call<ErrorReply>({
    method: "POST",
    url: "/v1/public_token/create",
    headers: { "content-type": "text/plain" },
    payload: "{",
  });
  expect(reply.status).toBe(401);
});

test("a second key works beside the first, and a revoked one no longer", async () => {
  const shop = await world.addShop();
  const second = await createKey(world.deps, {
    merchantId: shop.clientId,
    by: operatorNamed("anna"),
  });
  await world.refresh();
  const status = async (apiKey: string) => {
    const headers = { "x-client-id": shop.clientId, "x-api-key": apiKey };
    return (await world.call({ url: CURRENCIES, headers })).status;
  };
  expect(await status(shop.apiKey)).toBe(200);
  expect(await status(second.apiKey)).toBe(200);
  await revokeKey(world.deps, {
    merchantId: shop.clientId,
    id: second.keyId,
    by: operatorNamed("anna"),
  });
  await world.refresh();
  expect(await status(second.apiKey)).toBe(401);
  expect(await status(shop.apiKey)).toBe(200);
});

test("no merchant route grants anything to a browser of another origin", async () => {
  for (const method of ["GET", "OPTIONS"] as const) {
    const { headers } = await world.call({
      method,
      url: CURRENCIES,
      headers: {
        ...world.shop.headers,
        origin: "https://shop.example",
        "access-control-request-method": "GET",
      },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
});

describe("too many", () => {
  test("failed credentials of one address are held back, right ones are not", async () => {
    const strict = await makeHttpWorld({ rateLimits: { failedCredentialsPerFiveMinutes: 3 } });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      statuses.push((await strict.call({ url: CURRENCIES })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await strict.call({ url: CURRENCIES, headers: strict.shop.headers })).status).toBe(200);
    await strict.close();
  });

  test("reads over the limit get 429 with Retry-After, and every answer says what is left", async () => {
    const strict = await makeHttpWorld({ rateLimits: { readsPerMinute: 2 } });
    const call = () => strict.call<ErrorReply>({ url: CURRENCIES, headers: strict.shop.headers });
    expect((await call()).headers).toMatchObject({
      "ratelimit-limit": "2",
      "ratelimit-remaining": "1",
    });
    await call();
    const refused = await call();
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe("RATE_LIMITED");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.headers["ratelimit-remaining"]).toBe("0");
    await strict.close();
  });

  test("quotes, tokens, other writes and scripts have limits of their own", async () => {
    const one = { quotesPerMinute: 1, tokensPerMinute: 1, writesPerMinute: 1 };
    const strict = await makeHttpWorld({ rateLimits: { ...one, anonymousCallsPerMinute: 1 } });
    const { clientId, headers } = strict.shop;
    const post = (url: string) => strict.call({ method: "POST", url, headers, payload: {} });
    const calls = [
      () => post("/v1/exchange/quotes"),
      () => post("/v1/public_token/create"),
      () => post("/v1/orders/7/refunds"),
      () => strict.call({ url: `/v1/sdk/exchange.js?clientId=${clientId}&env=dev` }),
    ];
    for (const call of calls) {
      expect((await call()).status).not.toBe(429);
      const refused = await call();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    }
    expect((await strict.call({ url: CURRENCIES, headers })).status).toBe(200);
    await strict.close();
  });
});
