import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { call } from "../support/http/api.ts";
import {
  createMerchant,
  createToken,
  type Merchant,
  newSessionId,
} from "../support/orders/merchant.ts";
import { exchangeJson } from "../support/service/command-line.ts";
import { run } from "../support/service/processes.ts";
import {
  ROOT,
  type Service,
  type StartedService,
  serviceSettings,
  startService,
} from "../support/service/service.ts";

const START = [process.execPath, "tools/start.mjs"];
/** User and group id of the user that owns nothing. */
const NOBODY = [65_534, 65_534] as const;
const BUYERS = 32;
const isRoot = process.getuid?.() === 0;

const started: StartedService[] = [];
const start = async (options: Parameters<typeof startService>[0]): Promise<StartedService> => {
  const service = await startService(options);
  started.push(service);
  return service;
};

afterEach(async () => {
  const services = started.splice(0);
  // All of them first: two may share a folder, and a database whose folder is gone is not stopped.
  for (const service of services) await service.stop();
  for (const { dataDir } of services) await rm(dataDir, { recursive: true, force: true });
});

const merchantsOf = (service: Service) => exchangeJson<unknown>(service, "merchant", "list");
const again = (service: Service) => start({ dataDir: service.dataDir, env: service.env });
const isHealthy = async (service: Service): Promise<boolean> =>
  (await fetch(`${service.url}/healthz`)).ok && (await fetch(service.shopUrl)).ok;

describe("one installation", () => {
  let service: StartedService;
  beforeAll(async () => {
    service = await startService({});
  });
  afterAll(async () => {
    await service.discard();
  });
  const startAgain = async (): Promise<void> => {
    service = await startService({ dataDir: service.dataDir, env: service.env });
  };

  test("it says where everything is, and the curl line it prints works", async () => {
    const output = service.process.output();
    expect(output).toContain(service.url);
    expect(output).toContain(service.shopUrl);
    expect(output).toContain(`${service.url}/docs`);
    expect(output).toMatch(/client_dev_[A-Z2-7]{16}/);
    const curl = /^\s*(curl .*)$/m.exec(output)?.[1] ?? "";
    expect(curl).not.toBe("");
    const answer = run(["bash", "-c", curl], { cwd: ROOT, env: process.env });
    expect(await answer.exited).toBe(0);
    expect(answer.output()).toContain('"success":true');
    // The answer needed the demo merchant's key. It is part of the start and not an event of the security log.
    expect(service.process.output()).not.toContain('"security"');
  });

  test("refuses a second copy on its data folder, and says what to do", async () => {
    const { env } = await serviceSettings({ dataDir: service.dataDir });
    const { status, words } = await refusedStart(env);
    expect(status).toBe(1);
    expect(words).toContain(service.dataDir);
    expect(words).toContain("EXCHANGE_DATA_DIR");
    expect(words).not.toMatch(/^\s+at /m);
    expect(await isHealthy(service)).toBe(true);
  });

  test("Ctrl-C stops it cleanly, and a second start reuses everything", async () => {
    const { url } = service;
    const merchants = await merchantsOf(service);
    expect(await isHealthy(service)).toBe(true);
    expect(await service.stop()).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    await startAgain();
    expect(service.url).toBe(url);
    expect(await merchantsOf(service)).toEqual(merchants);
    expect(service.process.output()).not.toMatch(/\b(installing|building)\b/i);
  });

  test("after kill -9 of the whole group the next start recovers by itself", async () => {
    const merchants = await merchantsOf(service);
    service.process.signalGroup("SIGKILL");
    await service.process.exited;
    await startAgain();
    expect(await merchantsOf(service)).toEqual(merchants);
    expect(await isHealthy(service)).toBe(true);
  });

  test("after kill -9 of the database alone the service recovers", async () => {
    process.kill(await pidOfDatabase(service), "SIGKILL");
    await expect.poll(() => merchantsOf(service).catch(() => undefined)).toBeDefined();
  });
});

