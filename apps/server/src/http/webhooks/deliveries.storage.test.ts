import { randomUUID } from "node:crypto";
import {
  ENDPOINTS,
  type WebhookDelivery,
  type WebhookDeliveryDetail,
  type WebhookEventType,
} from "@exchange/contract";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { statement } from "../../storage/postgres/database.ts";
import type { Ok } from "../../testing/checkout-browser.ts";
import {
  type ErrorReply,
  faultsOf,
  type HttpWorld,
  makeHttpWorld,
  type Shop,
} from "../../testing/http-world.ts";
import { recordEvent } from "../../testing/webhooks/events.ts";
import { payloadOf } from "../../testing/webhooks/world.ts";

let world: HttpWorld;
let shop: Shop;
beforeAll(async () => {
  world = await makeHttpWorld();
});
beforeEach(async () => {
  shop = await world.addShop();
});
afterAll(() => world.close());

const call = <Body = ErrorReply>(url: string, options: InjectOptions = {}) =>
  world.call<Body>({ url: `/v1${url}`, headers: shop.headers, ...options });
const post = <Body = ErrorReply>(url: string, payload: object = {}) =>
  call<Body>(url, { method: "POST", payload });

const addEndpoint = async (payload: object = {}): Promise<string> => {
  const url = "https://shop.example/hook";
  const reply = await post<Ok<{ id: string }>>("/webhook_endpoints", { url, ...payload });
  return reply.body.data.id;
};
const addEvent = (orderId: number, eventType: WebhookEventType = "OrderCreated") =>
  world.database.transaction((tx) =>
    recordEvent(tx, {
      merchantId: shop.clientId,
      orderId: BigInt(orderId),
      eventType,
      payload: payloadOf(orderId, eventType),
    }),
  );
const listed = async (query = ""): Promise<WebhookDelivery[]> => {
  const reply = await call<{ data: WebhookDelivery[] }>(`/webhook_deliveries${query}`);
  expect(reply.status, reply.text).toBe(200);
  expect(faultsOf(ENDPOINTS.listWebhookDeliveries, reply.body)).toEqual([]);
  return reply.body.data;
};
const ordersOf = (deliveries: readonly WebhookDelivery[]) =>
  deliveries.map(({ orderId }) => orderId);

/** Sets the deliveries to the states that workers leave. */
const setState = (orderId: number, state: "delivered" | "exhausted") =>
  world.database.query(
    statement(
      "test_set_state",
      `with ended as (
         delete from pending_deliveries where merchant_id = $1 and order_id = $2
       )
       update deliveries set attempts = 10, attempted_at = business_now(),
         status = case when $3 = 'delivered' then 204 end,
         given_up = case when $3 <> 'delivered' then $3 end
       where merchant_id = $1 and order_id = $2`,
    ),
    [shop.clientId, orderId, state],
  );
const createdBefore = (orderIds: readonly number[], interval: string) =>
  world.database.query(
    statement(
      "test_created_before",
      `update deliveries set created_at = date_trunc('day', business_now()) - $3::interval
       where merchant_id = $1 and order_id = any ($2)`,
    ),
    [shop.clientId, orderIds, interval],
  );
const addAttempt = (deliveryId: string, excerpt: Buffer) =>
  world.database.query(
    statement(
      "test_add_attempt",
      `with failed as (
         update deliveries set attempts = attempts + 1 where merchant_id = $1 and id = $2
         returning attempts)
       insert into past_attempts (merchant_id, delivery_id, number, started_at, duration_ms,
         status, error_class, response_excerpt)
       select $1, $2, attempts, business_now(), 12, 503, 'http_status', $3 from failed`,
    ),
    [shop.clientId, deliveryId, excerpt],
  );

