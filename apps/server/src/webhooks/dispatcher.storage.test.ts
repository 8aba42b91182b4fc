import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { statement } from "../storage/postgres/database.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import { answerStatus, type ReceivedWebhook } from "../testing/webhooks/receiver.ts";
import { makeWorld, payloadOf, until, type World } from "../testing/webhooks/world.ts";
import { makePoster } from "./poster.ts";
import { documentedSignature, makeSigningKey } from "./signatures.ts";

let world: World;

beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(() => world.close());

const EVENTS = statement(
  "test_events",
  'select order_id::int as "orderId" from events order by id',
);
const idOf = (webhook: ReceivedWebhook | undefined) => webhook?.headers["x-webhook-id"];
const isOver = async () => (await world.deliveries()).every(({ isHeld }) => !isHeld);
const attemptsMade = async () => (await world.attempts()).length;
const posterOf = (totalTimeoutMs: number) =>
  makePoster({
    policy: { allowSandboxTargets: true },
    connectTimeoutMs: 60_000,
    totalTimeoutMs,
  });

test("a delivery carries the exact body, the documented and the standard signature, under one id", async () => {
  const receiver = await world.receive();
  const { secret } = await world.addEndpoint(receiver.url);
  await world.addEvent(7, "OrderFulfillment");
  world.dispatch();
  await until(async () => (await attemptsMade()) === 1);
  const [webhook] = receiver.received;
  const [delivery] = await world.deliveries();
  expect(delivery).toMatchObject({ state: "delivered", attempts: 1, isHeld: false });
  expect(webhook?.body).toBe(payloadOf(7, "OrderFulfillment"));
  expect(webhook?.headers).toMatchObject({
    "x-webhook-id": delivery?.id,
    "webhook-id": delivery?.id,
    "webhook-timestamp": webhook?.headers["x-webhook-timestamp"],
    "x-webhook-attempt": "1",
    "x-webhook-signature": documentedSignature(makeSigningKey(secret), {
      webhookId: delivery?.id ?? "",
      timestamp: Number(webhook?.headers["x-webhook-timestamp"]),
      eventType: "OrderFulfillment",
      orderId: 7n,
      body: "",
    }),
    "content-type": "application/json",
  });
  const library = new Webhook(secret);
  const headers = webhook?.headers as Record<string, string>;
  expect(library.verify(webhook?.body ?? "", headers)).toMatchObject({ sessionId: "s-7" });
  expect(() => library.verify(`${webhook?.body} `, headers)).toThrow("No matching signature");
});

test("a delivery that fails is sent again after the scheduled wait, under the same id with a new signature", async () => {
  const receiver = await world.receive((response, nth) =>
    response.writeHead(nth === 1 ? 500 : 200).end("why"),
  );
  const { secret } = await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  let realTime = Date.now() - 600_000;
  const realNow = () => new Date((realTime += 250_000));
  const dispatcher = world.dispatch({ realNow });
  await until(async () => (await attemptsMade()) === 1);
  const [failed] = await world.deliveries();
  expect(failed).toMatchObject({ state: "pending", attempts: 1 });
  expect(failed?.dueInSeconds).toBeGreaterThan(0);
  expect(failed?.dueInSeconds).toBeLessThanOrEqual(5);
  await world.advance(5);
  dispatcher.wake();
  await until(async () => (await attemptsMade()) === 2);
  const [first, second] = receiver.received;
  expect(idOf(second)).toBe(idOf(first));
  expect(second?.headers["x-webhook-attempt"]).toBe("2");
  expect(second?.headers["webhook-timestamp"]).not.toBe(first?.headers["webhook-timestamp"]);
  expect(second?.headers["webhook-signature"]).not.toBe(first?.headers["webhook-signature"]);
  const headers = second?.headers as Record<string, string>;
  expect(new Webhook(secret).verify(second?.body ?? "", headers)).toBeTruthy();
  expect(await world.attempts()).toMatchObject([
    { number: 1, status: 500, errorClass: "http_status" },
    { number: 2, status: 200, errorClass: null },
  ]);
});

test("a delivery that fails ten times over the whole schedule is exhausted, its event kept", async () => {
  const receiver = await world.receive(answerStatus(503));
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  const dispatcher = world.dispatch();
  for (let count = 1; count <= 10; count++) {
    await until(async () => (await attemptsMade()) === count);
    const [delivery] = await world.deliveries();
    await world.advance(Math.max(0, delivery?.dueInSeconds ?? 0));
    dispatcher.wake();
  }
  await world.advance(86_400);
  await world.addEvent(2);
  await until(async () => (await attemptsMade()) === 11);
  expect(await world.deliveries()).toMatchObject([
    { orderId: 1, state: "exhausted", attempts: 10 },
    { orderId: 2, state: "pending", attempts: 1 },
  ]);
  expect(await world.database.query(EVENTS)).toEqual([{ orderId: 1 }, { orderId: 2 }]);
});

