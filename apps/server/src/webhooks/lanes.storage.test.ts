import { afterEach, beforeEach, expect, test } from "vitest";
import type { Answer } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

const EVENTS = 150;
/** The number of deliveries claimed at once before the receiver changes its behaviour. */
const GOOD = 60;

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

const leased = async () => (await world.deliveries()).filter(({ isHeld }) => isHeld);
const attempted = async () => (await world.deliveries()).filter(({ attempts }) => attempts > 0);

async function receiveUntilGood(then: Answer) {
  const receiver = await world.receive((response, nth) =>
    nth <= GOOD ? response.writeHead(204).end() : then(response, nth),
  );
  await world.addEndpoint(receiver.url);
  for (let order = 1; order <= EVENTS; order++) await world.addEvent(order);
  return receiver;
}

test("deliveries that wait for a silent endpoint return to the queue, as if never claimed", async () => {
  const receiver = await receiveUntilGood(() => {});
  world.dispatch({ inFlightMax: 64 });
  await until(() => receiver.received.length === GOOD + 4);
  // Until it is known to be silent, more deliveries may be claimed for it.
  await until(async () => (await leased()).length === 4 && (await attempted()).length === GOOD + 4);
});

test("a dispatcher that stops returns its waiting deliveries, and the next one sends them at once", async () => {
  const receiver = await receiveUntilGood(() => {});
  const first = world.dispatch();
  await until(() => receiver.received.length > GOOD);
  await first.stop();
  expect(await leased()).toEqual([]);
  receiver.answer = (response) => response.writeHead(204).end();
  world.dispatch();
  await until(async () => (await world.deliveries()).every(({ state }) => state === "delivered"));
  const counted = (await world.deliveries()).filter(({ attempts }) => attempts > 1);
  expect(counted.length).toBeLessThanOrEqual(4);
});
