import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  addWebhook,
  createMerchant,
  type Merchant,
  merchantCall,
} from "../support/orders/merchant.ts";
import {
  BITCOIN_ADDRESS,
  type BuyChoice,
  buy,
  buyChoice,
  CARDS,
} from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { exchange } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { ROOT, type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const METHODS = "/v1/payment-methods?operationType=B&countryCode=CA";
const API_PROCESSES = 2;
const WEBHOOKS_OF_AN_ORDER = 2;

let database: DatabaseServer;
let api: StartedService;
const workers: StartedService[] = [];
let receiver: Receiver;
let merchant: Merchant;
let choice: BuyChoice;
/** The ports of the workers and of the API for probes and metrics. */
const healthPorts: number[] = [];
let apiHealthPort: number;

beforeAll(async () => {
  database = await startDatabaseServer();
  const env = { DATABASE_URL: database.url, SHOP_PORT: "0" };
  apiHealthPort = await freePort();
  const apiEnv = {
    ...env,
    EXCHANGE_ROLE: "api",
    EXCHANGE_WORKERS: String(API_PROCESSES),
    EXCHANGE_HEALTH_PORT: String(apiHealthPort),
    EXCHANGE_LOG_LEVEL: "info",
  };
  api = await startService({ env: apiEnv });
  for (let count = 0; count < 2; count += 1) {
    const healthPort = await freePort();
    healthPorts.push(healthPort);
    const workerEnv = {
      ...env,
      EXCHANGE_ROLE: "worker",
      EXCHANGE_HEALTH_PORT: String(healthPort),
    };
    workers.push(await startService({ dataDir: api.dataDir, env: workerEnv }));
  }
  receiver = await startReceiver();
  merchant = await createMerchant(api);
  await addWebhook(api, merchant, receiver);
  choice = await buyChoice(api, merchant);
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await api.discard();
  await receiver.close();
  await database.stop();
});

/** The processes that answer requests. */
const children = (): number[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...words]) =>
        Number(parent) === api.process.pid && words.join(" ").includes("api-process"),
    )
    .map(([pid]) => Number(pid));

/** The answers to calls that each have a connection of their own, so that every process gives some. */
const answers = (count: number, caller = merchant): Promise<Response[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      fetch(api.url + METHODS, { headers: { ...caller.headers, connection: "close" } }),
    ),
  );
const statuses = async (count: number, caller = merchant): Promise<number[]> =>
  (await answers(count, caller)).map(({ status }) => status);

const untilAll = (sentence: string, isSo: () => Promise<readonly boolean[]>) =>
  expect.poll(isSo, { message: sentence }).not.toContain(false);

/** Whether each of many answers offers Interac. */
async function offers(): Promise<boolean[]> {
  const texts = await Promise.all((await answers(20)).map((response) => response.text()));
  return texts.map((text) => text.includes('"interac"'));
}

/** A copy of the catalogue whose files say that Interac is not offered. */
async function catalogueWithoutInterac(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-catalogue-"));
  await cp(path.join(ROOT, "apps/server/catalogue"), folder, { recursive: true });
  const file = path.join(folder, "payment-methods.json");
  const methods = JSON.parse(await readFile(file, "utf8")) as { reference: string }[];
  const changed = methods.map((method) => ({ ...method, enabled: method.reference !== "interac" }));
  await writeFile(file, JSON.stringify(changed));
  return folder;
}

test("a worker answers probes on a port of its own", async () => {
  const probe = async (path: string) => {
    const reply = await fetch(`http://localhost:${healthPorts[0]}${path}`);
    return [reply.status, await reply.json()];
  };
  const loops = { configuration: "ok", jobs: "ok", webhooks: "ok", audit: "ok" };
  expect(await probe("/livez")).toEqual([200, { status: "ok", loops }]);
  await expect.poll(() => probe("/readyz")).toMatchObject([200, { status: "ok" }]);
});

/** A webhook that is not answered in this time counts as not delivered. */
const ANSWER_WITHIN_MS = 15_000;

/** Returns the number of distinct webhooks that came. */
const webhooks = (): number =>
  new Set(receiver.received.map(({ headers }) => headers["x-webhook-id"])).size;

