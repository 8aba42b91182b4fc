import { randomUUID } from "node:crypto";
import type { OrderData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { disableMerchant } from "../../flows/merchants/update.ts";
import { cancelOrder } from "../../flows/orders/cancel.ts";
import { revokeSessionToken } from "../../flows/sessions/revoke-token.ts";
import { browserWith, placeOrder } from "../../testing/checkout-browser.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { operatorNamed } from "../../testing/operators.ts";

let world: HttpWorld;
let address: string;
beforeAll(async () => {
  world = await makeHttpWorld();
  address = await world.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => world.close());

const follow = (orderId: number, token: string) =>
  fetch(`${address}/v1/checkout/orders/${orderId}/events`, {
    headers: { authorization: `Bearer ${token}` },
  });

/** The events of a stream, in order, without the comments that keep a quiet one open. */
async function* eventsOf(response: Response): AsyncGenerator<OrderData> {
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString("utf8");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      if (lines[0]?.startsWith(":")) continue;
      expect(lines[0]).toBe("event: order");
      yield JSON.parse(lines[2]?.slice("data: ".length) ?? "") as OrderData;
    }
  }
}

test("a popup hears of its order at once and of each change, until the service closes", async () => {
  const token = await world.token();
  const browser = browserWith(world, token);
  const { orderId } = await placeOrder(world, browser);
  const response = await follow(orderId, token);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events = eventsOf(response);
  expect((await events.next()).value).toMatchObject({ orderId, status: "awaiting_payment" });
  await browser(`/orders/${orderId}/cancel`, { method: "POST" });
  const streamedOrder = (await events.next()).value as OrderData;
  expect(streamedOrder).toMatchObject({ status: "cancelled", statusReason: "user_cancelled" });
  const read = await browser<{ data: OrderData }>(`/orders/${orderId}`);
  expect(streamedOrder).toEqual(read.body.data);
});

test("one that looks away is forgotten, and the next one hears all the same", async () => {
  const token = await world.token();
  const { orderId } = await placeOrder(world, browserWith(world, token));
  const first = await follow(orderId, token);
  await first.body?.cancel();
  const { value } = await eventsOf(await follow(orderId, token)).next();
  expect(value).toMatchObject({ orderId });
});

test("another session's order is refused before anything is streamed", async () => {
  const { orderId } = await placeOrder(world, browserWith(world, await world.token()));
  const response = await follow(orderId, await world.token());
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
});

test("a closing service ends the streams", async () => {
  const closing = await makeHttpWorld();
  const at = await closing.app.listen({ port: 0, host: "127.0.0.1" });
  const token = await closing.token();
  const { orderId } = await placeOrder(closing, browserWith(closing, token));
  const response = await fetch(`${at}/v1/checkout/orders/${orderId}/events`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const events = eventsOf(response);
  await events.next();
  const ended = events.next();
  await closing.close();
  expect(await ended).toMatchObject({ done: true });
});

test("a fourth stream of a session ends the first one", async () => {
  const token = await world.token();
  const { orderId } = await placeOrder(world, browserWith(world, token));
  const streams = [];
  for (let n = 0; n < 4; n += 1) {
    const events = eventsOf(await follow(orderId, token));
    await events.next();
    streams.push(events);
  }
  const [first, ...others] = streams;
  expect(await first?.next()).toMatchObject({ done: true });
  await browserWith(world, token)(`/orders/${orderId}/cancel`, { method: "POST" });
  for (const events of others) {
    expect((await events.next()).value).toMatchObject({ status: "cancelled" });
    await events.return(undefined);
  }
});

test("a stream whose token was revoked ends", async () => {
  const sessionId = randomUUID();
  const token = await world.token({ sessionId });
  const { orderId } = await placeOrder(world, browserWith(world, token));
  const events = eventsOf(await follow(orderId, token));
  expect((await events.next()).value).toMatchObject({ orderId });
  await revokeSessionToken(world.deps, { merchantId: world.shop.clientId, sessionId });
  const laterMs = performance.now() + 20_000;
  const clock = vi.spyOn(performance, "now").mockReturnValue(laterMs);
  await world.call({
    method: "POST",
    url: `/v1/orders/${orderId}/cancel`,
    headers: world.shop.headers,
  });
  expect((await events.next()).done).toBe(true);
  clock.mockRestore();
});

test("a stream of a merchant that was disabled ends", async () => {
  const { clientId: merchantId, headers } = await world.addShop();
  const payload = { sessionId: randomUUID() };
  const request = { method: "POST", url: "/v1/public_token/create", headers, payload } as const;
  const made = await world.call<{ data: { accessToken: string } }>(request);
  const token = made.body.data.accessToken;
  const { orderId } = await placeOrder(world, browserWith(world, token));
  const events = eventsOf(await follow(orderId, token));
  expect((await events.next()).value).toMatchObject({ orderId });
  const by = operatorNamed("anna");
  await disableMerchant(world.deps, { merchantId, reason: "a test", by });
  await world.refresh();
  const laterMs = performance.now() + 20_000;
  const clock = vi.spyOn(performance, "now").mockReturnValue(laterMs);
  await cancelOrder(world.deps, { merchantId, orderId: BigInt(orderId), by: "operator" });
  expect((await events.next()).done).toBe(true);
  clock.mockRestore();
});

test("a stream whose token expired while the process was paused ends without another event", async () => {
  const token = await world.token();
  const { orderId } = await placeOrder(world, browserWith(world, token));
  const events = eventsOf(await follow(orderId, token));
  expect((await events.next()).value).toMatchObject({ orderId });
  const { clientId: merchantId } = world.shop;
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 86_400_000);
  await cancelOrder(world.deps, { merchantId, orderId: BigInt(orderId), by: "operator" });
  expect(await events.next()).toMatchObject({ done: true });
  clock.mockRestore();
});