describe("after kill -9", () => {
  test("of npm alone the next start recovers by itself", async () => {
    const first = await start({ command: ["npm", "start"] });
    const merchants = await merchantsOf(first);
    first.process.signal("SIGKILL");
    await first.process.exited;
    const second = await again(first);
    expect(await merchantsOf(second)).toEqual(merchants);
    expect(await isHealthy(second)).toBe(true);
  });

  test("of the service and its database, every token that was answered works after the next start", async () => {
    const first = await start({ env: { EXCHANGE_RATE_FACTOR: "1000" } });
    const merchant = await createMerchant(first);
    const tokens: string[] = [];
    const buyers = Array.from({ length: BUYERS }, () => buyTokens(first, merchant, tokens));
    await vi.waitUntil(async () => tokens.length > 300 || undefined, { timeout: 60_000 });
    const database = await familyOf(await pidOfDatabase(first));
    // An answer that comes while the database is stopped was sent too early.
    signalAll(database, "SIGSTOP");
    await sleep(300);
    first.process.signalGroup("SIGKILL");
    signalAll(database, "SIGKILL");
    await Promise.all(buyers);
    const second = await again(first);
    const statuses: number[] = [];
    // A slow client that opened thousands of connections at once would be told that its requests arrive too slowly.
    while (statuses.length < tokens.length) {
      const some = tokens.slice(statuses.length, statuses.length + BUYERS);
      statuses.push(...(await Promise.all(some.map((token) => sessionStatus(second, token)))));
    }
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});

/** Creates one token after the other, until the service does not answer. A busy one may refuse some. */
async function buyTokens(service: Service, merchant: Merchant, tokens: string[]): Promise<void> {
  for (;;) {
    const body = { sessionId: newSessionId() };
    const answer = await createToken(service, merchant, body).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status === 201) tokens.push(answer.body.data.accessToken);
  }
}

/** Asks again while the service is too busy. */
async function sessionStatus(service: Service, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const request = { path: "/v1/checkout/session", headers };
  const ask = async (): Promise<number> => (await call(service, request)).status;
  let status = await ask();
  for (let attempt = 1; status === 503 && attempt < 10; attempt++) status = await ask();
  return status;
}

async function pidOfDatabase(service: Service): Promise<number> {
  const text = await readFile(path.join(service.dataDir, "postgres", "postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

/** One of them may have ended meanwhile. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** The process and those it has started. */
async function familyOf(pid: number): Promise<number[]> {
  const processes = run(["ps", "-A", "-o", "pid=,ppid="], { cwd: ROOT, env: process.env });
  await processes.exited;
  const lines = processes.output().trim().split("\n");
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
  return [pid, ...children];
}

/** Starts what must refuse to start; gives its exit status and its words. */
async function refusedStart(
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | string; words: string }> {
  const refused = run(START, { cwd: ROOT, env });
  const status = await refused.exited;
  return { status, words: refused.output() };
}

describe("what cannot start says what to do", () => {
  test("of two that start together on a new data folder, one says who uses it", async () => {
    const { dataDir, env } = await serviceSettings();
    const other = await serviceSettings({ dataDir });
    const starts = [env, other.env].map((variables) => run(START, { cwd: ROOT, env: variables }));
    const [refused] = await Promise.race(
      starts.map(async (started) => [started, await started.exited] as const),
    );
    const [last = ""] = refused.output().trim().split("\n").slice(-1);
    const running = starts.find((started) => started !== refused);
    await running?.waitFor(/^ready http/m);
    running?.signalGroup("SIGINT");
    await running?.exited;
    await rm(dataDir, { recursive: true, force: true });
    expect(await refused.exited).toBe(1);
    expect(last).toMatch(
      /^Another service runs on the data folder .+ already \(process \d+, http:/,
    );
    expect(last).toContain(dataDir);
  });

  test("a taken port", async () => {
    const { dataDir, env } = await serviceSettings();
    const taken = createServer().listen(Number(env["PORT"]));
    const { status, words } = await refusedStart(env);
    taken.close();
    await rm(dataDir, { recursive: true, force: true });
    expect(status).toBe(1);
    expect(words).toContain(String(env["PORT"]));
    expect(words).toMatch(/\bPORT\b/);
    expect(words).not.toMatch(/^\s+at /m);
  });

  test("a data folder that is a file", async () => {
    const { dataDir, env } = await serviceSettings();
    const file = path.join(dataDir, "file");
    await writeFile(file, "");
    const { status, words } = await refusedStart({ ...env, EXCHANGE_DATA_DIR: file });
    await rm(dataDir, { recursive: true, force: true });
    expect(status).toBe(1);
    expect(words).toMatch(new RegExp(`${file}.* cannot be used: .*not a folder`));
    expect(words).not.toMatch(/^\s+at /m);
  });

  test("settings that are not valid, all at once", async () => {
    const bad = { PORT: "eighty", SHOP_PORT: "70000", EXCHANGE_ENV: "moon" };
    const { dataDir, env } = await serviceSettings({ env: bad });
    const { status, words } = await refusedStart(env);
    await rm(dataDir, { recursive: true, force: true });
    expect(status).toBe(1);
    for (const name of Object.keys(bad)) expect(words).toMatch(new RegExp(`\\b${name}\\b`));
    expect(words).not.toMatch(/^\s+at /m);
  });
});

test.runIf(isRoot && process.platform === "linux")("it runs as an ordinary user", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-data-"));
  const [uid, gid] = NOBODY;
  await chmod(dataDir, 0o755);
  await chown(dataDir, uid, gid);
  const service = await start({
    dataDir,
    env: { HOME: dataDir },
    command: ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...START],
  });
  expect(await isHealthy(service)).toBe(true);
});

test.runIf(!isRoot)("this run is that of an ordinary user", () => {
  expect(userInfo().uid).not.toBe(0);
});
