import type { WebhookFaultKind } from "@exchange/contract";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stopClock } from "../../testing/stopped-clock.ts";
import {
  answerStatus,
  type ReceivedWebhook,
  type Receiver,
} from "../../testing/webhooks/receiver.ts";
import { makeWorld, payloadOf, until, type World } from "../../testing/webhooks/world.ts";
import { documentedSignature, makeSigningKey } from "../../webhooks/signatures.ts";
import { plantWebhookFault } from "./plant-webhook-fault.ts";

let world: World;
let receiver: Receiver;
let secret: string;
beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
  receiver = await world.receive();
  ({ secret } = await world.addEndpoint(receiver.url));
});
afterEach(() => world.close());

const plant = (kind: WebhookFaultKind, more: object = {}) =>
  plantWebhookFault(world.deps, { merchantId: world.merchantId, kind, ...more });
const attemptsMade = async () => (await world.attempts()).length;
const isStandard = (webhook: ReceivedWebhook): boolean => {
  try {
    new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};
const isDocumented = (webhook: ReceivedWebhook): boolean =>
  webhook.headers["x-webhook-signature"] ===
  documentedSignature(makeSigningKey(secret), {
    webhookId: String(webhook.headers["x-webhook-id"]),
    timestamp: Number(webhook.headers["x-webhook-timestamp"]),
    eventType: "OrderCreated",
    orderId: 1n,
    body: "",
  });
const first = async (): Promise<ReceivedWebhook> => {
  await until(async () => (await attemptsMade()) >= 1);
  return receiver.received[0] as ReceivedWebhook;
};

test("a corrupt body is the one that the documented signature does not notice", async () => {
  await plant("corrupt_body");
  await world.addEvent(1);
  world.dispatch();
  const webhook = await first();
  expect(webhook.body).not.toBe(payloadOf(1, "OrderCreated"));
  expect(webhook.body).toHaveLength(payloadOf(1, "OrderCreated").length);
  expect([isStandard(webhook), isDocumented(webhook)]).toEqual([false, true]);
});

test("a corrupt signature holds by neither scheme", async () => {
  await plant("corrupt_signature");
  await world.addEvent(1);
  world.dispatch();
  const webhook = await first();
  expect(webhook.body).toBe(payloadOf(1, "OrderCreated"));
  expect([isStandard(webhook), isDocumented(webhook)]).toEqual([false, false]);
});

test("a stale timestamp is rightly signed, and ten minutes old", async () => {
  await plant("stale_timestamp");
  await world.addEvent(1);
  world.dispatch();
  const webhook = await first();
  expect(isDocumented(webhook)).toBe(true);
  expect(() =>
    new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>),
  ).toThrow("Message timestamp too old");
});

test("a duplicate comes twice with one id, and is one delivery", async () => {
  await plant("duplicate");
  await world.addEvent(1);
  world.dispatch();
  await until(() => receiver.received.length === 2);
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  const [one, two] = receiver.received;
  expect(two?.headers["x-webhook-id"]).toBe(one?.headers["x-webhook-id"]);
  expect(await attemptsMade()).toBe(1);
});

test("a dropped webhook comes on its schedule, with the same id, and no failure is counted", async () => {
  await plant("drop");
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  await until(async () => (await attemptsMade()) === 1);
  expect(receiver.received).toHaveLength(0);
  expect(await world.endpointHealth()).toEqual([{ failures: 0, isPaused: false }]);
  await world.advance(6);
  dispatcher.wake();
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]?.headers["x-webhook-attempt"]).toBe("2");
  expect((await world.attempts())[0]).toMatchObject({ errorClass: "dropped" });
});

test("a delayed webhook comes late and counts as its first attempt; its order's next waits for it", async () => {
  await plant("delay", { delaySeconds: 60, eventType: "OrderCreated" });
  await world.addEvent(1, "OrderCreated");
  await world.addEvent(1, "OrderFulfillment");
  const dispatcher = world.dispatch();
  await until(async () => ((await world.deliveries())[0]?.dueInSeconds ?? 0) > 50);
  dispatcher.wake();
  await world.advance(61);
  dispatcher.wake();
  await until(() => receiver.received.length === 2);
  const types = receiver.received.map(({ body }) => JSON.parse(body).eventType);
  expect(types).toEqual(["OrderCreated", "OrderFulfillment"]);
  expect(receiver.received[0]?.headers["x-webhook-attempt"]).toBe("1");
});

test("a reordered webhook is overtaken by the next of its order", async () => {
  await plant("reorder", { delaySeconds: 60, eventType: "OrderCreated" });
  await world.addEvent(1, "OrderCreated");
  await world.addEvent(1, "OrderFulfillment");
  const dispatcher = world.dispatch();
  await until(() => receiver.received.length === 1);
  await world.advance(61);
  dispatcher.wake();
  await until(() => receiver.received.length === 2);
  const types = receiver.received.map(({ body }) => JSON.parse(body).eventType);
  expect(types).toEqual(["OrderFulfillment", "OrderCreated"]);
});

test("a fault hits as many deliveries as it says, of its endpoint and event only", async () => {
  const other = await world.receive();
  const { endpoint } = await world.addEndpoint(other.url);
  await plant("drop", { deliveries: 2, endpointId: endpoint.id });
  for (let order = 1; order <= 5; order++) await world.addEvent(order);
  world.dispatch();
  await until(async () => (await attemptsMade()) === 10);
  expect([receiver.received.length, other.received.length]).toEqual([5, 3]);
});

test("a corrupt webhook that is refused is tried again, and the next attempt is right", async () => {
  receiver.answer = (response) =>
    response.writeHead(isStandard(receiver.received.at(-1) as ReceivedWebhook) ? 200 : 400).end();
  await plant("corrupt_body");
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  await until(async () => (await attemptsMade()) === 1);
  await world.advance(6);
  dispatcher.wake();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  expect((await world.attempts()).map(({ status }) => status)).toEqual([400, 200]);
  receiver.answer = answerStatus(200);
});
