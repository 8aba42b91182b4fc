import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerStatus, type Receiver } from "../testing/webhooks/receiver.ts";
import { makeWorld, until, type World } from "../testing/webhooks/world.ts";
import { makePoster } from "./poster.ts";

const ENDPOINTS = 50;
const EVENTS = 6;
/** Other tests may load the machine during one measurement, so the median of five counts. */
const LOOKS = 5;
/**
 * All five may be slow. If the good endpoints do wait for the hostile ones, each takes ten times as
 * long.
 */
const SECOND_CHANCES = { retry: 2, timeout: 60_000 };
/** So few that the hostile endpoints that hang, at four each, would take all of them. */
const PLACES = 96;

let world: World;
const servers: net.Server[] = [];
const sockets = new Set<net.Socket>();
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(async () => {
  await world.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) server.close();
});

/** The behaviours of hostile receivers, in turn. */
const HOSTILE: readonly ((socket: net.Socket) => void)[] = [
  () => {}, // never answers
  (socket) => drip(socket, "HTTP/1.1 200 OK\r\n"),
  (socket) => socket.write("HTTP/1.1 2"), // and no more
  (socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n"),
  (socket) => drip(socket, `HTTP/1.1 200 OK\r\n${"x-filler: 1\r\n".repeat(1_000)}`),
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
  const behave = HOSTILE[servers.length % HOSTILE.length] as (socket: net.Socket) => void;
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => behave(socket));
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
/**
 * Returns the time from event to arrival for each of these webhooks. The slowest of a hundred
 * counts.
 */
async function measure(good: Receiver, owners: readonly string[]): Promise<number> {
  const waits: number[] = [];
  for (let event = 0; event < EVENTS; event++) {
    const already = good.received.length;
    const begun = performance.now();
    order++;
    for (const owner of owners) await world.addEventOf(owner, order);
    await until(() => good.received.length >= already + ENDPOINTS);
    for (const { arrivedAt } of good.received.slice(already)) waits.push(arrivedAt - begun);
  }
  waits.sort((a, b) => a - b);
  return waits[Math.floor(waits.length * 0.99)] ?? 0;
}

async function middleOf(looks: () => Promise<number>): Promise<number> {
  const seen: number[] = [];
  for (let look = 0; look < LOOKS; look++) seen.push(await looks());
  return seen.sort((a, b) => a - b)[Math.floor(LOOKS / 2)] ?? 0;
}

test(
  "50 hostile receivers beside 50 good ones never make them twice as slow",
  SECOND_CHANCES,
  async () => {
    const good = await world.receive(answerStatus(200));
    const urls = Array.from({ length: ENDPOINTS }, (_, at) => `${good.url}/${at}`);
    const owners = await addEndpoints("GOOD", urls);
    const poster = makePoster({ policy: { allowSandboxTargets: true }, totalTimeoutMs: 5_000 });
    world.dispatch({ inFlightMax: PLACES, poster, pollMs: 100 });
    await measure(good, owners);
    const alone = await middleOf(() => measure(good, owners));
    const hostileUrls: string[] = [];
    for (let count = 0; count < ENDPOINTS; count++) hostileUrls.push(await startHostile());
    const enemies = await addEndpoints("FOES", hostileUrls);
    for (let event = 0; event < 10; event++) {
      order++;
      for (const enemy of enemies) await world.addEventOf(enemy, order);
    }
    await until(() => sockets.size >= ENDPOINTS / 2);
    const beside = await middleOf(() => measure(good, owners));
    expect(beside).toBeLessThan(2 * alone);
  },
);