describe("the list of deliveries", () => {
  test("is newest first, page by page, and narrowed by what is asked for", async () => {
    const endpoint = await addEndpoint();
    const other = await addEndpoint({ eventTypes: ["OrderUpdated"] });
    for (const orderId of [1, 2, 3]) await addEvent(orderId);
    await addEvent(4, "OrderUpdated");
    await setState(2, "exhausted");
    expect(ordersOf(await listed())).toEqual([4, 3, 2, 1]);
    expect(ordersOf(await listed(`?endpointId=${endpoint}`))).toEqual([3, 2, 1]);
    expect(ordersOf(await listed(`?endpointId=${other}`))).toEqual([4]);
    expect(ordersOf(await listed("?eventType=OrderUpdated"))).toEqual([4]);
    expect(ordersOf(await listed("?status=exhausted"))).toEqual([2]);
    expect(ordersOf(await listed("?orderId=3"))).toEqual([3]);
    const now = Math.floor(Date.now() / 1000);
    expect(ordersOf(await listed(`?createdFrom=${now - 60}&createdTo=${now + 60}`))).toHaveLength(
      4,
    );
    expect(await listed(`?createdFrom=${now + 60}`)).toEqual([]);
    const page = await call<{ data: WebhookDelivery[]; nextCursor: string }>(
      "/webhook_deliveries?limit=3",
    );
    await addEvent(5);
    expect(ordersOf(await listed(`?limit=3&cursor=${page.body.nextCursor}`))).toEqual([1]);
  });

  test("pages neither skip nor repeat a delivery of one moment, nor one made under another clock", async () => {
    await addEndpoint();
    for (const orderId of [1, 2, 3, 4, 5]) await addEvent(orderId);
    await createdBefore([2, 3, 4], "1 day 0.000001 second");
    const seen: number[] = [];
    for (let cursor = ""; cursor !== "end"; ) {
      const page = await call<{ data: WebhookDelivery[]; nextCursor?: string }>(
        `/webhook_deliveries?limit=2${cursor}`,
      );
      seen.push(...ordersOf(page.body.data));
      cursor = page.body.nextCursor ? `&cursor=${page.body.nextCursor}` : "end";
    }
    expect(seen).toEqual([5, 1, 4, 3, 2]);
  });

  test("has the attempts of each, with what the endpoint answered, whatever its bytes are", async () => {
    await addEndpoint();
    await addEvent(1);
    const [delivery] = await listed();
    expect(delivery).toMatchObject({ status: "pending", attemptCount: 0, test: false });
    await addAttempt(delivery?.id ?? "", Buffer.from([0x6e, 0x6f, 0xff, 0x00, 0xc3]));
    const [attempted] = await listed();
    expect(attempted?.attempts).toEqual([
      {
        number: 1,
        startedAt: expect.any(Number),
        durationMs: 12,
        status: 503,
        fault: "http_status",
        plantedFault: null,
        responseExcerpt: "no\ufffd\u0000\ufffd",
      },
    ]);
  });

  test.each(["?cursor=x", "?endpointId=1", "?status=lost", "?createdFrom=-1", "?orderId=x"])(
    "refuses %s",
    async (query) => {
      const reply = await call(`/webhook_deliveries${query}`);
      expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    },
  );
});

test("one delivery is read with its exact body, by its merchant only", async () => {
  await addEndpoint();
  await addEvent(7);
  const [delivery] = await listed();
  const read = await call<Ok<WebhookDeliveryDetail>>(`/webhook_deliveries/${delivery?.id}`);
  expect(read.text).toContain(`"payload":${payloadOf(7, "OrderCreated")}`);
  expect(read.body.data).toMatchObject({ ...delivery });
  shop = await world.addShop();
  expect((await call(`/webhook_deliveries/${delivery?.id}`)).status).toBe(404);
  expect((await post(`/webhook_deliveries/${delivery?.id}/replay`)).status).toBe(404);
});

