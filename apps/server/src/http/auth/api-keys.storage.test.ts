import { randomUUID } from "node:crypto";
import {
  ENDPOINTS,
  type Endpoint,
  KEY_SCOPES,
  keyScopeOf,
  type OrderData,
  type QuoteData,
  type SessionData,
} from "@exchange/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type CreateKey, createKey } from "../../flows/merchants/create-key.ts";
import { makeKeyUses } from "../../flows/merchants/key-uses.ts";
import { revokeKey } from "../../flows/merchants/revoke-key.ts";
import { disableMerchant, enableMerchant } from "../../flows/merchants/update.ts";
import { startJobs } from "../../jobs/worker.ts";
import { listApiKeys } from "../../storage/merchants/api-keys.ts";
import { found } from "../../testing/catalogue.ts";
import {
  BITCOIN_ADDRESS,
  browserWith,
  type Ok,
  placeOrder,
  takeQuote,
  wantedExchange,
} from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";

const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";
const by = operatorNamed("anna");

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

/** A merchant with one more key. The key is not in the memory of the server yet. */
async function shopWithKey(limits: Omit<CreateKey, "merchantId" | "by"> = {}) {
  const shop = await world.addShop();
  const key = await createKey(world.deps, { merchantId: shop.clientId, by, ...limits });
  return { shop, key, headers: { "x-client-id": shop.clientId, "x-api-key": key.apiKey } };
}

const statusFrom = async (remoteAddress: string, headers: Record<string, string>) =>
  (await world.call({ url: CURRENCIES, headers, remoteAddress })).status;

test("(i): a key that was just created works at its first request", async () => {
  const { headers } = await shopWithKey();
  expect((await world.call({ url: CURRENCIES, headers })).status).toBe(200);
});

test("(i): twenty new keys work at their first request, all at the same time", async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => shopWithKey()));
  const calls = made.map(({ headers }) => world.call({ url: CURRENCIES, headers }));
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
});

test("a key without the scope is refused with 403, on every endpoint that needs it", async () => {
  const { headers } = await shopWithKey({ scopes: ["read"] });
  expect((await world.call({ url: CURRENCIES, headers })).status).toBe(200);
  const needy = Object.values<Endpoint>(ENDPOINTS).filter(
    (endpoint) => endpoint.caller === "merchant" && keyScopeOf(endpoint) !== "read",
  );
  expect(needy.length).toBeGreaterThan(10);
  for (const endpoint of needy) {
    const { method, path, errors } = endpoint;
    const url = `/v1${path.replace(/\{\w+\}/g, "7")}`;
    const reply = await world.call<ErrorReply>({ method, url, headers });
    const status = errors.includes(403) ? 403 : 400;
    expect([path, reply.status, reply.body.code]).toEqual([path, status, "INSUFFICIENT_SCOPE"]);
    expect(reply.body.details).toEqual([
      { path: "headers.x-api-key", issue: `lacks the scope ${keyScopeOf(endpoint)}` },
    ]);
  }
});

test("a key has its own scopes and no others", async () => {
  const { headers } = await shopWithKey({ scopes: ["orders.write"] });
  const payload = { sessionId: randomUUID() };
  const token = { method: "POST", url: "/v1/public_token/create", headers, payload } as const;
  expect((await world.call(token)).status).toBe(201);
  expect((await world.call({ url: "/v1/orders", headers })).status).toBe(403);
  const refund = { method: "POST", url: "/v1/orders/7/refunds", headers, payload: {} } as const;
  expect((await world.call<ErrorReply>(refund)).body.message).toContain("refunds.write");
});

test.each(KEY_SCOPES)(
  "a key with the scope %s opens the endpoints of that scope only",
  async (scope) => {
    const { headers } = await shopWithKey({ scopes: [scope] });
    const endpoints = Object.values<Endpoint>(ENDPOINTS).filter(
      ({ caller }) => caller === "merchant",
    );
    const opened: string[] = [];
    for (const { method, path } of endpoints) {
      const url = `/v1${path.replace(/\{\w+\}/g, "7")}`;
      const reply = await world.call<ErrorReply>({ method, url, headers });
      if (reply.body?.code !== "INSUFFICIENT_SCOPE") opened.push(`${method} ${path}`);
    }
    const wanted = endpoints.filter((endpoint) => keyScopeOf(endpoint) === scope);
    expect(opened).toEqual(wanted.map(({ method, path }) => `${method} ${path}`));
    const browser = await world.call<ErrorReply>({ url: "/v1/checkout/session", headers });
    expect([browser.status, browser.body.code]).toEqual([401, "TOKEN_INVALID"]);
  },
);

