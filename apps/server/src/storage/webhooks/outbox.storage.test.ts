import { afterAll, beforeAll, expect, test } from "vitest";
import { addWebhookEndpoint } from "../../flows/webhooks/add-endpoint.ts";
import { recordEvent } from "../../testing/webhooks/events.ts";
import { makeWorld, payloadOf, type World } from "../../testing/webhooks/world.ts";
import { statement } from "../postgres/database.ts";

let world: World;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const EVENTS = statement(
  "test_events",
  `select order_id::int as order, event_type as type, payload,
     (select count(*)::int from deliveries where event_id = events.id) as deliveries
   from events order by sequence`,
);
const CONFIG_VERSION = statement("test_config", "select version::int from config_version");

test("an event is written with one delivery for each endpoint that subscribed to its type", async () => {
  await world.addMerchant("client_dev_BBBBBBBBBBBBBBBB");
  await addWebhookEndpoint(world.deps, {
    merchantId: "client_dev_BBBBBBBBBBBBBBBB",
    url: "http://localhost:9/other",
  });
  await world.addEvent(1);
  await world.addEndpoint("http://localhost:9/documented");
  await world.addEndpoint("http://localhost:9/all", ["OrderCreated", "OrderUpdated"]);
  await world.addEvent(2, "OrderCreated");
  await world.addEvent(2, "OrderUpdated");
  await world.addEvent(2, "OrderFulfillment");
  await world.addEvent(2, "OrderRefunded");
  expect(await world.database.query(EVENTS)).toMatchObject([
    { order: 1, type: "OrderCreated", deliveries: 0 },
    { order: 2, type: "OrderCreated", deliveries: 2, payload: payloadOf(2, "OrderCreated") },
    { order: 2, type: "OrderUpdated", deliveries: 1 },
    { order: 2, type: "OrderFulfillment", deliveries: 1 },
    { order: 2, type: "OrderRefunded", deliveries: 0 },
  ]);
});

test("an event of a change that is rolled back does not exist", async () => {
  const before = await world.database.query(EVENTS);
  const change = world.database.transaction(async (tx) => {
    await recordEvent(tx, {
      merchantId: world.merchantId,
      orderId: 3n,
      eventType: "OrderCreated",
      payload: payloadOf(3, "OrderCreated"),
    });
    throw new Error("the change failed");
  });
  await expect(change).rejects.toThrow("the change failed");
  expect(await world.database.query(EVENTS)).toEqual(before);
});

test.each([
  ["changed", "update events set payload = '{}'"],
  ["deleted", "delete from events"],
  ["truncated", "truncate events cascade"],
])("an event cannot be %s", async (what, text) => {
  const change = world.database.query(statement(`test_events_${what}`, text));
  await expect(change).rejects.toThrow("events are insert-only");
});

test("the configuration's version changes when an endpoint is added, but not when it fails", async () => {
  const version = async () => (await world.database.query(CONFIG_VERSION))[0];
  const before = await version();
  await world.database.query(
    statement(
      "test_note_failure",
      "update webhook_endpoints set first_failure_at = business_now()",
    ),
  );
  expect(await version()).toEqual(before);
  await world.addEndpoint("http://localhost:9/one-more");
  expect(await version()).not.toEqual(before);
});
