import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Deps } from "../../flows/deps.ts";
import { clearEndedWindows } from "../../storage/limits/rate-windows.ts";
import { statement } from "../../storage/postgres/database.ts";
import { GENEROUS, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";
import { buildHttpServer } from "../server.ts";
import type { RateLimits } from "../settings.ts";

const CURRENCIES = "/v1/exchange/currencies?operationType=B&countryCode=CA";
const END_WINDOWS = statement(
  "end_windows_of_test",
  "update rate_windows set ends_at = now() - interval '1 second'",
);
const COUNT_WINDOWS = statement(
  "count_windows_of_test",
  "select count(*)::int as count from rate_windows",
);

let world: HttpWorld;
const running: FastifyInstance[] = [];

beforeAll(async () => {
  world = await makeHttpWorld();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
  await world.database.query(END_WINDOWS);
});
afterAll(() => world.close());

/** Starts another process of the same installation. */
function startProcess(limits: Partial<RateLimits>, deps: Partial<Deps> = {}): FastifyInstance {
  const app = buildHttpServer(
    { ...world.deps, ...deps },
    { version: "0.0.0", rateLimits: { ...GENEROUS, ...limits } },
  );
  running.push(app);
  return app;
}

async function fail(app: FastifyInstance): Promise<number> {
  return (await app.inject({ url: CURRENCIES })).statusCode;
}

const read = (app: FastifyInstance) => app.inject({ url: CURRENCIES, headers: world.shop.headers });

test("failed credentials are held to their limit over all processes, to the request", async () => {
  const limits = { failedCredentialsPerFiveMinutes: 5 };
  const processes = [startProcess(limits), startProcess(limits), startProcess(limits)];
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 9; attempt += 1) {
    statuses.push(await fail(processes[attempt % 3] as FastifyInstance));
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429]);
});

test("failed credentials that come at once at several processes pass the limit by none", async () => {
  const limits = { failedCredentialsPerFiveMinutes: 7 };
  const processes = [startProcess(limits), startProcess(limits)];
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, attempt) => fail(processes[attempt % 2] as FastifyInstance)),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(7);
  expect(statuses.filter((status) => status === 429)).toHaveLength(33);
});

test("failed tokens count with failed keys, and other addresses count for themselves", async () => {
  const app = startProcess({ failedCredentialsPerFiveMinutes: 1 });
  const session = { url: "/v1/checkout/session", headers: { authorization: "Bearer x" } };
  expect((await app.inject(session)).statusCode).toBe(401);
  expect(await fail(app)).toBe(429);
  const other = await app.inject({ url: CURRENCIES, remoteAddress: "203.0.113.9" });
  expect(other.statusCode).toBe(401);
});

test("a process that cannot reach the database still counts failed credentials", async () => {
  const rateCounters = { add: () => Promise.reject(new Error("planted")) };
  const app = startProcess({ failedCredentialsPerFiveMinutes: 2 }, { rateCounters });
  expect([await fail(app), await fail(app), await fail(app)]).toEqual([401, 401, 429]);
});

test("a new window opens when the shared one has ended", async () => {
  const limits = { failedCredentialsPerFiveMinutes: 1 };
  expect([await fail(startProcess(limits)), await fail(startProcess(limits))]).toEqual([401, 429]);
  await world.database.query(END_WINDOWS);
  expect(await fail(startProcess(limits))).toBe(401);
});

test("reads of a merchant at one process are soon known to the others", async () => {
  const limits = { readsPerMinute: 20 };
  const [first, second] = [startProcess(limits), startProcess(limits)];
  for (let call = 0; call < 20; call += 1) expect((await read(first)).statusCode).toBe(200);
  // The second process reads the counts when it shares its own first request.
  await expect.poll(async () => (await read(second)).statusCode).toBe(429);
  expect((await read(first)).statusCode).toBe(429);
});

test("a caller far from its limit costs no statement", async () => {
  const counted: unknown[] = [];
  const { rateCounters } = world.deps;
  const app = startProcess(
    { readsPerMinute: 600 },
    {
      rateCounters: {
        add: (counts) => {
          counted.push(...counts);
          return rateCounters.add(counts);
        },
      },
    },
  );
  for (let call = 0; call < 29; call += 1) await read(app);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(counted).toEqual([]);
  await read(app);
  await expect.poll(() => counted).toMatchObject([{ limit: "reads", amount: 30 }]);
});

test.each([
  ["GET", "/healthz"],
  ["GET", "/docs"],
  ["GET", "/v1/openapi.json"],
  ["GET", "/v1/sdk/exchange.json"],
  ["GET", "/checkout?clientId=x"],
  ["GET", "/no-such-path"],
  ["DELETE", "/v1/orders"],
  ["GET", "/v1/checkout/session"],
  ["GET", "/%zz"],
] as const)("the answer of %s %s has RateLimit headers", async (method, url) => {
  const { headers } = await startProcess({}).inject({ method, url });
  for (const name of ["limit", "remaining", "reset"]) {
    expect([name, Number(headers[`ratelimit-${name}`])]).toEqual([name, expect.any(Number)]);
    expect(headers[`ratelimit-${name}`]).toBeDefined();
  }
});

test("an expired token and a foreign origin are refused with RateLimit headers", async () => {
  const app = startProcess({});
  const url = "/v1/checkout/session";
  const foreign = await app.inject({ url, headers: { origin: "https://evil.example" } });
  expect([foreign.statusCode, foreign.headers["ratelimit-limit"]]).toEqual([403, "100000"]);
  const token = await world.deps.tokens.sign({
    merchantId: world.shop.clientId,
    sessionId: "expired",
    scope: [],
    jti: "00000000-0000-4000-8000-000000000000",
    issuedAt: 1,
    expiresAt: 2,
  });
  const expired = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
  expect([expired.statusCode, expired.headers["ratelimit-limit"]]).toEqual([401, "100000"]);
});

test("ended windows are cleared away", async () => {
  await fail(startProcess({ failedCredentialsPerFiveMinutes: 1 }));
  await world.database.query(END_WINDOWS);
  expect(await clearEndedWindows(world.database, 1_000)).toBeGreaterThan(0);
  expect(await world.database.query(COUNT_WINDOWS)).toEqual([{ count: 0 }]);
});