test("orders placed at any process are completed by any worker, and each webhook comes once", async () => {
  expect(children()).toHaveLength(API_PROCESSES);
  const bought = await Promise.all(Array.from({ length: 6 }, () => buy(api, merchant, choice)));
  const count = bought.length * WEBHOOKS_OF_AN_ORDER;
  await receiver.waitForDeliveries(count);
  await sleep(500);
  expect(webhooks()).toBe(count);
  // A webhook comes again only when its answer was late.
  const cameAt = new Map<unknown, number>();
  for (const { headers, at } of receiver.received) {
    const id = headers["x-webhook-id"];
    expect(at - (cameAt.get(id) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThan(ANSWER_WITHIN_MS);
    cameAt.set(id, at);
  }
});

const scrape = async (port: number): Promise<string> =>
  (await fetch(`http://localhost:${port}/metrics`)).text();
/** Returns the number of processes that serve the API. */
const processesOn = (page: string): number =>
  Number(/^exchange_process_info\{.*role="api"\} (\d+)$/m.exec(page)?.[1] ?? 0);
const METRICS_PAGE = path.join(ROOT, "docs/reference/metrics.md");
/** Metrics of live networks, bounded stocks, limits, failures and open work. They have no series here. */
const WITHOUT_SERIES =
  /^exchange_(network|float|mails_held_back|payout_limit|refusals|security|(database|rail)_errors|orders?_(oldest|in_review|open)|jobs?_(failing|(oldest_)?due)|payouts?_(oldest|open))/;

test("both roles report every metric of the reference, and the API adds up its processes", async () => {
  const documented = (await readFile(METRICS_PAGE, "utf8")).match(/^\| `exchange_\w+/gm) ?? [];
  const names = documented.map((cell) => cell.slice(3));
  expect(names.length).toBeGreaterThan(40);
  const ofWorkers = () => Promise.all(healthPorts.map((port) => scrape(port)));
  const areRead = async () =>
    (await ofWorkers()).some((text) => text.includes("exchange_audit_breaks 0"));
  await expect.poll(areRead).toBe(true);
  let ofApi = "";
  const processes = async () => {
    ofApi = await scrape(apiHealthPort);
    return processesOn(ofApi);
  };
  // A process that is busy for a second is left out of a scrape.
  await expect.poll(processes).toBe(API_PROCESSES);
  // Any of the workers may have done all of a kind of work.
  const pages = [ofApi, ...(await ofWorkers())];
  for (const text of pages) {
    const reported = [...text.matchAll(/^# TYPE (exchange_\w+)/gm)].map(([, name]) => name);
    expect(new Set(reported)).toEqual(new Set(names));
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).not.toContain(merchant.clientId);
  }
  for (const name of names.filter((each) => !WITHOUT_SERIES.test(each))) {
    const sample = new RegExp(`^${name}(?:_count)?[{ ]`, "m");
    expect(
      pages.some((text) => sample.test(text)),
      name,
    ).toBe(true);
  }
  const placed = /^exchange_orders_placed_total\{operation="buy"\} (\d+)$/m.exec(ofApi)?.[1];
  expect(Number(placed)).toBeGreaterThanOrEqual(6);
  const completed = 'exchange_order_moves_total{from="sending",to="completed",';
  expect(pages.some((text) => text.includes(completed))).toBe(true);
  const { PROMTOOL_PATH: promtool } = process.env;
  if (promtool) {
    for (const input of pages) execFileSync(promtool, ["check", "metrics"], { input });
  }
});

test("the access log names a purchase's requests and order, and none of its secrets", async () => {
  const { orderId, customer } = await buy(api, merchant, choice);
  const ofOrder = () =>
    api.process
      .output()
      .split("\n")
      .filter((line) => line.includes(`"orderId":"${orderId}"`))
      .join("\n");
  await expect.poll(ofOrder).toContain('"route":"/v1/checkout/orders"');
  expect(ofOrder()).toContain(`"merchantId":"${merchant.clientId}"`);
  const output = api.process.output();
  const secrets = [merchant.apiKey, customer.token, BITCOIN_ADDRESS, ...Object.values(CARDS)];
  for (const secret of secrets) expect(output).not.toContain(secret);
});

test("when a worker is killed, the other finishes its work", async () => {
  const before = webhooks();
  const buying = Promise.all(Array.from({ length: 4 }, () => buy(api, merchant, choice)));
  await vi.waitUntil(() => webhooks() > before || undefined, { timeout: 60_000 });
  workers.pop()?.process.signalGroup("SIGKILL");
  const bought = await buying;
  await receiver.waitForDeliveries(before + bought.length * WEBHOOKS_OF_AN_ORDER);
});

test("when a process that answers requests is killed, another takes its place", async () => {
  const [victim = 0] = children();
  process.kill(victim, "SIGKILL");
  await vi.waitUntil(
    () => (children().length === API_PROCESSES && !children().includes(victim) ? true : undefined),
    { timeout: 60_000 },
  );
  const purchase = () => buy(api, merchant, choice);
  // A kept connection to the killed process may still fail once. No answer of the service is tried again.
  const bought = await purchase().catch((error: unknown) => {
    if (error instanceof TypeError) return purchase();
    throw error;
  });
  expect(bought.orderId).toBeGreaterThan(0);
});

test("while no process answers requests, the API is not ready", async () => {
  const readiness = async () => (await fetch(`http://localhost:${apiHealthPort}/readyz`)).status;
  const pages: string[] = [];
  const look = async (): Promise<string> => {
    const page = await scrape(apiHealthPort);
    pages.push(page);
    return page;
  };
  expect(await readiness()).toBe(200);
  await look();
  for (const pid of children()) process.kill(pid, "SIGKILL");
  await expect.poll(readiness, { interval: 20 }).toBe(503);
  expect(processesOn(await look())).toBe(0);
  await expect.poll(readiness).toBe(200);
  await expect.poll(children).toHaveLength(API_PROCESSES);
  await expect.poll(async () => processesOn(await look())).toBe(API_PROCESSES);
  // Prometheus would take a lower count for a new start, and count everything again.
  const served = pages.map((page) =>
    Number(
      /^exchange_http_requests_total\{.*payment-methods.*"200"\} (\d+)$/m.exec(page)?.[1] ?? 0,
    ),
  );
  expect(served[0]).toBeGreaterThan(0);
  expect(served).toEqual(served.toSorted((one, other) => one - other));
});

test("a catalogue that one process brings is offered by every other", async () => {
  expect(await offers()).not.toContain(false);
  const folder = await catalogueWithoutInterac();
  const env = { DATABASE_URL: database.url, EXCHANGE_ROLE: "worker", SHOP_PORT: "0" };
  const { dataDir } = api;
  const bringer = await startService({
    dataDir,
    env: { ...env, EXCHANGE_CATALOGUE_DIR: folder },
  });
  workers.push(bringer);
  await untilAll("Interac is offered by none", async () => (await offers()).map((offer) => !offer));
  await rm(folder, { recursive: true });
});

test("a merchant that is made is known to every process, and one that is disabled to none", async () => {
  const other = await createMerchant(api);
  const all = (status: number) => async () =>
    (await statuses(20, other)).map((each) => each === status);
  await untilAll("every process knows the merchant", all(200));
  await database.run(
    `update merchants set disabled_at = business_now() where id = '${other.clientId}'`,
  );
  await untilAll("every process refuses the merchant", all(401));
  expect(new Set(await statuses(20))).toEqual(new Set([200]));
});

test("a revoked key is refused by every process without a restart", async () => {
  expect(new Set(await statuses(20))).toEqual(new Set([200]));
  const keyId = merchant.apiKey.split("_")[2] ?? "";
  const revoked = await exchange(
    api,
    "key",
    "revoke",
    "--client",
    merchant.clientId,
    "--key",
    keyId.slice(0, 12),
  );
  expect(revoked.status, revoked.stderr).toBe(0);
  await untilAll("every process refuses the key", async () =>
    (await statuses(20)).map((status) => status === 401),
  );
  expect((await merchantCall(api, merchant, { path: METHODS })).status).toBe(401);
});

test("Ctrl-C ends every process", async () => {
  const before = children();
  expect(before).toHaveLength(API_PROCESSES);
  expect(await api.stop()).toBe(0);
  for (const pid of before) expect(() => process.kill(pid, 0)).toThrow();
});
