import { setTimeout as sleep } from "node:timers/promises";
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
/** The same service on a database that takes its time, so that places and not the processor bound it. */
let slow: Pick<HttpWorld, "call" | "app">;
beforeAll(async () => {
  world = await makeHttpWorld({ inFlight: LIMITS });
  const database: Database = {
    ...world.database,
    query: async (...words) => {
      await sleep(30);
      return world.database.query(...words);
    },
  };
  const limits = { version: "0.0.0", rateLimits: GENEROUS, inFlight: LIMITS };
  const app = buildHttpServer({ ...world.deps, database }, limits);
  slow = { app, call: callOf(app) };
  await world.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await slow.app.close();
  await world.close();
});

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

test("a request without an answer at its deadline is refused, and frees its place", async () => {
  const startMs = performance.now();
  await whileOrdersAreLocked(async () => {
    const late = Array.from({ length: LIMITS.requestsMax }, () => world.call(orders()));
    for (const reply of await Promise.all(late)) expectRefusal(reply);
  });
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(LIMITS.deadlineMs);
  expect((await world.call(orders())).status).toBe(200);
});

/** Answers one request after another until the time is over, and returns how many a second were answered. */
async function answeredPerSecond(ms: number, requestsAtOnce: number): Promise<number> {
  const endMs = performance.now() + ms;
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() < endMs) {
      if ((await slow.call(orders())).status === 200) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, ask));
  return (answered * 1_000) / ms;
}

// Rates of different moments are compared, and other work of the machine may come between them.
const AGAIN = { retry: 2 };

test(
  "at twice the rate that it can answer, a process answers as many and refuses the rest sooner",
  AGAIN,
  async () => {
    const highest = await answeredPerSecond(1_500, LIMITS.requestsMax);
    const times: Record<number, number[]> = { 200: [], 503: [] };
    const arriving: Promise<void>[] = [];
    const ask = async (): Promise<void> => {
      const startMs = performance.now();
      const { status } = await slow.call(orders());
      (times[status] ??= []).push(performance.now() - startMs);
    };
    const seconds = 1.5;
    const total = Math.round(highest * 2 * seconds);
    const startMs = performance.now();
    for (let count = 0; count < total; count++) {
      const dueMs = startMs + (count * seconds * 1_000) / total;
      if (dueMs > performance.now()) await sleep(dueMs - performance.now());
      arriving.push(ask());
    }
    await Promise.all(arriving);
    const { 200: answered = [], 503: refused = [] } = times;
    expect(answered.length + refused.length).toBe(total);
    expect(answered.length / ((performance.now() - startMs) / 1_000)).toBeGreaterThan(
      highest * 0.6,
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(median(refused)).toBeLessThan(median(answered) / 2);
  },
);

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
