import { randomUUID } from "node:crypto";
import { ENDPOINTS, type Endpoint, type OrderData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "../../flows/merchants/create-key.ts";
import { disableMerchant, enableMerchant } from "../../flows/merchants/update.ts";
import { revokePage } from "../../flows/orders/revoke-page.ts";
import { listControlChanges } from "../../storage/audit/control-log.ts";
import { browserWith, type Ok, placeOrder } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  GENEROUS,
  type HttpWorld,
  makeHttpWorld,
} from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";
import { cardPayment } from "../../testing/orders.ts";
import { buildHttpServer } from "../server.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const secretOf = ({ customerUrl }: Pick<OrderData, "customerUrl">): string =>
  customerUrl?.split("/o/")[1] ?? "";

/** An order with its page, as a browser on another device opens it. */
async function ordered(session: Readonly<Record<string, unknown>> = {}) {
  const sessionId = randomUUID();
  const browser = browserWith(world, await world.token({ sessionId, ...session }));
  const order = await placeOrder(world, browser);
  return { order, browser, sessionId, page: browserWith(world, secretOf(order)) };
}

const post = <Body>(url: string, headers = world.shop.headers) =>
  world.call<Body>({ method: "POST", url: `/v1${url}`, headers });
const readByMerchant = async (orderId: number): Promise<OrderData> => {
  const { headers } = world.shop;
  return (await world.call<Ok<OrderData>>({ url: `/v1/orders/${orderId}`, headers })).body.data;
};

test("the browser and the merchant read the address of an order's page", async () => {
  const { order, browser } = await ordered();
  expect(order.customerUrl).toMatch(/^http:\/\/[^/]+\/o\/[A-Za-z0-9_-]{43}$/);
  const again = await browser<Ok<OrderData>>(`/orders/${order.orderId}`);
  expect(again.body.data.customerUrl).toBe(order.customerUrl);
  expect((await readByMerchant(order.orderId)).customerUrl).toBe(order.customerUrl);
});

test("a key that may only read does not get the address, because the page can cancel the order", async () => {
  const { order, sessionId } = await ordered();
  const { apiKey } = await createKey(world.deps, {
    merchantId: world.shop.clientId,
    scopes: ["read"],
    by: operatorNamed("ops"),
  });
  const headers = { ...world.shop.headers, "x-api-key": apiKey };
  const read = async <Body>(url: string) =>
    (await world.call<Body>({ url: `/v1${url}`, headers })).body;
  const one = (await read<Ok<OrderData>>(`/orders/${order.orderId}`)).data;
  const [listed] = (await read<Ok<OrderData[]>>(`/orders?sessionId=${sessionId}`)).data;
  const session = (await read<Ok<{ order: OrderData }>>(`/sessions/${sessionId}`)).data;
  for (const found of [one, listed, session.order]) {
    expect(found).toMatchObject({ orderId: order.orderId, customerUrl: null });
  }
});

test("the page reads, follows and cancels its order on any device", async () => {
  const { order, page } = await ordered();
  const url = `/orders/${order.orderId}`;
  const read = await page<Ok<OrderData>>(url);
  expect([read.status, read.body.data.orderId]).toEqual([200, order.orderId]);
  expect(faultsOf(ENDPOINTS.readCheckoutOrder, read.body)).toEqual([]);
  const cancelled = await page<Ok<OrderData>>(`${url}/cancel`, { method: "POST" });
  expect(cancelled.body.data).toMatchObject({
    status: "cancelled",
    statusReason: "user_cancelled",
  });
});

test("the page pays its order by card", async () => {
  const { order, page } = await ordered();
  const payload = { ...cardPayment(), frequency: "one_time" };
  const paid = await page<Ok<OrderData>>(`/orders/${order.orderId}/payments`, { payload });
  expect([paid.status, paid.body.data.payment.attempt?.lastFour]).toEqual([201, "2701"]);
});

test("every other endpoint of the browser refuses the page", async () => {
  const { order, page } = await ordered();
  const others = Object.values<Endpoint>(ENDPOINTS).filter(
    ({ caller, onOrderPage }) => caller === "browser" && !onOrderPage,
  );
  expect(others.length).toBeGreaterThan(4);
  for (const { method, path } of others) {
    const url = path.replace("/checkout", "").replace("{orderId}", String(order.orderId));
    const reply = await page(url, { method });
    expect([path, reply.status, reply.body.code]).toEqual([path, 403, "INSUFFICIENT_SCOPE"]);
  }
});

test("the page opens no other order, also of the same merchant", async () => {
  const [first, second] = [await ordered(), await ordered()];
  const reply = await first.page(`/orders/${second.order.orderId}`);
  expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
});

