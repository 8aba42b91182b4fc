import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeWebhookEndpoint } from "../flows/webhooks/change-endpoint.ts";
import { sendTestWebhook } from "../flows/webhooks/send-test.ts";
import { statement } from "../storage/postgres/database.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import type { Answer } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";
import { RETRY_DELAYS_MS } from "./schedule.ts";

let world: World;

beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(() => world.close());

const ENDPOINT = statement(
  "test_moved_endpoint",
  "select state, failures, first_failure_at is not null as failing from webhook_endpoints",
);
const IS_PROVEN = statement(
  "test_moved_endpoint_proven",
  `select failures, proven_at is not null as "isProven" from webhook_endpoints`,
);
const REACH_LAST_ATTEMPT = statement(
  "test_moved_endpoint_last_attempt",
  "update pending_deliveries set attempts = $1",
);

/**
 * Moves an endpoint to another URL while its old one has a webhook of each order and has not answered them. Returns
 * the answers in the order of the orders.
 */
async function moveDuringAttempts(
  orders: readonly number[],
  newUrl?: Answer,
): Promise<readonly ServerResponse[]> {
  const answers: ServerResponse[] = [];
  const old = await world.receive((response) => void answers.push(response));
  const next = await world.receive(newUrl);
  const { endpoint } = await world.addEndpoint(old.url);
  world.dispatch();
  for (const [index, order] of orders.entries()) {
    await world.addEvent(order);
    await until(() => answers.length === index + 1);
  }
  await moveTo(next.url, endpoint.id);
  return answers;
}

const moveTo = (url: string, endpointId: string) =>
  changeWebhookEndpoint(world.deps, {
    merchantId: world.merchantId,
    endpointId,
    by: "merchant",
    url,
  });

test.each([410, 500])(
  "an old URL that answers %i says nothing about the new one",
  async (status) => {
    const [answer] = await moveDuringAttempts([1]);
    answer?.writeHead(status).end();
    await until(async () => (await world.attempts()).length >= 1);
    expect(await world.database.query(ENDPOINT)).toEqual([
      { state: "active", failures: 0, failing: false },
    ]);
  },
);

test("a webhook that the old URL refused is due at the new one at once", async () => {
  const [answer] = await moveDuringAttempts([1]);
  answer?.writeHead(410).end();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  expect((await world.attempts()).map(({ status }) => status)).toEqual([410, 200]);
});

test("a webhook that the new URL refused too waits as its schedule says, whatever the old URL answers to another", async () => {
  const [first, second] = await moveDuringAttempts([1, 2], (response) =>
    response.writeHead(500).end(),
  );
  const triesOf = async (order: number) =>
    (await world.deliveries()).find(({ orderId, isHeld }) => orderId === order && !isHeld)
      ?.attempts;
  first?.writeHead(410).end();
  await until(async () => (await triesOf(1)) === 2);
  second?.writeHead(410).end();
  await until(async () => (await triesOf(2)) === 2);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([await triesOf(1), await triesOf(2)]).toEqual([2, 2]);
});

test("an old URL that accepts a webhook late does not prove the new one, and leaves its failures counted", async () => {
  const [first, second] = await moveDuringAttempts([1, 2], (response) =>
    response.writeHead(500).end(),
  );
  first?.writeHead(500).end();
  await until(async () => (await world.attempts()).some(({ status }) => status === 500));
  await until(async () => (await world.endpointHealth())[0]?.failures === 1);
  second?.writeHead(200).end();
  await until(async () =>
    (await world.deliveries()).some(({ orderId, state }) => orderId === 2 && state === "delivered"),
  );
  expect(await world.database.query(IS_PROVEN)).toEqual([{ failures: 1, isProven: false }]);
});

test("the successes of an earlier URL prove nothing about the new one, and the same URL again changes nothing", async () => {
  const old = await world.receive();
  const next = await world.receive((response) => response.writeHead(500).end());
  const { endpoint } = await world.addEndpoint(old.url);
  await world.addEvent(1);
  world.dispatch();
  await until(async () => (await world.deliveries())[0]?.state === "delivered");
  await moveTo(old.url, endpoint.id);
  expect(await world.database.query(IS_PROVEN)).toEqual([{ failures: 0, isProven: true }]);
  await moveTo(next.url, endpoint.id);
  expect(await world.database.query(IS_PROVEN)).toEqual([{ failures: 0, isProven: false }]);
  await world.addEvent(2);
  await until(async () => (await world.endpointHealth())[0]?.failures === 1);
  await moveTo(next.url, endpoint.id);
  expect(await world.database.query(IS_PROVEN)).toEqual([{ failures: 1, isProven: false }]);
});

test("a webhook that the old URL refused at its last attempt is sent to the new one", async () => {
  const answers: ServerResponse[] = [];
  const old = await world.receive((response) => void answers.push(response));
  const next = await world.receive();
  const { endpoint } = await world.addEndpoint(old.url);
  await world.addEvent(1);
  await world.database.query(REACH_LAST_ATTEMPT, [RETRY_DELAYS_MS.length]);
  world.dispatch();
  await until(() => answers.length === 1);
  await moveTo(next.url, endpoint.id);
  answers[0]?.writeHead(500).end();
  await until(async () => (await world.deliveries())[0]?.state !== "pending");
  expect((await world.deliveries())[0]).toMatchObject({ state: "delivered" });
});

test("a test webhook that the old URL refused is not sent to the new one", async () => {
  const answers: ServerResponse[] = [];
  const old = await world.receive((response) => void answers.push(response));
  const next = await world.receive();
  const { endpoint } = await world.addEndpoint(old.url);
  world.dispatch();
  const { merchantId } = world;
  await sendTestWebhook(world.deps, { merchantId, endpointId: endpoint.id });
  await until(() => answers.length === 1);
  await moveTo(next.url, endpoint.id);
  answers[0]?.writeHead(500).end();
  await until(async () => (await world.deliveries())[0]?.state !== "pending");
  expect((await world.deliveries())[0]).toMatchObject({ state: "exhausted", attempts: 1 });
});
