import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stopClock } from "../testing/stopped-clock.ts";
import type { Receiver } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";

const ENDPOINTS = 50;
const EVENTS = 6;
/** So few that the hostile endpoints that hang, at four each, would take all of them. */
const SLOTS = 64;
/** The slots that new, failing and slow endpoints share. */
const UNTRUSTED_SLOTS = SLOTS / 2;
/** After this time an endpoint that was slow is trusted again. */
const TRUSTED_AGAIN_SECONDS = 301;

type Behaviour = (socket: net.Socket) => void;

let world: World;
const servers: net.Server[] = [];
const sockets = new Set<net.Socket>();
/** The requests that a receiver holds and never ends. */
const hanging = new Set<net.Socket>();
beforeEach(async () => {
  world = await makeWorld();
  await stopClock(world.database);
});
afterEach(async () => {
  await world.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) server.close();
});

const HANGS: readonly Behaviour[] = [
  () => {}, // never answers
  (socket) => socket.write("HTTP/1.1 2"), // and no more
  (socket) => drip(socket, `HTTP/1.1 200 OK\r\n${"x-filler: 1\r\n".repeat(1_000)}`),
];
/** The behaviours of hostile receivers, in turn. */
const HOSTILE: readonly Behaviour[] = [
  ...HANGS,
  (socket) => drip(socket, "HTTP/1.1 200 OK\r\n"),
  (socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n"),
  (socket) => socket.destroy(),
  (socket) => socket.end("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n"),
  (socket) => pour(socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
];

function drip(socket: net.Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ""), 50);
  socket.on("close", () => clearInterval(timer));
}

function pour(socket: net.Socket, head: string): void {
  const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
  socket.write(head);
  const more = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

async function startHostile(): Promise<string> {
  const behave = HOSTILE[servers.length % HOSTILE.length] as Behaviour;
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => {
      if (HANGS.includes(behave)) hanging.add(socket);
      behave(socket);
    });
    socket.once("close", () => hanging.delete(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Twenty endpoints for each merchant, which is the most that one may have. */
async function addEndpoints(name: string, urls: readonly string[]): Promise<string[]> {
  const merchants: string[] = [];
  for (const [at, url] of urls.entries()) {
    const merchantId = `client_dev_${name}${String(Math.floor(at / 20)).padStart(10, "A")}`;
    if (at % 20 === 0) {
      await world.addMerchant(merchantId);
      merchants.push(merchantId);
    }
    await world.addEndpointOf(merchantId, url);
  }
  return merchants;
}

let order = 0;
/** Sends an event to every good endpoint, and waits until each has it and the dispatcher knows. */
async function reach(good: Receiver, owners: readonly string[]): Promise<void> {
  await world.advance(TRUSTED_AGAIN_SECONDS);
  const already = good.received.length;
  const event = ++order;
  for (const owner of owners) await world.addEventOf(owner, event);
  await until(() => good.received.length >= already + ENDPOINTS);
  await until(async () => {
    const own = (await world.deliveries()).filter(({ orderId }) => orderId === event);
    return own.every(({ state }) => state === "delivered");
  });
}

test("50 hostile receivers never make 50 good ones wait", async () => {
  const good = await world.receive();
  const urls = Array.from({ length: ENDPOINTS }, (_, at) => `${good.url}/${at}`);
  const owners = await addEndpoints("GOOD", urls);
  world.dispatch({ inFlightMax: SLOTS });
  await reach(good, owners);
  const hostileUrls: string[] = [];
  for (let count = 0; count < ENDPOINTS; count++) hostileUrls.push(await startHostile());
  const enemies = await addEndpoints("FOES", hostileUrls);
  for (let event = 0; event < 10; event++) {
    order++;
    for (const enemy of enemies) await world.addEventOf(enemy, order);
  }
  await until(() => hanging.size >= UNTRUSTED_SLOTS);
  for (let event = 0; event < EVENTS; event++) await reach(good, owners);
  expect(good.received).toHaveLength(ENDPOINTS * (EVENTS + 1));
  // None of them ended. A webhook that waits for one of them would not have arrived.
  expect(hanging.size).toBe(UNTRUSTED_SLOTS);
});