test("the page reads nothing that the merchant told about the customer", async () => {
  const { page } = await ordered({
    customer: { reference: "CANARY-1", firstName: "CANARY", countryCode: "FR" },
    metadata: { note: "CANARY" },
    returnUrl: "https://shop.example/CANARY",
    lock: { walletAddress: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa" },
  });
  const { body, text } = await page<Ok<Record<string, unknown>>>("/session");
  expect(faultsOf(ENDPOINTS.readCheckoutSession, body)).toEqual([]);
  expect(body.data).toMatchObject({ customer: {}, lock: {}, returnUrl: null, scope: [] });
  expect(text).not.toMatch(/CANARY|"FR"/);
});

test.each(["A".repeat(43), "a.b.c", "short"])(
  "a secret that is not genuine is refused: %s",
  async (secret) => {
    const reply = await browserWith(world, secret)("/session");
    expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
  },
);

test("a merchant revokes the page at once, and the order goes on with its token", async () => {
  const { order, page, browser } = await ordered();
  const url = `/orders/${order.orderId}/revoke_customer_url`;
  for (const _time of ["first", "again"]) {
    const revoked = await post<Ok<OrderData>>(url);
    expect(revoked.status).toBe(200);
    expect(faultsOf(ENDPOINTS.revokeCustomerUrl, revoked.body)).toEqual([]);
    expect(revoked.body.data).toMatchObject({ customerUrl: null, status: "awaiting_payment" });
  }
  expect((await page(`/orders/${order.orderId}`)).status).toBe(401);
  const read = await browser<Ok<OrderData>>(`/orders/${order.orderId}`);
  expect([read.status, read.body.data.customerUrl]).toEqual([200, null]);
});

test("another merchant cannot revoke it", async () => {
  const { order, page } = await ordered();
  const { headers } = await world.addShop();
  const url = `/orders/${order.orderId}/revoke_customer_url`;
  expect((await post<ErrorReply>(url, headers)).body.code).toBe("NOT_FOUND");
  expect((await page(`/orders/${order.orderId}`)).status).toBe(200);
});

test("revoking the session's token revokes the page too, because the token could read it", async () => {
  const { order, page, sessionId } = await ordered();
  await post(`/sessions/${sessionId}/revoke_token`);
  expect((await page(`/orders/${order.orderId}`)).status).toBe(401);
});

test("the page of a disabled merchant is closed, and opens again with it", async () => {
  const shop = await world.addShop();
  const sessionId = randomUUID();
  const token = await world.call<Ok<{ accessToken: string }>>({
    method: "POST",
    url: "/v1/public_token/create",
    headers: shop.headers,
    payload: { sessionId },
  });
  const order = await placeOrder(world, browserWith(world, token.body.data.accessToken));
  const page = browserWith(world, secretOf(order));
  const command = { merchantId: shop.clientId, by: operatorNamed("anna") };
  await disableMerchant(world.deps, command);
  await world.refresh();
  expect((await page("/session")).status).toBe(401);
  await enableMerchant(world.deps, command);
  await world.refresh();
  expect((await page("/session")).status).toBe(200);
});

test("an operator's revocation is logged with the person's name, once", async () => {
  const { order } = await ordered();
  const command = {
    merchantId: world.shop.clientId,
    orderId: BigInt(order.orderId),
    operator: operatorNamed("anna"),
  };
  await revokePage(world.deps, command);
  await revokePage(world.deps, command);
  const subject = String(order.orderId);
  const log = await listControlChanges(world.database, { limit: 5, subject });
  expect(log.map(({ action, person }) => [action, person])).toEqual([
    ["revoke_order_page", "anna"],
  ]);
});

test("a page has a limit of its own calls, and guesses count against their address", async () => {
  const { order } = await ordered();
  const rateLimits = {
    ...GENEROUS,
    browserCallsPerMinute: 3,
    failedCredentialsPerFiveMinutes: 2,
  };
  const app = buildHttpServer(world.deps, { version: "0.0.0", rateLimits });
  const statusOf = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    const remoteAddress = "203.0.113.9";
    return (await app.inject({ url: "/v1/checkout/session", headers, remoteAddress })).statusCode;
  };
  const statusesOf = async (secret: string) => [
    await statusOf(secret),
    await statusOf(secret),
    await statusOf(secret),
    await statusOf(secret),
  ];
  expect(await statusesOf(secretOf(order))).toEqual([200, 200, 200, 429]);
  expect(await statusesOf("A".repeat(43))).toEqual([401, 401, 429, 429]);
  await app.close();
});

test("the document is served without a cache, an index, a referrer or a frame", async () => {
  const { status, headers } = await world.call({ url: `/o/${"A".repeat(43)}` });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    "x-content-type-options": "nosniff",
  });
  const policy = String(headers["content-security-policy"]);
  expect(policy).toMatch(/default-src 'none'; script-src 'self'.*frame-ancestors 'none'$/);
  expect(policy).not.toMatch(/https?:|\*|unsafe/);
});
