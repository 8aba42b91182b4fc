import { afterEach, beforeEach, expect, test } from "vitest";
import { changeWebhookEndpoint } from "../flows/webhooks/change-endpoint.ts";
import { replayWebhook, replayWebhooks } from "../flows/webhooks/replay.ts";
import { sendTestWebhook } from "../flows/webhooks/send-test.ts";
import { analyzeGrownTables } from "../storage/postgres/analyze.ts";
import { statement } from "../storage/postgres/database.ts";
import { clearOldEvents } from "../storage/retention.ts";
import { type ReplayRange, replayRange } from "../storage/webhooks/replays.ts";
import { rowsRead } from "../testing/reading.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import { answerStatus } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(() => world.close());

const deps = () => world.deps;
const rangeOf = (endpointId: string, include: ReplayRange["include"]): ReplayRange => ({
  merchantId: world.merchantId,
  endpointId,
  createdFrom: 0,
  createdTo: undefined,
  eventType: undefined,
  include,
});
const EVENTS = 1_000;
const MANY_EVENTS = statement(
  "test_many_events",
  `insert into events (merchant_id, order_id, event_type, payload)
   select $1, n, 'OrderCreated', '{}' from generate_series(1, ${EVENTS}) n`,
);

const attemptsMade = async () => (await world.attempts()).length;

test("a replay is the same webhook with a new signature and a whole schedule", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  receiver.answer = answerStatus(500);
  const [delivery] = await world.deliveries();
  await replayWebhook(deps(), { merchantId: world.merchantId, id: delivery?.id ?? "" });
  for (let count = 2; count <= 11; count++) {
    await until(async () => (await attemptsMade()) === count);
    const [failed] = await world.deliveries();
    expect(failed?.state).toBe(count === 11 ? "exhausted" : "pending");
    await world.advance(Math.max(0, failed?.dueInSeconds ?? 0));
    dispatcher.wake();
  }
  const { received } = receiver;
  expect(new Set(received.map(({ headers }) => headers["x-webhook-id"])).size).toBe(1);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(received.map(({ headers }) => headers["x-webhook-attempt"])).toEqual(
    Array.from({ length: 11 }, (_, at) => String(at + 1)),
  );
});

test("an endpoint disabled for days gets each event once, oldest first, when it is enabled", async () => {
  const receiver = await world.receive(answerStatus(410));
  const { endpoint } = await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  await until(async () => (await attemptsMade()) === 1);
  for (let order = 2; order <= 30; order++) await world.addEvent(order);
  await world.advance(20 * 86_400);
  receiver.answer = answerStatus(200);
  const key = { merchantId: world.merchantId, endpointId: endpoint.id };
  await changeWebhookEndpoint(deps(), { ...key, by: "merchant", enabled: true });
  dispatcher.wake();
  await until(async () => (await world.deliveries()).every(({ state }) => state === "delivered"));
  const orders = receiver.received.slice(1).map(({ body }) => JSON.parse(body).details.orderId);
  expect(orders.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect(orders.indexOf(30)).toBeGreaterThan(orders.indexOf(10));
});

test.each(["is enabled", "gets another URL"])(
  "an endpoint that %s gets its waiting retries at once",
  async (change) => {
    const receiver = await world.receive(answerStatus(500));
    const healthy = await world.receive();
    const { endpoint } = await world.addEndpoint(receiver.url);
    const key = { merchantId: world.merchantId, endpointId: endpoint.id, by: "merchant" } as const;
    await world.addEvent(1);
    world.dispatch();
    await until(async () => ((await world.deliveries())[0]?.dueInSeconds ?? 0) > 1);
    receiver.answer = answerStatus(200);
    if (change === "is enabled") {
      await changeWebhookEndpoint(deps(), { ...key, enabled: false });
      await changeWebhookEndpoint(deps(), { ...key, enabled: true });
    } else {
      await changeWebhookEndpoint(deps(), { ...key, url: healthy.url });
    }
    expect((await world.deliveries())[0]?.dueInSeconds ?? 0).toBeLessThanOrEqual(0);
    await until(async () => (await world.deliveries())[0]?.state === "delivered");
  },
);

test("a range replay brings a new endpoint what happened before it", async () => {
  for (let order = 1; order <= 10; order++) await world.addEvent(order);
  const receiver = await world.receive();
  const { endpoint } = await world.addEndpoint(receiver.url);
  const range = rangeOf(endpoint.id, "undelivered");
  expect(await replayWebhooks(deps(), range, "count")).toEqual({ matched: 10, replayed: 0 });
  expect(await replayWebhooks(deps(), range, "send")).toEqual({ matched: 10, replayed: 10 });
  world.dispatch();
  await until(() => receiver.received.length === 10);
  await until(async () => (await world.deliveries()).every(({ state }) => state === "delivered"));
  expect(await replayWebhooks(deps(), range, "send")).toEqual({ matched: 0, replayed: 0 });
});

test("a range replay reads no more for each event as events grow, however young its plan", async () => {
  const receiver = await world.receive();
  const { endpoint } = await world.addEndpoint(receiver.url);
  const range = rangeOf(endpoint.id, "all");
  await world.database.transaction((tx) => replayRange(tx, range));
  await world.database.query(MANY_EVENTS, [world.merchantId]);
  await analyzeGrownTables(world.database);
  await world.database.transaction((tx) => replayRange(tx, range));
  const read = await world.database.transaction(async (tx) => {
    await replayRange(tx, range);
    return rowsRead(tx, "deliveries", "events");
  });
  expect(read).toBeLessThan(EVENTS * 10);
});

test("a test is sent once, says that it is one, and its failure is not the endpoint's", async () => {
  const receiver = await world.receive(answerStatus(500));
  const { endpoint } = await world.addEndpoint(receiver.url);
  world.dispatch();
  const key = { merchantId: world.merchantId, endpointId: endpoint.id };
  for (let count = 0; count < 15; count++) await sendTestWebhook(deps(), key);
  await until(async () => (await world.deliveries()).every(({ state }) => state === "exhausted"));
  expect(receiver.received).toHaveLength(15);
  expect(receiver.received[0]?.headers).toMatchObject({
    "x-webhook-test": "true",
    "x-webhook-attempt": "1",
  });
  expect(await world.endpointHealth()).toEqual([{ failures: 0, isPaused: false }]);
  await world.addEvent(1);
  await until(() => receiver.received.length === 16);
  expect(receiver.received[15]?.headers).not.toHaveProperty("x-webhook-test");
});

test("events are kept for 90 days with all that became of them, and no longer", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  await until(async () => (await attemptsMade()) === 1);
  await dispatcher.stop();
  await world.advance(89 * 86_400);
  await world.addEvent(2);
  expect(await clearOldEvents(world.database, 1_000)).toBe(0);
  await world.advance(2 * 86_400);
  expect(await clearOldEvents(world.database, 1_000)).toBe(1);
  expect(await world.deliveries()).toMatchObject([{ orderId: 2 }]);
  expect(await attemptsMade()).toBe(0);
  expect(await clearOldEvents(world.database, 1_000)).toBe(0);
});