test("an answer to a key without `read` has nothing of the customer and no page, as without `orders.write`", async () => {
  const shop = await world.addShop();
  const customer = { firstName: "Ada", email: "ada@example.org", countryCode: "DE" };
  const place = async () => {
    const sessionId = randomUUID();
    const terms = { customer, metadata: { cart: "7" }, returnUrl: "https://shop.example/?ada" };
    const token = await world.call<Ok<{ accessToken: string }>>({
      ...{ method: "POST", url: "/v1/public_token/create", headers: shop.headers },
      payload: { sessionId, ...terms },
    });
    const browser = browserWith(world, token.body.data.accessToken);
    const sepa = found(world.deps.catalogue().paymentMethodByReference("sepa")).id;
    const wanted = { ...wantedExchange(world), paymentMethodId: sepa };
    const quote = await browser<Ok<QuoteData>>("/quotes", { payload: wanted });
    const { quoteId } = quote.body.data;
    const payload = { quoteId, walletAddress: BITCOIN_ADDRESS };
    const { orderId } = (await browser<Ok<OrderData>>("/orders", { payload })).body.data;
    return { sessionId, orderId, browser };
  };
  const keyWith = async (scope: string) => {
    const key = { merchantId: shop.clientId, by };
    const { keyId, apiKey } = await createKey(world.deps, { ...key, scopes: [scope] });
    const end = () => revokeKey(world.deps, { ...key, id: keyId });
    return { headers: { "x-client-id": shop.clientId, "x-api-key": apiKey }, end };
  };
  const post = async <Data>(url: string, headers: Record<string, string>) => {
    const reply = await world.call<Ok<Data>>({
      method: "POST",
      url: `/v1${url}`,
      headers,
      payload: {},
    });
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body;
  };
  const partsOf = ({ customer, metadata }: Pick<OrderData, "customer" | "metadata">) => ({
    customer,
    metadata,
  });
  const nobody = { customer: {}, metadata: {} };

  const { headers: writer, end } = await keyWith("orders.write");
  const [one, other] = [await place(), await place()];
  const cancelled = await post<OrderData>(`/orders/${one.orderId}/cancel`, writer);
  expect(faultsOf(ENDPOINTS.cancelOrderByMerchant, cancelled)).toEqual([]);
  expect(partsOf(cancelled.data)).toEqual(nobody);
  // The page takes a refund address.
  expect(cancelled.data.customerUrl).toBeNull();
  const closed = await post<SessionData>(`/sessions/${one.sessionId}/revoke_token`, writer);
  expect(faultsOf(ENDPOINTS.revokeSessionToken, closed)).toEqual([]);
  expect([partsOf(closed.data), closed.data.returnUrl]).toEqual([nobody, null]);
  expect(closed.data.order && partsOf(closed.data.order)).toEqual(nobody);
  const revoked = await post<OrderData>(`/orders/${other.orderId}/revoke_customer_url`, writer);
  expect([partsOf(revoked.data), revoked.data.customerUrl]).toEqual([nobody, null]);

  await end();
  const { headers: refunder } = await keyWith("refunds.write");
  const jobs = startJobs(world.deps);
  const paid = await place();
  await paid.browser(`/orders/${paid.orderId}/payments`, { payload: { type: "bank_transfer" } });
  const more = { payload: { payment: "more" } };
  await paid.browser(`/orders/${paid.orderId}/simulate_payment`, more);
  await expect
    .poll(
      async () => (await paid.browser<Ok<OrderData>>(`/orders/${paid.orderId}`)).body.data.status,
    )
    .toBe("in_review");
  const refunded = await post<OrderData>(`/orders/${paid.orderId}/refunds`, refunder);
  await jobs.stop();
  expect(faultsOf(ENDPOINTS.refundOrder, refunded)).toEqual([]);
  expect([partsOf(refunded.data), refunded.data.customerUrl]).toEqual([nobody, null]);
  const { body } = await world.call<Ok<OrderData>>({
    ...{ url: `/v1/orders/${paid.orderId}`, headers: shop.headers },
  });
  expect(body.data).toMatchObject({
    customer,
    metadata: { cart: "7" },
    customerUrl: expect.any(String),
  });
});

