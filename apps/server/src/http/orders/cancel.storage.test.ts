import { randomUUID } from "node:crypto";
import { ENDPOINTS, type OrderData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ok, openBrowser, placeOrder } from "../../testing/checkout-browser.ts";
import { faultsOf, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld();
});
afterAll(() => world.close());

const place = async () => placeOrder(world, await openBrowser(world));

const cancel = (orderId: number, headers: Readonly<Record<string, string>> = world.shop.headers) =>
  world.call<Ok<OrderData>>({ method: "POST", url: `/v1/orders/${orderId}/cancel`, headers });

test("an unpaid one is cancelled by its merchant, and the timeline names the merchant", async () => {
  const { orderId } = await place();
  const { status, body } = await cancel(orderId);
  expect(status).toBe(200);
  expect(faultsOf(ENDPOINTS.cancelOrderByMerchant, body)).toEqual([]);
  expect(body.data).toMatchObject({ status: "cancelled", statusReason: "merchant_cancelled" });
  expect(body.data.timeline.at(-1)).toMatchObject({ status: "cancelled", actor: "merchant" });
});

test("one that has ended is refused and stays as it is", async () => {
  const { orderId } = await place();
  const first = await cancel(orderId);
  const again = await cancel(orderId);
  expect([again.status, again.body.code]).toEqual([409, "INVALID_ORDER_STATE"]);
  const { headers } = world.shop;
  const read = await world.call<Ok<OrderData>>({ url: `/v1/orders/${orderId}`, headers });
  expect(read.body.data).toEqual(first.body.data);
});

test("the same call with the same Idempotency-Key is answered as the first was", async () => {
  const { orderId } = await place();
  const headers = { ...world.shop.headers, "idempotency-key": randomUUID() };
  const first = await cancel(orderId, headers);
  const again = await cancel(orderId, headers);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.text).toBe(first.text);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  const other = await cancel((await place()).orderId, headers);
  expect([other.status, other.body.code]).toEqual([409, "IDEMPOTENCY_CONFLICT"]);
});

test("another merchant's is not found", async () => {
  const { orderId } = await place();
  const { headers } = await world.addShop();
  const reply = await cancel(orderId, headers);
  expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
});
