import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { logOptions } from "../start/log.ts";
import { statement } from "../storage/postgres/database.ts";
import { GENEROUS, type HttpWorld, makeHttpWorld } from "../testing/http-world.ts";
import { requestHead } from "../testing/raw-http.ts";
import { buildAdminServer } from "./admin/server.ts";
import { buildHttpServer } from "./server.ts";

const lines: string[] = [];
const log = pino(
  logOptions("info"),
  new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  }),
);

interface Entry {
  readonly level: number;
  readonly msg: string;
  readonly err?: unknown;
}

let world: HttpWorld;
beforeAll(async () => {
  world = await makeHttpWorld({ deps: { log } });
});
afterAll(() => world.close());
beforeEach(() => {
  lines.length = 0;
});

/** Sends the request and returns its entries of the access log, without those of the security log. */
async function logged(request: Parameters<HttpWorld["call"]>[0]) {
  const { headers } = await world.call(request);
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return entries.filter(
    ({ requestId, security }) => requestId === headers["x-request-id"] && security === undefined,
  );
}

test("a request is one line with its route, status, time and merchant", async () => {
  const entries = await logged({
    url: "/v1/orders?sessionId=private",
    headers: world.shop.headers,
  });
  expect(entries).toEqual([
    expect.objectContaining({
      msg: "request",
      method: "GET",
      route: "/v1/orders",
      status: 200,
      ms: expect.any(Number),
      merchantId: world.shop.clientId,
    }),
  ]);
});

test("refused and unknown requests are logged too", async () => {
  expect(await logged({ url: "/v1/orders/7" })).toMatchObject([{ status: 401 }]);
  expect(await logged({ url: "/nothing" })).toMatchObject([{ route: "unknown", status: 404 }]);
  const other = await logged({ method: "DELETE", url: "/v1/orders/7" });
  expect(other).toMatchObject([{ method: "DELETE", status: 404 }]);
});

test("a cached answer is logged as every other", async () => {
  const url = "/v1/exchange/currencies?operationType=B&countryCode=CA";
  const { headers } = world.shop;
  expect(await logged({ url, headers })).toHaveLength(1);
  expect(await logged({ url, headers })).toMatchObject([{ status: 200 }]);
});

test("no line holds a key, a token, a body or a query", async () => {
  const token = await world.token({ metadata: { note: "private-body" } });
  const { headers, apiKey } = world.shop;
  await world.call({ url: "/v1/checkout/session", headers: { authorization: `Bearer ${token}` } });
  await world.call({ url: "/v1/orders?cursor=private-query", headers });
  expect(lines.length).toBeGreaterThan(2);
  const text = lines.join("");
  for (const secret of [apiKey, token, "private-body", "private-query"]) {
    expect(text).not.toContain(secret);
  }
});

const written = () => lines.map((line) => JSON.parse(line) as Entry);
const aborted = () => written().filter(({ msg }) => msg === "request aborted");

test("a client that leaves while it sends a body writes no error", async () => {
  const desk = buildAdminServer({ ...world.deps, consoleUrl: "http://localhost:2" }, {});
  for (const app of [world.app, desk]) await app.listen({ port: 0, host: "127.0.0.1" });
  const json = { ...world.shop.headers, "content-type": "application/json" };
  const form = {
    origin: "http://localhost:1",
    "content-type": "application/x-www-form-urlencoded",
  };
  const fromConsole = { origin: "http://localhost:2", "content-type": "application/json" };
  for (const [app, path, headers] of [
    [world.app, "/v1/public_token/create", json],
    [world.app, `/checkout?clientId=${world.shop.clientId}`, form],
    [desk, "/v1/admin/sign_in/password", fromConsole],
  ] as const) {
    const { port } = app.server.address() as AddressInfo;
    const before = aborted().length;
    const requestEvent = once(app.server, "request");
    const socket = connect(port, "127.0.0.1");
    const head = requestHead(`POST ${path} HTTP/1.1`, {
      host: "shop.example",
      "content-length": "1000",
      ...headers,
    });
    socket.write(`${head}\r\n\r\n{"session`);
    await requestEvent;
    // The server needs time to begin reading the body.
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.resetAndDestroy();
    await expect.poll(() => aborted().length).toBe(before + 1);
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  await desk.close();
  const errors = written().filter(({ level, err }) => level > 30 || err !== undefined);
  expect(errors).toEqual([]);
  expect(aborted()).toHaveLength(3);
});

test("the line of a request about an order, or that places one, has the order's id", async () => {
  const { headers } = world.shop;
  expect(await logged({ url: "/v1/orders/1827299346406", headers })).toMatchObject([
    { route: "/v1/orders/:orderId", status: 404, orderId: "1827299346406" },
  ]);
  const [other] = await logged({ url: "/v1/orders/private", headers });
  expect(other).toMatchObject({ route: "/v1/orders/:orderId", status: 400 });
  expect(other).not.toHaveProperty("orderId");
});

test("EXCHANGE_ACCESS_LOG chooses the requests that have a line", async () => {
  for (const [accessLog, found, missing] of [
    ["off", 0, 0],
    ["errors", 0, 1],
    ["all", 1, 1],
  ] as const) {
    const settings = { version: "0.0.0", rateLimits: GENEROUS, accessLog };
    const app = buildHttpServer(world.deps, settings);
    const linesOf = async (url: string) => {
      lines.length = 0;
      await app.inject({ url });
      return lines.filter((line) => (JSON.parse(line) as Entry).msg === "request").length;
    };
    expect(await linesOf("/v1/openapi.json"), accessLog).toBe(found);
    expect(await linesOf("/nothing"), accessLog).toBe(missing);
    await app.close();
  }
});

test("credentials that an entry names by mistake are redacted", () => {
  log.info({ apiKey: "k-1", request: { headers: { authorization: "Bearer k-2" } }, body: "k-3" });
  log.info({ headers: { "x-api-key": "k-4", authorization: "k-5" }, session: { token: "k-6" } });
  expect(lines.join("")).not.toMatch(/k-[1-6]/);
});

test("an error of the database is logged without the values of its row", async () => {
  const shipped = statement("test_leak", `insert into merchants (id, name) values ($1, 'x')`);
  const broken = statement("test_leak_syntax", "select $1::text::uuid");
  for (const [failing, value] of [
    [shipped, world.shop.clientId],
    [broken, "Ada Lovelace"],
  ] as const) {
    const error = await world.database.query(failing, [value]).catch((caught: Error) => caught);
    const request = log.child({ requestId: "r" });
    request.error({ err: error }, "a request failed");
    request.error({ err: new Error("wrapped", { cause: error }) }, "a request failed");
    const text = lines.splice(0).join("");
    expect(text).toMatch(/unique constraint|invalid input syntax for type uuid/);
    expect(text).not.toContain(value);
    expect(text).toMatch(/"code":"(23505|22P02)"/);
  }
});

test("health checks are not logged", async () => {
  expect(await logged({ url: "/healthz" })).toEqual([]);
  expect(await logged({ url: "/readyz" })).toEqual([]);
});
