import { afterEach, beforeEach, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../testing/webhooks/receiver.ts";
import { type Connection, type Connections, makeConnections } from "./connections.ts";

const IDLE_MS = 60;

let connections: Connections;
let receiver: Receiver;
const origin = () => new URL(receiver.url).origin;

beforeEach(async () => {
  receiver = await startReceiver();
  connections = makeConnections({ pipelining: 1, keepAliveMaxTimeout: IDLE_MS });
});
afterEach(async () => {
  await connections.close();
  await receiver.close();
});

/** The status, or the fault's message. */
async function send(connection: Connection): Promise<number | string> {
  try {
    const { statusCode, body } = await connection.client.request({ path: "/", method: "POST" });
    await body.dump();
    connection.giveBack();
    return statusCode;
  } catch (error) {
    connection.discard();
    return (error as Error).message;
  }
}

test("requests at the same time go over a connection each", async () => {
  const used = [connections.take(origin()), connections.take(origin())];
  expect(await Promise.all(used.map(send))).toEqual([200, 200]);
  expect(new Set(used).size).toBe(2);
  expect(receiver.connections()).toBe(2);
});

test("of those that are free the last one used is taken, so that the rest can end", async () => {
  const used = [1, 2, 3].map(() => connections.take(origin()));
  for (const connection of used) await send(connection);
  const taken = [1, 2, 3].map(() => connections.take(origin()));
  expect(taken).toEqual(used.toReversed());
});

test("one that was silent for too long is not taken again, and has ended", async () => {
  const used = connections.take(origin());
  await send(used);
  await expect.poll(() => used.client.destroyed).toBe(true);
  const next = connections.take(origin());
  expect(next).not.toBe(used);
  expect(await send(next)).toBe(200);
});

test("one that ended in a fault is not taken again, and has ended", async () => {
  receiver.answer = (response) => response.destroy();
  const used = connections.take(origin());
  expect(await send(used)).toContain("closed");
  expect(connections.take(origin())).not.toBe(used);
  expect(used.client.destroyed).toBe(true);
});

test("an endpoint that ends each connection after its answer loses no request", async () => {
  receiver.answer = (response) => response.writeHead(200, { connection: "close" }).end();
  const statuses: (number | string)[] = [];
  for (let count = 0; count < 20; count++) statuses.push(await send(connections.take(origin())));
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
});

test("an endpoint that ends connections when they are idle loses no request", async () => {
  receiver.answer = (response) => {
    response.end();
    setTimeout(() => response.socket?.destroy(), 5);
  };
  for (let count = 0; count < 10; count++) {
    expect(await send(connections.take(origin()))).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("closing breaks off what is under way and leaves no connection", async () => {
  receiver.answer = () => {};
  const ended = send(connections.take(origin()));
  await expect.poll(() => receiver.received.length).toBe(1);
  await connections.close();
  expect(await ended).toContain("destroyed");
});
