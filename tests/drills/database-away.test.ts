import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buyChoice,
  CARDS,
  orderWithStatus,
  type PlacedOrder,
  payByCard,
  startOrder,
} from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { type Proxy, startProxy } from "../support/postgres/proxy.ts";
import { type StartedService, startService } from "../support/service/service.ts";

/** docs/operating/database.md states both. A busy machine gets some more. */
const NOTICED_MS = 8_000;
const BACK_MS = 10_000;
const SLACK_MS = 5_000;
const PAUSE_MS = 100;
/** A wait without a promise in the documents. */
const WAIT = { timeout: 60_000 };

let database: DatabaseServer;
let proxy: Proxy;
let api: StartedService;
let worker: StartedService;
let merchant: Merchant;
let choice: BuyChoice;

beforeAll(async () => {
  database = await startDatabaseServer();
  proxy = await startProxy(database.url);
  const env = { DATABASE_URL: proxy.url, SHOP_PORT: "0" };
  api = await startService({ env: { ...env, EXCHANGE_ROLE: "api" } });
  const { dataDir } = api;
  worker = await startService({ dataDir, env: { ...env, EXCHANGE_ROLE: "worker" } });
  merchant = await createMerchant(api);
  choice = await buyChoice(api, merchant);
});
afterEach(() => proxy.become("pass"));
afterAll(async () => {
  await worker?.stop();
  await api?.discard();
  await proxy?.stop();
  await database?.stop();
});

interface Readiness {
  readonly status: number;
  readonly body: { readonly status: string; readonly cause?: string };
}