test("a delivery waits for Retry-After", async () => {
  const receiver = await world.receive(answerStatus(429, { "retry-after": "600" }));
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  world.dispatch();
  await until(async () => (await attemptsMade()) === 1);
  const [delivery] = await world.deliveries();
  expect(delivery?.dueInSeconds).toBeGreaterThan(500);
  expect(delivery?.dueInSeconds).toBeLessThanOrEqual(600);
});

test.each([
  ["never answers", () => {}, 300, { errorClass: "timeout", status: null }],
  [
    "redirects",
    answerStatus(302, { location: "http://169.254.169.254/" }),
    60_000,
    { errorClass: "redirect", status: 302 },
  ],
])("a delivery to an endpoint that %s has failed", async (_what, answer, timeoutMs, expected) => {
  const receiver = await world.receive(answer);
  await world.addEndpoint(receiver.url);
  await world.addEvent(1);
  world.dispatch({ poster: posterOf(timeoutMs) });
  await until(async () => (await attemptsMade()) === 1);
  expect(await world.attempts()).toMatchObject([{ number: 1, ...expected }]);
  expect(await world.deliveries()).toMatchObject([{ state: "pending", isHeld: false }]);
});

test("a delivery whose secret was moved from another row is never sent", async () => {
  const receiver = await world.receive();
  await world.addEndpoint(receiver.url);
  await world.addEndpoint(receiver.url);
  await world.database.query(
    statement(
      "test_swap_secrets",
      `update webhook_endpoints e set secret_sealed =
         (select secret_sealed from webhook_endpoints o where o.id <> e.id)`,
    ),
  );
  await world.addEvent(1);
  world.dispatch();
  await until(async () => (await attemptsMade()) === 2);
  expect(receiver.received).toHaveLength(0);
  const attempts = await world.attempts();
  expect(attempts.map(({ errorClass }) => errorClass)).toEqual(["secret", "secret"]);
});

describe("an endpoint", () => {
  const endpoints = statement(
    "test_endpoints",
    `select state, disabled_reason as reason, first_failure_at is not null as failing
     from webhook_endpoints`,
  );

  test("that answers 410 is disabled, and what waits for it and comes after stays", async () => {
    const receiver = await world.receive(answerStatus(410));
    await world.addEndpoint(receiver.url);
    await world.addEvent(1);
    world.dispatch();
    await until(async () => (await attemptsMade()) === 1);
    expect(await world.database.query(endpoints)).toMatchObject([
      { state: "disabled", reason: "gone" },
    ]);
    await world.advance(86_400);
    const other = await world.receive();
    await world.addEndpoint(other.url);
    await world.addEvent(2);
    await until(async () => other.received.length === 1 && (await isOver()));
    expect(await world.deliveries()).toMatchObject([
      { orderId: 1, state: "pending" },
      ...Array(2).fill({ orderId: 2 }),
    ]);
    const states = (await world.deliveries()).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["delivered", "pending", "pending"]);
    expect(receiver.received).toHaveLength(1);
  });

  test("with only failures for 5 days, ten of them, is disabled, not sooner", async () => {
    const receiver = await world.receive(answerStatus(500));
    await world.addEndpoint(receiver.url);
    const dispatcher = world.dispatch();
    let failures = 0;
    const fail = async () => {
      await world.addEvent(100 + failures);
      dispatcher.wake();
      failures++;
      await until(async () => (await attemptsMade()) >= failures && (await isOver()));
      failures = await attemptsMade();
    };
    await fail();
    await world.advance(5 * 86_400 - 600);
    while (failures < 12) {
      await fail();
      await world.advance(40);
    }
    expect(await world.database.query(endpoints)).toMatchObject([{ state: "active" }]);
    await world.advance(700);
    await fail();
    expect(await world.database.query(endpoints)).toMatchObject([
      { state: "disabled", reason: "failing" },
    ]);
    expect(await world.endpointLog()).toEqual(["added", "failing_for_a_day", "disabled"]);
  });

  test("with few failures in 5 days stays, however long they last", async () => {
    const receiver = await world.receive(answerStatus(500));
    await world.addEndpoint(receiver.url);
    world.dispatch();
    await world.addEvent(1);
    await until(async () => (await attemptsMade()) === 1);
    await world.advance(30 * 86_400);
    await world.addEvent(2);
    await until(async () => (await attemptsMade()) === 3);
    expect(await world.database.query(endpoints)).toMatchObject([{ state: "active" }]);
  });

  test("is healthy again after one success", async () => {
    const receiver = await world.receive((response, nth) =>
      response.writeHead(nth === 1 ? 500 : 200).end(),
    );
    await world.addEndpoint(receiver.url);
    world.dispatch();
    await world.addEvent(1);
    await until(async () => (await attemptsMade()) === 1);
    expect(await world.database.query(endpoints)).toMatchObject([{ failing: true }]);
    await world.addEvent(2);
    await until(async () => (await attemptsMade()) === 2);
    expect(await world.database.query(endpoints)).toMatchObject([{ failing: false }]);
  });
});
