import { afterEach, beforeEach, expect, test } from "vitest";
import type { PurchaseView } from "./purchase-routes.ts";
import { CUSTOMER_URL, PAYABLE_ORDER_ID, Stage, signedWebhook } from "./testing/stage.ts";

let stage: Stage;

beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const simulate = (body: unknown): Promise<Response> => stage.post("/api/simulate-payment", body);

test("a payment is simulated only for an order that a webhook announced", async () => {
  const sessionId = await stage.startPurchase();
  expect((await simulate({ sessionId })).status).toBe(404);
  expect((await simulate({ sessionId: "another" })).status).toBe(404);
  await stage.deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }));
  expect((await simulate({ sessionId })).status).toBe(202);
  expect(stage.deposits).toEqual([{ orderId: 4200017 }]);
});

test("a simulated payment that Exchange refuses is answered with 409", async () => {
  const sessionId = await stage.startPurchase();
  const created = signedWebhook({ sessionId, eventType: "OrderCreated", details: { orderId: 7 } });
  await stage.deliver(created);
  expect((await simulate({ sessionId })).status).toBe(409);
});

async function placeOrder(status: string): Promise<string> {
  const sessionId = await stage.startPurchase();
  stage.orderStatuses.set(PAYABLE_ORDER_ID, status);
  await stage.deliver(signedWebhook({ sessionId, eventType: "OrderCreated" }));
  return sessionId;
}

const read = async (sessionId: string): Promise<PurchaseView> =>
  (await (await stage.get(`/api/purchases/${sessionId}`)).json()) as PurchaseView;

test("the page of an order that waits is shown to the browser that began it, and to no other", async () => {
  const sessionId = await placeOrder("awaiting_payment");
  const own = await read(sessionId);
  expect(own).toMatchObject({ status: "order_placed", customerUrl: CUSTOMER_URL });
  stage.changeBrowser();
  expect(await read(sessionId)).toEqual({ ...own, customerUrl: null });
  await stage.startPurchase();
  expect(await read(sessionId)).toEqual({ ...own, customerUrl: null });
});

test("a browser that knows a session of another one gets a session of its own", async () => {
  const sessionId = await stage.startPurchase();
  stage.changeBrowser();
  const answer = await stage.post("/api/checkout", { sessionId, productId: "bitcoin-100-eur" });
  expect(answer.status).toBe(201);
  expect(((await answer.json()) as { sessionId: string }).sessionId).not.toBe(sessionId);
});

test("the cookie of a browser is out of reach for scripts and for other sites, and needs https outside of dev", async () => {
  const cookieOf = async (shop: Stage) =>
    (await shop.post("/api/checkout", { productId: "bitcoin-100-eur" })).headers.get("set-cookie");
  const attributes =
    /^shop-browser=[\w-]{36}; Max-Age=86400; Path=\/api; HttpOnly; SameSite=Strict/;
  expect(await cookieOf(stage)).toMatch(attributes);
  const live = await Stage.open({ environment: "prod" });
  expect(await cookieOf(live)).toMatch(/; Secure$/);
  await live.close();
});

test.each(["expired", "cancelled", "failed", "refunded"])(
  "a purchase whose order is %s has ended, and late money still makes it paid",
  async (status) => {
    const sessionId = await placeOrder(status);
    expect(await read(sessionId)).toMatchObject({ status: "ended", customerUrl: null });
    await stage.deliver(signedWebhook({ sessionId, details: { fulfilled: true } }));
    expect(await stage.statusOf(sessionId)).toBe("paid");
  },
);
