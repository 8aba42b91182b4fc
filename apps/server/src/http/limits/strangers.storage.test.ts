import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Deps } from "../../flows/deps.ts";
import { browserWith } from "../../testing/checkout-browser.ts";
import { type ErrorReply, type HttpWorld, makeHttpWorld } from "../../testing/http-world.ts";

let world: HttpWorld;
const opened: HttpWorld[] = [];

beforeAll(async () => {
  world = await makeHttpWorld();
});
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));
afterAll(() => world.close());

async function open(options: Parameters<typeof makeHttpWorld>[0]): Promise<HttpWorld> {
  const made = await makeHttpWorld(options);
  opened.push(made);
  return made;
}

const CHALLENGE = "0199ffff-0000-7000-8000-000000000000";
const STRANGERS_ROUTES = [
  ["GET", "/readyz"],
  ["GET", "/checkout?clientId=x"],
  ["POST", "/checkout?clientId=x"],
  ["GET", "/checkout/assets/none.js"],
  ["GET", "/docs"],
  ["GET", "/v1/openapi.json"],
  ["GET", "/v1/sdk/exchange.json"],
  ["GET", "/v1/sdk/exchange.js?env=dev&clientId=x"],
  ["GET", "/"],
  ["GET", `/sandbox/challenges/${CHALLENGE}`],
  ["POST", `/sandbox/challenges/${CHALLENGE}/confirm`],
  ["GET", "/no-such-path"],
  ["DELETE", "/docs"],
] as const;

test.each(STRANGERS_ROUTES)("%s %s has a limit for each address", async (method, url) => {
  const strict = await open({ rateLimits: { anonymousCallsPerMinute: 1 } });
  const call = (remoteAddress: string) => strict.call({ method, url, remoteAddress });
  const first = await call("2001:db8::1");
  expect(first.status).not.toBe(429);
  expect(first.headers["ratelimit-remaining"]).toBe("0");
  const second = await call("2001:db8::2");
  expect(second.status).toBe(429);
  expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
  expect((await call("2001:db8:0:1::1")).status).not.toBe(429);
});

test("a spent limit costs the database nothing", async () => {
  let queries = 0;
  const { database } = world;
  const counting: Deps["database"] = {
    ...database,
    query: (...call) => {
      queries += 1;
      return database.query(...call);
    },
  };
  const strict = await open({
    deps: { database: counting },
    rateLimits: { anonymousCallsPerMinute: 1, browserCallsPerMinute: 1 },
  });
  await strict.call({ url: "/readyz" });
  queries = 0;
  for (let n = 0; n < 5; n += 1) await strict.call({ url: "/readyz" });
  expect(queries).toBe(0);
});

test("the probe of readiness does not share its limit with other requests", async () => {
  const strict = await open({ rateLimits: { anonymousCallsPerMinute: 1 } });
  expect((await strict.call({ url: "/docs" })).status).toBe(200);
  expect((await strict.call({ url: "/docs" })).status).toBe(429);
  expect((await strict.call({ url: "/readyz" })).status).toBe(200);
  for (let n = 0; n < 3; n += 1) expect((await strict.call({ url: "/healthz" })).status).toBe(200);
});

test("a replaced token asks the database only until its own limit is spent", async () => {
  const strict = await open({ rateLimits: { browserCallsPerMinute: 2 } });
  const sessionId = randomUUID();
  const replaced = await strict.token({ sessionId });
  await strict.token({ sessionId });
  const browser = browserWith(strict, replaced);
  const codes = [];
  for (let n = 0; n < 4; n += 1) codes.push((await browser<ErrorReply>("/session")).body.code);
  expect(codes).toEqual(["TOKEN_INVALID", "TOKEN_INVALID", "RATE_LIMITED", "RATE_LIMITED"]);
});

test("calls from another page and calls with an expired token count against their address", async () => {
  const strict = await open({ rateLimits: { anonymousCallsPerMinute: 2 } });
  const url = "/v1/checkout/session";
  const codesOf = async (remoteAddress: string, headers: Record<string, string>) => {
    const codes = [];
    for (let n = 0; n < 3; n += 1) {
      codes.push((await strict.call<ErrorReply>({ url, headers, remoteAddress })).body.code);
    }
    return codes;
  };
  const token = await strict.token();
  const foreign = { authorization: `Bearer ${token}`, origin: "https://shop.example" };
  expect(await codesOf("203.0.113.1", foreign)).toEqual([
    "ORIGIN_NOT_ALLOWED",
    "ORIGIN_NOT_ALLOWED",
    "RATE_LIMITED",
  ]);
  const expired = await strict.deps.tokens.sign({
    ...{ merchantId: strict.shop.clientId, sessionId: "expired", scope: [] },
    ...{ jti: randomUUID(), issuedAt: 1, expiresAt: 2 },
  });
  expect(await codesOf("203.0.113.2", { authorization: `Bearer ${expired}` })).toEqual([
    "TOKEN_EXPIRED",
    "TOKEN_EXPIRED",
    "RATE_LIMITED",
  ]);
  const own = await strict.call({
    ...{ url, remoteAddress: "203.0.113.1" },
    headers: { authorization: `Bearer ${token}` },
  });
  expect(own.status).toBe(200);
});

test("failed credentials of one /64 are counted together", async () => {
  const strict = await open({ rateLimits: { failedCredentialsPerFiveMinutes: 2 } });
  const statuses = [];
  for (let n = 1; n <= 4; n += 1) {
    const remoteAddress = `2001:db8::${n}`;
    statuses.push((await strict.call({ url: "/v1/checkout/session", remoteAddress })).status);
  }
  expect(statuses).toEqual([401, 401, 429, 429]);
});
