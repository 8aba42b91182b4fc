import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, statement } from "../../storage/postgres/database.ts";
import {
  callOf,
  GENEROUS,
  type HttpWorld,
  makeHttpWorld,
  type Reply,
} from "../../testing/http-world.ts";
import { askRaw, requestHead } from "../../testing/raw-http.ts";
import { buildHttpServer } from "../server.ts";

const LIMITS = { requestsMax: 3, deadlineMs: 2_500 };
const LOCK = statement("lock_orders", "lock table orders in access exclusive mode");

let world: HttpWorld;
/** The same service on a database behind the gate, so that the test decides when a request can be answered. */
let gated: Pick<HttpWorld, "call" | "app">;
const gate = makeGate();
beforeAll(async () => {
  world = await makeHttpWorld({ settings: { inFlight: LIMITS } });
  const database: Database = {
    ...world.database,
    query: async (...words) => {
      await gate.pass();
      return world.database.query(...words);
    },
  };
  const inFlight = { ...LIMITS, deadlineMs: 300_000 };
  const limits = { version: "0.0.0", rateLimits: GENEROUS, inFlight };
  const app = buildHttpServer({ ...world.deps, database }, limits);
  gated = { app, call: callOf(app) };
  await world.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await gated.app.close();
  await world.close();
});

/** Holds every caller of `pass` while it is closed. */
function makeGate() {
  let opened = Promise.resolve();
  let open = (): void => {};
  let waiting = 0;
  return {
    close(): void {
      opened = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
    waiting: () => waiting,
    async pass(): Promise<void> {
      waiting += 1;
      await opened;
      waiting -= 1;
    },
  };
}

/** Runs the work while nobody can read an order. */
const whileOrdersAreLocked = (work: () => Promise<void>): Promise<void> =>
  world.database.transaction(async (tx) => {
    await tx.query(LOCK);
    await work();
  });

const orders = (): InjectOptions => ({ url: "/v1/orders", headers: world.shop.headers });

const expectRefusal = (reply: Reply): void => {
  expect(reply.status).toBe(503);
  expect(reply.body).toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    requestId: reply.headers["x-request-id"],
  });
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
};

test("a process at its bound refuses one more request at once, and answers those that it has", async () => {
  const taken: Promise<Reply>[] = [];
  await whileOrdersAreLocked(async () => {
    for (let count = 0; count < LIMITS.requestsMax; count++) taken.push(world.call(orders()));
    // The requests arrive in the next turns of the event loop.
    await expect.poll(async () => (await world.call(orders())).status).toBe(503);
    expectRefusal(await world.call(orders()));
    const head = requestHead("POST /v1/quotes HTTP/1.1", {
      ...world.shop.headers,
      host: "shop.example",
      connection: "close",
      "content-type": "application/json",
      "content-length": "1000",
    });
    // The body is never sent.
    const { head: answer } = await askRaw(world.app.server, `${head}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 50[03] /);
    expect(answer).toMatch(/^retry-after: \d/im);
    expect((await world.call({ url: "/readyz" })).status).toBe(200);
  });
  const answers = await Promise.all(taken);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await world.call(orders())).status).toBe(200);
});

test("a body that is whole while the process is at its bound is refused, and repeated it is answered", async () => {
  const body = '{"sessionId":"slow"}';
  const head = requestHead("POST /v1/public_token/create HTTP/1.1", {
    ...world.shop.headers,
    host: "shop.example",
    connection: "close",
    "content-type": "application/json",
    "content-length": String(body.length),
  });
  const received = once(world.app.server, "request");
  const socket = connect((world.app.server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`${head}\r\n\r\n{`);
  await received;
  const taken: Promise<Reply>[] = [];
  await whileOrdersAreLocked(async () => {
    for (let count = 0; count < LIMITS.requestsMax; count++) taken.push(world.call(orders()));
    await expect.poll(async () => (await world.call(orders())).status).toBe(503);
    socket.write(body.slice(1));
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 500 [^]*"code":"SERVICE_UNAVAILABLE"/);
    expect(answer).toMatch(/^retry-after: \d/im);
  });
  expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await askRaw(world.app.server, `${head}\r\n\r\n${body}`)).head).toMatch(/ 201 /);
});

test("a request without an answer at its deadline is refused, and frees its place", async () => {
  const startMs = performance.now();
  await whileOrdersAreLocked(async () => {
    const late = Array.from({ length: LIMITS.requestsMax }, () => world.call(orders()));
    for (const reply of await Promise.all(late)) expectRefusal(reply);
  });
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(LIMITS.deadlineMs);
  expect((await world.call(orders())).status).toBe(200);
});

test("at twice the rate that it can answer, a process answers as many and refuses the rest first", async () => {
  const rounds = 20;
  const answered: Reply[] = [];
  for (let round = 0; round < rounds; round++) {
    gate.close();
    const first = Array.from({ length: LIMITS.requestsMax }, () => gated.call(orders()));
    await expect.poll(() => gate.waiting()).toBe(LIMITS.requestsMax);
    const rest = Array.from({ length: LIMITS.requestsMax }, () => gated.call(orders()));
    for (const reply of await Promise.all(rest)) expectRefusal(reply);
    expect(gate.waiting()).toBe(LIMITS.requestsMax);
    gate.open();
    answered.push(...(await Promise.all(first)));
  }
  expect(answered.map(({ status }) => status)).toEqual(
    Array.from({ length: rounds * LIMITS.requestsMax }, () => 200),
  );
});
