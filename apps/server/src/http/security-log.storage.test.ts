import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createKey } from "../flows/merchants/create-key.ts";
import { revokeKey } from "../flows/merchants/revoke-key.ts";
import { logKeyChanges } from "../start/build-deps.ts";
import { logOptions } from "../start/log.ts";
import { readMerchantDirectory } from "../storage/merchants/directory.ts";
import { type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";
import { operatorNamed } from "../testing/operators.ts";

const lines: string[] = [];
const log = pino(
  logOptions("warn"),
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  }),
);

const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";
const by = operatorNamed("anna");

let world: HttpWorld;
let caller = 0;
beforeAll(async () => {
  world = await makeHttpWorld({ deps: { log }, rateLimits: { quotesPerMinute: 1 } });
});
afterAll(() => world.close());
beforeEach(() => {
  lines.length = 0;
  caller += 1;
});

/** Uses of a key from a new address are written some seconds later, in whichever test runs then. */
const events = () =>
  lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ security }) => security && security !== "key_used_from_new_address");
/** Sends a request from an address of the test's own. */
const call = (request: Parameters<HttpWorld["call"]>[0]) =>
  world.call({ ...(request as object), remoteAddress: `198.51.100.${caller}` });

test("a wrong key is one line with its reason and without the key", async () => {
  const { clientId, apiKey } = world.shop;
  const wrong = `${apiKey.slice(0, -1)}${apiKey.endsWith("0") ? "1" : "0"}`;
  await call({ url: CURRENCIES, headers: { "x-client-id": clientId, "x-api-key": wrong } });
  const other = await world.addShop();
  await call({
    url: CURRENCIES,
    headers: { "x-client-id": other.clientId, "x-api-key": apiKey },
  });
  const seen = {
    security: "unauthorized",
    status: 401,
    code: "UNAUTHORIZED",
    route: "/v1/exchange/currencies",
  };
  expect(events()).toEqual([
    expect.objectContaining({ ...seen, reason: "malformed", claimedClientId: clientId }),
    expect.objectContaining({ ...seen, reason: "other_client", address: `198.51.100.${caller}` }),
  ]);
  const secret = apiKey.slice(-49);
  for (const line of lines) expect(line).not.toContain(secret.slice(0, 20));
});

test("a client id that is free text is not logged", async () => {
  await call({ url: CURRENCIES, headers: { "x-client-id": "forged\nline", "x-api-key": "x" } });
  expect(events()).toHaveLength(1);
  expect(lines.join("")).not.toContain("forged");
});

test("the use of a replaced token is told from a forged one", async () => {
  const sessionId = randomUUID();
  const replaced = await world.token({ sessionId });
  await world.token({ sessionId });
  const url = "/v1/checkout/session";
  await call({ url, headers: { authorization: `Bearer ${replaced}` } });
  await call({ url, headers: { authorization: "Bearer a.b.c" } });
  expect(events()).toEqual([
    expect.objectContaining({ code: "TOKEN_INVALID", reason: "replaced_token" }),
    expect.objectContaining({ code: "TOKEN_INVALID" }),
  ]);
  expect(events()[1]).not.toHaveProperty("reason");
  expect(lines.join("")).not.toContain(replaced);
});

test("a token whose session was deleted is told from one of a disabled merchant", async () => {
  const claims = { sessionId: "deleted", scope: [], jti: randomUUID() };
  const token = await world.deps.tokens.sign({
    ...{ ...claims, merchantId: world.shop.clientId },
    ...{ issuedAt: 1, expiresAt: 9_999_999_999 },
  });
  await call({ url: "/v1/checkout/session", headers: { authorization: `Bearer ${token}` } });
  expect(events()).toEqual([
    expect.objectContaining({ code: "TOKEN_INVALID", reason: "unknown_session" }),
  ]);
});

test("a missing scope, a foreign origin and a spent rate limit are one line each", async () => {
  const shop = await world.addShop();
  const key = await createKey(world.deps, { merchantId: shop.clientId, scopes: ["read"], by });
  const headers = { "x-client-id": shop.clientId, "x-api-key": key.apiKey };
  await call({ method: "POST", url: "/v1/orders/7/cancel", headers });
  const origin = "https://evil.example";
  await call({ url: "/v1/checkout/session", headers: { origin } });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await call({ method: "POST", url: "/v1/exchange/quotes", headers, payload: {} });
  }
  expect(events()).toEqual([
    expect.objectContaining({ security: "forbidden", keyId: key.keyId, scope: "orders.write" }),
    expect.objectContaining({ security: "forbidden", code: "ORIGIN_NOT_ALLOWED" }),
    expect.objectContaining({ security: "rate_limited", merchantId: shop.clientId }),
  ]);
});

test("a flood writes ten lines for an address and a number for the rest", async () => {
  const flooded = await makeHttpWorld({ deps: { log } });
  lines.length = 0;
  for (let attempt = 0; attempt < 50; attempt += 1) await flooded.call({ url: CURRENCIES });
  expect(events()).toHaveLength(10);
  lines.length = 0;
  await flooded.close();
  expect(events()).toEqual([
    expect.objectContaining({ security: "suppressed", events: { unauthorized: 40 } }),
  ]);
});

test("a key that was created or revoked is a line, whichever process did it", async () => {
  const shop = await world.addShop();
  const before = await readMerchantDirectory(world.database);
  const { keyId } = await createKey(world.deps, { merchantId: shop.clientId, by });
  const between = await readMerchantDirectory(world.database);
  await revokeKey(world.deps, { merchantId: shop.clientId, id: keyId, by });
  const after = await readMerchantDirectory(world.database);
  logKeyChanges(log, before, between);
  logKeyChanges(log, between, after);
  const merchantId = shop.clientId;
  expect(events()).toEqual([
    expect.objectContaining({ security: "key_created", keyId, merchantId }),
    expect.objectContaining({ security: "key_revoked", keyId, merchantId }),
  ]);
});
