import { afterEach, beforeEach, expect, test } from "vitest";
import { statement } from "../storage/postgres/database.ts";
import { BREAKER, noteEndpointFailure } from "../storage/webhooks/endpoint-health.ts";
import { stopClock } from "../testing/stopped-clock.ts";
import { answerStatus } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(() => world.close());

const PAUSE = statement(
  "test_pause",
  `select extract(epoch from paused_until - business_now())::float as "inSeconds",
     paused_until is not null as "isPaused"
   from webhook_endpoints`,
);
const pauseOf = async () => {
  const [row] = await world.database.query<{ inSeconds: number | null; isPaused: boolean }>(PAUSE);
  return row;
};
const attemptsMade = async () => (await world.attempts()).length;
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("an endpoint of which seven in ten answers fail rests for 30 seconds, then one request tries it", async () => {
  const receiver = await world.receive(answerStatus(500));
  await world.addEndpoint(receiver.url);
  for (let order = 1; order <= 40; order++) await world.addEvent(order);
  const dispatcher = world.dispatch();
  await until(async () => (await pauseOf())?.isPaused === true);
  await until(async () => (await world.deliveries()).every(({ isHeld }) => !isHeld));
  expect((await pauseOf())?.inSeconds).toBeGreaterThan(25);
  const before = await attemptsMade();
  expect(before).toBeGreaterThanOrEqual(BREAKER.requestsMin);
  // Three more may have been in flight.
  expect(before).toBeLessThan(BREAKER.requestsMin + 4);
  dispatcher.wake();
  await rest(150);
  expect(await attemptsMade()).toBe(before);
  await world.advance(BREAKER.pauseSeconds);
  dispatcher.wake();
  await until(async () => (await attemptsMade()) > before);
  await rest(150);
  expect(await attemptsMade()).toBe(before + 1);
  expect((await pauseOf())?.inSeconds).toBeGreaterThan(25);
});

test("after its rest one success opens it fully, and everything that waited arrives", async () => {
  let isUp = false;
  const receiver = await world.receive((response) => response.writeHead(isUp ? 200 : 500).end());
  await world.addEndpoint(receiver.url);
  for (let order = 1; order <= 20; order++) await world.addEvent(order);
  const dispatcher = world.dispatch();
  await until(async () => (await pauseOf())?.isPaused === true);
  await until(async () => (await world.deliveries()).every(({ isHeld }) => !isHeld));
  isUp = true;
  await world.advance(BREAKER.pauseSeconds + 1);
  dispatcher.wake();
  await until(async () => {
    await world.advance(10);
    dispatcher.wake();
    return (await world.deliveries()).every(({ state }) => state === "delivered");
  });
  expect(await pauseOf()).toMatchObject({ isPaused: false });
});

test("an endpoint that fails every other time is not rested", async () => {
  const receiver = await world.receive((response, nth) =>
    response.writeHead(nth % 2 ? 500 : 200).end(),
  );
  await world.addEndpoint(receiver.url);
  world.dispatch();
  // One at a time: of several in flight, the failures could all be recorded before the successes.
  for (let order = 1; order <= 30; order++) {
    await world.addEvent(order);
    await until(async () => (await attemptsMade()) >= order);
  }
  expect(await pauseOf()).toMatchObject({ isPaused: false });
});

test("failures far apart do not open the breaker", async () => {
  const receiver = await world.receive(answerStatus(500));
  await world.addEndpoint(receiver.url);
  const dispatcher = world.dispatch();
  for (let order = 1; order <= 12; order++) {
    const before = await attemptsMade();
    await world.addEvent(order);
    await until(async () => (await attemptsMade()) > before);
    await world.advance(BREAKER.windowSeconds + 1);
    dispatcher.wake();
  }
  expect(await pauseOf()).toMatchObject({ isPaused: false });
});

test("an endpoint that stays paused is reported once, until it has worked again", async () => {
  const { endpoint } = await world.addEndpoint("https://dead.example/");
  const fail = () =>
    world.database.transaction((tx) =>
      noteEndpointFailure(tx, {
        ...endpoint,
        merchantId: world.merchantId,
        endpointId: endpoint.id,
      }),
    );
  const reports: (boolean | undefined)[] = [];
  for (let n = 0; n < BREAKER.requestsMin; n += 1) reports.push((await fail())?.isPaused);
  expect(reports.filter(Boolean)).toHaveLength(1);
  for (let pause = 0; pause < 3; pause += 1) {
    await world.advance(BREAKER.pauseSeconds + 1);
    expect((await fail())?.isPaused).toBe(false);
    expect((await pauseOf())?.inSeconds).toBeGreaterThan(25);
  }
});
