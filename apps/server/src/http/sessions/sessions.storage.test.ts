import { randomUUID } from "node:crypto";
import { ENDPOINTS, type OrderData, type SessionData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  BITCOIN_ADDRESS,
  browserWith,
  type Ok,
  placeOrder,
} from "../../testing/checkout-browser.ts";
import { faultsOf, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const read = (sessionId: string, headers = world.shop.headers) =>
  world.call<Ok<SessionData>>({ url: `/v1/sessions/${sessionId}`, headers });

test("one shows the terms that the merchant fixed, in the merchant's own codes", async () => {
  const sessionId = randomUUID();
  const terms = {
    scope: ["quote.create", "order.create"],
    lock: { operationType: "B", baseCurrency: "EUR", baseAmount: 99.5, targetCurrency: "btc" },
    customer: { reference: "c-7", firstName: "Ada", countryCode: "DE" },
    returnUrl: "https://shop.example/done",
    locale: "de-DE",
    metadata: { cart: "42" },
  };
  const before = Math.floor(Date.now() / 1000);
  await world.token({ sessionId, expiresIn: 600, ...terms });
  const after = Math.ceil(Date.now() / 1000);
  const { status, body } = await read(sessionId);
  expect(status).toBe(200);
  expect(faultsOf(ENDPOINTS.readSession, body)).toEqual([]);
  expect(body.data).toMatchObject({
    ...terms,
    sessionId,
    status: "active",
    order: null,
    lock: { ...terms.lock, baseCurrency: "eur" },
  });
  for (const openedAt of [body.data.createdAt, body.data.expiresAt - 600]) {
    expect(openedAt).toBeGreaterThanOrEqual(before);
    expect(openedAt).toBeLessThanOrEqual(after);
  }
});

test("one is expired and shows its order once an order was placed", async () => {
  const sessionId = randomUUID();
  const { orderId } = await placeOrder(world, browserWith(world, await world.token({ sessionId })));
  const { body } = await read(sessionId);
  expect(faultsOf(ENDPOINTS.readSession, body)).toEqual([]);
  expect(body.data).toMatchObject({
    status: "expired",
    order: { orderId, sessionId, delivery: { walletAddress: BITCOIN_ADDRESS } },
  });
  const alone = await world.call<Ok<OrderData>>({
    url: `/v1/orders/${orderId}`,
    headers: world.shop.headers,
  });
  expect(body.data.order).toEqual(alone.body.data);
});

test("another merchant's, and one that never was, are not found", async () => {
  const sessionId = randomUUID();
  await world.token({ sessionId });
  const { headers } = await world.addShop();
  for (const reply of [await read(sessionId, headers), await read(randomUUID())]) {
    expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
  }
  const strange = await read("a%0Ab");
  expect([strange.status, strange.body.code]).toEqual([400, "INVALID_INPUT"]);
});

const revoke = (sessionId: string, headers = world.shop.headers) =>
  world.call<Ok<SessionData>>({
    method: "POST",
    url: `/v1/sessions/${sessionId}/revoke_token`,
    headers,
  });

test("a token is revoked after its order was placed, and the order goes on", async () => {
  const sessionId = randomUUID();
  const browser = browserWith(world, await world.token({ sessionId }));
  const { orderId } = await placeOrder(world, browser);
  const revoked = await revoke(sessionId);
  expect(revoked.status).toBe(200);
  expect(faultsOf(ENDPOINTS.revokeSessionToken, revoked.body)).toEqual([]);
  expect(revoked.body.data).toMatchObject({ order: { orderId, status: "awaiting_payment" } });
  expect(revoked.body.data.expiresAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  const reply = await browser(`/orders/${orderId}`);
  expect([reply.status, reply.body.code]).toEqual([401, "TOKEN_INVALID"]);
  expect((await revoke(sessionId)).status).toBe(200);
});

test("a revoked session without an order gets a new token, and the revoked one stays refused", async () => {
  const sessionId = randomUUID();
  const revoked = browserWith(world, await world.token({ sessionId }));
  await revoke(sessionId);
  const renewed = browserWith(world, await world.token({ sessionId }));
  expect((await revoked("/session")).status).toBe(401);
  expect((await renewed("/session")).status).toBe(200);
});

test("another merchant cannot revoke a token", async () => {
  const sessionId = randomUUID();
  const browser = browserWith(world, await world.token({ sessionId }));
  const { headers } = await world.addShop();
  expect((await revoke(sessionId, headers)).status).toBe(404);
  expect((await browser("/session")).status).toBe(200);
});