test("a key is refused after it expired, and outside of its networks", async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const expiring = await shopWithKey({ expiresAt });
  expect(await statusFrom("127.0.0.1", expiring.headers)).toBe(200);
  const clock = vi.spyOn(Date, "now").mockReturnValue(expiresAt.getTime());
  expect(await statusFrom("127.0.0.1", expiring.headers)).toBe(401);
  clock.mockRestore();

  const { headers } = await shopWithKey({ networks: ["203.0.113.0/24", "2001:db8::/32"] });
  expect(await statusFrom("203.0.113.9", headers)).toBe(200);
  expect(await statusFrom("::ffff:203.0.113.9", headers)).toBe(200);
  expect(await statusFrom("2001:db8::1", headers)).toBe(200);
  expect(await statusFrom("203.0.114.9", headers)).toBe(401);
  expect(await statusFrom("2001:db9::1", headers)).toBe(401);
  // Without a trusted proxy the header of a caller names no address.
  const forged = { ...headers, "x-forwarded-for": "203.0.113.9" };
  expect(await statusFrom("198.51.100.1", forged)).toBe(401);
});

test.each([
  [{ scopes: ["everything"] }, "is not a scope"],
  [{ scopes: [] }, "is not a scope"],
  [{ expiresAt: new Date(0) }, "in the past"],
  [{ networks: ["203.0.113.0/33"] }, "is not a network"],
  [{ networks: Array.from({ length: 21 }, () => "10.0.0.0/8") }, "at most 20"],
])("a key with %o is refused", async (limits, why) => {
  await expect(shopWithKey(limits)).rejects.toThrow(why);
});

test("the last use of a key is recorded, and each new address is reported once", async () => {
  const { shop, key } = await shopWithKey();
  const reported: string[] = [];
  const uses = () => makeKeyUses(world.deps, ({ address }) => reported.push(address));
  // Each process has its own memory.
  for (const process of [uses(), uses()]) {
    for (let call = 0; call < 1_000; call += 1) process.note(key.keyId, "203.0.113.9");
    process.note(key.keyId, "2001:db8::1");
    process.note(key.keyId, "2001:db8::2");
    await process.flush();
  }
  expect(reported.toSorted()).toEqual(["2001:db8::/64", "203.0.113.9"]);
  const stored = (await listApiKeys(world.database, shop.clientId)).find(
    ({ id }) => id === key.keyId,
  );
  expect(stored?.lastUsedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  expect(["2001:db8::/64", "203.0.113.9"]).toContain(stored?.lastAddress);
});

test("a disabled merchant starts nothing new, and the same credentials work once it is enabled", async () => {
  const shop = await world.addShop();
  const sessionId = randomUUID();
  const made = await world.call<{ data: { accessToken: string } }>({
    method: "POST",
    url: "/v1/public_token/create",
    headers: shop.headers,
    payload: { sessionId },
  });
  const browser = browserWith(world, made.body.data.accessToken);
  const { quoteId } = await takeQuote(world, browser);
  const off = { merchantId: shop.clientId, reason: "a test", by };
  expect((await disableMerchant(world.deps, off)).isNew).toBe(true);
  expect((await disableMerchant(world.deps, off)).isNew).toBe(false);
  await world.refresh();
  const refusals = [
    await world.call<ErrorReply>({ url: CURRENCIES, headers: shop.headers }),
    await browser("/session"),
    await browser("/orders", { payload: { quoteId, walletAddress: "1A1z" } }),
  ];
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [401, "UNAUTHORIZED"],
    [401, "TOKEN_INVALID"],
    [401, "TOKEN_INVALID"],
  ]);
  await enableMerchant(world.deps, { merchantId: shop.clientId, by });
  await world.refresh();
  expect((await world.call({ url: CURRENCIES, headers: shop.headers })).status).toBe(200);
  expect((await placeOrder(world, browser)).status).toBe("awaiting_payment");
});