async function readiness(): Promise<Readiness> {
  const answer = await fetch(`${api.url}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

/** Returns how long this process ran since. A machine that stalls stops this process too, so its pauses do not count. */
function startTimer(): () => number {
  let passedMs = 0;
  const timer = setInterval(() => {
    passedMs += PAUSE_MS;
  }, PAUSE_MS);
  onTestFinished(() => clearInterval(timer));
  return () => passedMs;
}

async function becomes(status: number, withinMs: number): Promise<Readiness> {
  const passedMs = startTimer();
  while (passedMs() < withinMs) {
    const found = await readiness();
    if (found.status === status && (status === 200 || found.body.cause)) return found;
    await sleep(PAUSE_MS);
  }
  throw new Error(`/readyz does not answer ${status} within ${withinMs} ms`);
}

/** Places and pays an order, which the worker then completes. */
async function payOne(): Promise<PlacedOrder> {
  const placed = await startOrder(api, merchant, choice);
  await payByCard(placed.customer, placed.orderId, CARDS.visa);
  return placed;
}

interface Line {
  readonly msg: string;
  readonly cause?: string;
  /** A line of the security log, such as the one of this test's own key. */
  readonly security?: string;
}

/** The lines that both processes have logged since a moment, which `mark` notes. */
const outputs = (): readonly string[] => [api.process.output(), worker.process.output()];
const linesSince = (marks: readonly number[]): readonly (readonly Line[])[] =>
  outputs().map((output, index) =>
    output
      .slice(marks[index])
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Line)
      .filter(({ security }) => security === undefined),
  );
const mark = (): readonly number[] => outputs().map((output) => output.length);

/** Lets the database go away while an order is under way, and expects everything to go on afterwards. */
async function expectRecovery(faults: {
  readonly begin: () => void | Promise<void>;
  readonly end: () => void | Promise<void>;
  readonly cause: RegExp;
}): Promise<void> {
  const marks = mark();
  const underWay = await payOne();
  await faults.begin();
  const passedMs = startTimer();
  const { body } = await becomes(503, NOTICED_MS + SLACK_MS);
  expect(body.status).toBe("failing");
  const isAway = () => linesSince(marks).every(([first]) => first?.msg.startsWith("database away"));
  await vi.waitUntil(isAway, WAIT);
  expect(passedMs()).toBeLessThan(NOTICED_MS + SLACK_MS);
  const isCauseShown = async () => faults.cause.test((await readiness()).body.cause ?? "");
  await vi.waitUntil(isCauseShown, WAIT);
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && fastestMs >= 2_000; round++) {
    fastestMs = Math.min(fastestMs, await expectRefusals());
  }
  expect(fastestMs).toBeLessThan(2_000);
  await sleep(4_000);
  await faults.end();
  await becomes(200, BACK_MS + SLACK_MS);
  await orderWithStatus(underWay.customer, underWay.orderId, "completed");
  const next = await payOne();
  await orderWithStatus(next.customer, next.orderId, "completed");
  for (const lines of linesSince(marks)) {
    expect(lines.map(({ msg }) => msg)).toEqual([
      "database away, waiting for it",
      "database is back",
    ]);
  }
}

/** While the database is away every request is answered with the documented error. Returns the time that it took. */
async function expectRefusals(): Promise<number> {
  const startMs = performance.now();
  const body = JSON.stringify({ sessionId: "away" });
  const headers = { ...merchant.headers, "content-type": "application/json" };
  const answers = await Promise.all([
    fetch(`${api.url}/v1/orders`, { headers }),
    fetch(`${api.url}/v1/public_token/create`, { method: "POST", headers, body }),
  ]);
  const tookMs = performance.now() - startMs;
  // Of the token's documented statuses 500 is the nearest.
  expect(answers.map(({ status }) => status)).toEqual([503, 500]);
  for (const answer of answers) {
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      requestId: answer.headers.get("x-request-id"),
    });
  }
  return tookMs;
}

describe("every process recovers by itself and says so in one line, after", () => {
  test("a host that vanished without a word", () =>
    expectRecovery({
      begin: () => proxy.become("swallow"),
      end: () => proxy.become("pass"),
      cause: /does not answer/,
    }));

  test("a standby for some seconds", () =>
    expectRecovery({
      begin: () => database.becomeStandby(),
      end: () => sleep(4_000).then(() => database.run("select pg_promote()")),
      cause: /is a standby/,
    }));

  test("a host that refuses connections", () =>
    expectRecovery({
      begin: () => proxy.become("refuse"),
      end: () => proxy.become("pass"),
      cause: /connection|reached/,
    }));
});

/** All processes of an installation have the same secret keys. */
const keysOfInstallation = () => ({
  EXCHANGE_SECRET_KEYS_FILE: path.join(api.dataDir, "secret-keys"),
});

test("a process whose database hangs ends in time when it is told to", async () => {
  const env = { DATABASE_URL: proxy.url, SHOP_PORT: "0", ...keysOfInstallation() };
  const other = await startService({ env });
  proxy.become("swallow");
  const passedMs = startTimer();
  other.process.signal("SIGTERM");
  expect(await other.process.exited).toBe(0);
  expect(passedMs()).toBeLessThan(25_000);
  await rm(other.dataDir, { recursive: true, force: true });
});

/** Rejects a promise that nothing awaits when the process receives SIGUSR2. */
const STRAY = `process.on("SIGUSR2", () => void Promise.reject(new Error("a stray rejection")))`;

/** pino's number of the level. */
const LEVEL_ERROR = 50;

test("an unhandled rejection is one line of the log, an ordered stop and exit status 1", async () => {
  const stray = `--import=data:text/javascript,${encodeURIComponent(STRAY)}`;
  const installation = { DATABASE_URL: database.url, ...keysOfInstallation() };
  const env = { ...installation, SHOP_PORT: "0", NODE_OPTIONS: stray };
  const other = await startService({ env });
  other.process.signal("SIGUSR2");
  expect(await other.process.exited).toBe(1);
  const lines = other.process
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { readonly level: number })
    .filter(({ level }) => level >= LEVEL_ERROR);
  expect(lines).toMatchObject([
    {
      msg: "unhandled error, stopping",
      origin: "unhandledRejection",
      err: { message: "a stray rejection" },
    },
  ]);
  await rm(other.dataDir, { recursive: true, force: true });
});

test("processes that start together on an empty database take turns, and all are ready", async () => {
  const empty = await startDatabaseServer();
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-together-"));
  await writeFile(path.join(dataDir, "secret-keys"), `k1:${randomBytes(32).toString("base64")}\n`, {
    mode: 0o600,
  });
  const env = {
    DATABASE_URL: empty.url,
    EXCHANGE_ENV: "staging",
    EXCHANGE_PUBLIC_URL: "https://pay.example",
    EXCHANGE_LOG_LEVEL: "warn",
    EXCHANGE_ROLE: "api",
  };
  const services = await Promise.all([1, 2, 3, 4].map(() => startService({ dataDir, env })));
  for (const { url } of services) {
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
  }
  await Promise.all(services.map((service) => service.stop()));
  await rm(dataDir, { recursive: true, force: true });
  await empty.stop();
});