describe("a replay", () => {
  test("of one sends it again under its id and restarts its schedule", async () => {
    await addEndpoint();
    await addEvent(1);
    await setState(1, "delivered");
    const [delivery] = await listed();
    const reply = await post<Ok<WebhookDelivery>>(`/webhook_deliveries/${delivery?.id}/replay`);
    expect(faultsOf(ENDPOINTS.replayWebhookDelivery, reply.body)).toEqual([]);
    expect(reply.body.data).toMatchObject({
      id: delivery?.id,
      status: "pending",
      attemptCount: 10,
    });
    const rows = await world.database.query(
      statement(
        "test_schedule_of",
        "select attempts as made from pending_deliveries where delivery_id = $1",
      ),
      [delivery?.id],
    );
    expect(rows).toEqual([{ made: 0 }]);
  });

  test("to an endpoint that was removed is refused", async () => {
    const endpoint = await addEndpoint();
    await addEvent(1);
    const [delivery] = await listed();
    await call(`/webhook_endpoints/${endpoint}`, { method: "DELETE" });
    const reply = await post(`/webhook_deliveries/${delivery?.id}/replay`);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  });

  test.each(["delivered", "exhausted"] as const)(
    "of one that was %s to an endpoint that was removed is refused, and the result stays",
    async (state) => {
      const endpoint = await addEndpoint();
      await addEvent(1);
      await setState(1, state);
      const [delivery] = await listed();
      await call(`/webhook_endpoints/${endpoint}`, { method: "DELETE" });
      const reply = await post(`/webhook_deliveries/${delivery?.id}/replay`);
      expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
      expect(await listed()).toEqual([delivery]);
    },
  );

  const range = (endpointId: string, more: object = {}) =>
    post<Ok<{ matched: number; replayed: number; dryRun: boolean }>>("/webhook_deliveries/replay", {
      endpointId,
      createdFrom: 0,
      ...more,
    });

  test("of a range sends what was not taken and what was never sent, after a dry run that changes nothing", async () => {
    const endpoint = await addEndpoint();
    for (const orderId of [1, 2, 3]) await addEvent(orderId);
    await setState(1, "delivered");
    await setState(2, "exhausted");
    const late = await addEndpoint();
    const dry = await range(endpoint, { dryRun: true });
    expect(faultsOf(ENDPOINTS.replayWebhookDeliveries, dry.body)).toEqual([]);
    expect(dry.body.data).toEqual({ dryRun: true, matched: 1, replayed: 0 });
    expect(ordersOf(await listed("?status=exhausted"))).toEqual([2]);
    expect((await range(endpoint)).body.data).toEqual({ dryRun: false, matched: 1, replayed: 1 });
    expect(await listed("?status=exhausted")).toEqual([]);
    expect((await range(endpoint)).body.data.replayed).toBe(0);
    expect((await range(late)).body.data.replayed).toBe(3);
    expect((await range(late)).body.data.replayed).toBe(0);
    expect(ordersOf(await listed(`?endpointId=${late}`))).toEqual([3, 2, 1]);
  });

  test("of a range sends what was taken too when asked, and keeps to times and types", async () => {
    const endpoint = await addEndpoint();
    await addEvent(1);
    await addEvent(2, "OrderFulfillment");
    for (const orderId of [1, 2]) await setState(orderId, "delivered");
    const now = Math.floor(Date.now() / 1000);
    expect((await range(endpoint)).body.data.matched).toBe(0);
    const all = { include: "all", dryRun: true };
    expect((await range(endpoint, all)).body.data.matched).toBe(2);
    const one = { ...all, eventType: "OrderFulfillment" };
    expect((await range(endpoint, one)).body.data.matched).toBe(1);
    expect((await range(endpoint, { ...all, createdTo: now - 60 })).body.data.matched).toBe(0);
    expect((await range(endpoint, { ...all, createdFrom: now + 60 })).body.data.matched).toBe(0);
  });

  test("of another merchant's endpoint is not found", async () => {
    const endpoint = await addEndpoint();
    shop = await world.addShop();
    expect((await range(endpoint)).status).toBe(404);
    expect((await range(randomUUID())).status).toBe(404);
  });
});

