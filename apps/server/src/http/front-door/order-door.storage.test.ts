import { once } from "node:events";
import { createServer, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { statement, type Tx } from "../../storage/postgres/database.ts";
import { openBrowser, placeOrder } from "../../testing/checkout-browser.ts";
import { type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { askRaw, requestHead } from "../../testing/raw-http.ts";

const writeHead = vi.spyOn(ServerResponse.prototype, "writeHead");

let world: HttpWorld;
/** The same service without its front door. */
let ordinary: Server;
let mine: number;
let theirs: Readonly<Record<string, string>>;

beforeAll(async () => {
  world = await makeHttpWorld();
  await world.app.listen({ port: 0, host: "127.0.0.1" });
  ordinary = createServer((request, response) => world.app.routing(request, response));
  ordinary.keepAliveTimeout = world.app.server.keepAliveTimeout;
  await new Promise<void>((resolve) => ordinary.listen(0, "127.0.0.1", resolve));
  mine = (await placeOrder(world, await openBrowser(world, { metadata: { note: 'ä "1" \n' } })))
    .orderId;
  theirs = (await world.addShop()).headers;
});
afterAll(async () => {
  ordinary.close();
  ordinary.closeAllConnections();
  await world.close();
});

const get = (
  id: number | string,
  headers: Readonly<Record<string, string>> = world.shop.headers,
): string =>
  `${requestHead(`GET /v1/orders/${id} HTTP/1.1`, { host: "shop.example", ...headers })}\r\n\r\n`;

/** Asks the service with and without its front door; gives the status and whether it took the request. */
async function compare(request: string): Promise<readonly [status: string, isTaken: boolean]> {
  writeHead.mockClear();
  const front = await askRaw(world.app.server, request);
  const isTaken = writeHead.mock.calls.some((call) => (call as unknown[]).some(Array.isArray));
  const other = await askRaw(ordinary, request);
  const settled = (text: string): string =>
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
      .replace(/^Date: .*$/m, "Date")
      .replace(/^ratelimit-re\w+: \d+$/gm, "ratelimit");
  expect(settled(front.head)).toBe(settled(other.head));
  expect(settled(front.body)).toBe(settled(other.body));
  return [front.head.slice(9, 12), isTaken];
}

test("an order is answered to the byte as the ordinary path does, and nobody else's is", async () => {
  expect(await compare(get(mine))).toEqual(["200", true]);
  expect(await compare(get(mine, theirs))).toEqual(["404", true]);
  expect(await compare(get(mine + 1))).toEqual(["404", true]);
  expect(await compare(get(Number.MAX_SAFE_INTEGER))).toEqual(["404", true]);
});

test.each([
  ["no number", () => get("latest"), "400"],
  ["nought", () => get("0"), "400"],
  ["a number with a nought before it", () => get(`0${mine}`), "200"],
  ["a number that is not exact", () => get("9007199254740993"), "400"],
  ["a number that is too long", () => get("1".repeat(40)), "400"],
  ["a query", () => get(`${mine}?x=1`), "200"],
  ["a body", () => `${get(mine, { ...world.shop.headers, "content-length": "2" })}{}`, "200"],
  ["a wrong key", () => get(mine, { ...world.shop.headers, "x-api-key": "exk_dev_nobody" }), "401"],
  ["no key", () => get(mine, {}), "401"],
  ["HEAD", () => get(mine).replace("GET", "HEAD"), "200"],
])("an order asked for with %s is left to the ordinary path", async (_name, request, status) => {
  expect(await compare(request())).toEqual([status, false]);
});

test("orders of two merchants that are asked for at once never change places", async () => {
  const ids = [mine, mine + 1, mine, 1];
  const asked = [world.shop.headers, theirs].flatMap((headers) =>
    ids.map(async (id) => (await askRaw(world.app.server, get(id, headers))).head.slice(9, 12)),
  );
  const [none, one] = ["404", "200"];
  expect(await Promise.all(asked)).toEqual([one, none, one, none, none, none, none, none]);
});

test("one that leaves before its answer is made harms nobody", async () => {
  const { port } = world.app.server.address() as AddressInfo;
  await world.database.transaction(async (tx) => {
    await tx.runScript("lock table orders in access exclusive mode");
    const left = once(world.app.server, "connection").then(([socket]) => once(socket, "close"));
    const socket = connect(port, "127.0.0.1");
    socket.write(get(mine));
    await expect.poll(() => waiting(tx)).toBe(1);
    socket.destroy();
    await left;
  });
  expect(await compare(get(mine))).toEqual(["200", true]);
});

/** How many wait for the table that is locked. */
async function waiting(tx: Tx): Promise<number> {
  const text =
    "select count(*)::int as count from pg_locks where not granted and relation = 'orders'::regclass";
  const [row] = await tx.query<{ count: number }>(statement("waiting", text));
  return row?.count ?? 0;
}