test("an event at a disabled endpoint waits and is sent when it is enabled; nothing is lost", async () => {
  const endpoint = await addEndpoint();
  await call(`/webhook_endpoints/${endpoint}`, { method: "PATCH", payload: { enabled: false } });
  await addEvent(1);
  expect(await listed()).toMatchObject([{ orderId: 1, status: "pending" }]);
});

describe("a test webhook", () => {
  test("is about no order, and does not stand among the events", async () => {
    const endpoint = await addEndpoint();
    const reply = await post<Ok<WebhookDelivery>>(`/webhook_endpoints/${endpoint}/test`, {
      eventType: "OrderFulfillment",
    });
    expect(reply.status).toBe(201);
    expect(faultsOf(ENDPOINTS.testWebhookEndpoint, reply.body)).toEqual([]);
    const { id } = reply.body.data;
    expect(reply.body.data).toMatchObject({
      endpointId: endpoint,
      eventType: "OrderFulfillment",
      orderId: 0,
      test: true,
      status: "pending",
    });
    const read = await call<Ok<WebhookDeliveryDetail>>(`/webhook_deliveries/${id}`);
    expect(faultsOf(ENDPOINTS.readWebhookDelivery, read.body)).toEqual([]);
    expect(read.body.data.payload).toMatchObject({
      sessionId: expect.stringMatching(/^exchange-test-/),
      details: { orderId: 0, fulfilled: true },
    });
    await addEvent(5);
    const feed = await call<{ data: { sequence: number }[] }>("/events");
    expect(feed.body.data).toMatchObject([{ sequence: 1, payload: { details: { orderId: 5 } } }]);
  });

  test("to a disabled endpoint is refused", async () => {
    const endpoint = await addEndpoint();
    await call(`/webhook_endpoints/${endpoint}`, { method: "PATCH", payload: { enabled: false } });
    const reply = await post(`/webhook_endpoints/${endpoint}/test`);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
    expect(reply.body.message).toContain("Enable it first");
  });
});

describe("faults of the sandbox", () => {
  const FAULTS = "/sandbox/webhooks/faults";

  test("are planted, seen by their merchant only, and cleared", async () => {
    const endpointId = await addEndpoint();
    const planted = await post<Ok<object>>(FAULTS, { fault: "delay", endpointId, deliveries: 3 });
    expect(planted.status).toBe(201);
    expect(faultsOf(ENDPOINTS.plantWebhookFault, planted.body)).toEqual([]);
    expect(planted.body.data).toMatchObject({
      fault: "delay",
      endpointId,
      eventType: null,
      delaySeconds: 5,
      deliveriesLeft: 3,
    });
    const mine = shop;
    shop = await world.addShop();
    expect((await call<Ok<unknown>>(FAULTS)).body.data).toEqual([]);
    expect((await post(FAULTS, { fault: "drop", endpointId })).status).toBe(404);
    await call(FAULTS, { method: "DELETE" });
    shop = mine;
    const seen = await call<Ok<unknown>>(FAULTS);
    expect(faultsOf(ENDPOINTS.listWebhookFaults, seen.body)).toEqual([]);
    expect(seen.body.data).toEqual([planted.body.data]);
    expect((await call(FAULTS, { method: "DELETE" })).status).toBe(204);
    expect((await call<Ok<unknown>>(FAULTS)).body.data).toEqual([]);
  });

  test.each([
    [{ fault: "explode" }],
    [{}],
    [{ fault: "drop", delaySeconds: 5 }],
    [{ fault: "drop", deliveries: 0 }],
    [{ fault: "delay", delaySeconds: 86_401 }],
  ])("%j is refused", async (payload) => {
    const reply = await post(FAULTS, payload);
    expect([reply.status, reply.body.code]).toEqual([400, "INVALID_INPUT"]);
  });
});

test("there are no faults in prod", async () => {
  const prod = await makeHttpWorld({ deps: { environment: "prod" } });
  const reply = await prod.call({
    method: "POST",
    url: "/v1/sandbox/webhooks/faults",
    headers: prod.shop.headers,
    payload: { fault: "drop" },
  });
  expect(reply.status).toBe(404);
  await prod.close();
});
