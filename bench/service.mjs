import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const NEW_MERCHANT_WITHIN_MS = 5_000;
const run = promisify(execFile);

/** Creates an empty data folder. `remove` deletes it. */
export async function makeDataDir() {
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-bench-data-"));
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/**
 * Returns the settings of the measured service. It runs in `staging`, which differs from `prod` only in
 * that the sandbox's rails and loopback webhooks are allowed and that payout limits are not built in.
 * Rate limits are counted as in `prod`; the factor raises them, since one merchant sends all requests.
 */
export async function measuredSettings(dataDir, variables = {}) {
  const keysFile = path.join(dataDir, "secret-keys");
  await mkdir(dataDir, { recursive: true });
  const keys = `k1:${randomBytes(32).toString("base64")}\n`;
  await writeFile(keysFile, keys, { mode: 0o600, flag: "wx" }).catch(() => {});
  const port = await freePort();
  return {
    ...process.env,
    ...variables,
    EXCHANGE_ENV: "staging",
    EXCHANGE_PUBLIC_URL: `http://localhost:${port}`,
    HOST: "localhost",
    PORT: String(port),
    SHOP_PORT: "0",
    EXCHANGE_DATA_DIR: dataDir,
    EXCHANGE_SECRET_KEYS_FILE: keysFile,
    EXCHANGE_RATE_FACTOR: "1000000",
    EXCHANGE_ALLOW_LOOPBACK_WEBHOOKS: "true",
    EXCHANGE_OPEN_ORDERS_PAIR_EURO: "1000000",
    EXCHANGE_OPEN_ORDERS_MERCHANT_EURO: "500000",
    EXCHANGE_OPEN_ORDERS_CUSTOMER_EURO: "50000",
  };
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts the service as `npm start` does. Its log goes to a file in the data folder. */
export async function startService(dataDir, variables = {}) {
  const env = await measuredSettings(dataDir, variables);
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["tools/start.mjs"], { cwd: ROOT, env });
  child.stderr.pipe(createWriteStream(path.join(dataDir, "service.log"), { flags: "a" }));
  const origin = await readyAddress(child);
  return {
    origin,
    env,
    pid: child.pid,
    readySeconds: (performance.now() - startedAt) / 1_000,
    stop: async () => {
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

/** Starts the service so that it writes the size of its collected heap: `bench/heap-probe.mjs`. */
export async function startWatchedService() {
  const { dataDir, remove } = await makeDataDir();
  const heapFile = path.join(dataDir, "heap.json");
  const probe = new URL("./heap-probe.mjs", import.meta.url).href;
  const variables = { NODE_OPTIONS: `--import ${probe}`, BENCH_HEAP_FILE: heapFile };
  return { ...(await openService({ dataDir, remove }, variables)), heapFile };
}

/** Starts the service on a folder of its own with a merchant; `addMerchant` makes another. */
export const startMeasuredService = async (variables) =>
  openService(await makeDataDir(), variables);

async function openService({ dataDir, remove }, variables) {
  const { origin, env, pid, stop } = await startService(dataDir, variables);
  const url = `${origin}/v1`;
  await setPayoutLimits(env);
  const addMerchant = async ({ origin: site } = {}) => {
    const origins = site === undefined ? [] : ["--origin", site];
    const words = ["merchant", "create", "--name", "Bench", ...origins];
    const { clientId, apiKey } = await exchange(env, words);
    const headers = { "x-client-id": clientId, "x-api-key": apiKey };
    await untilAccepted(`${url}/exchange/currencies?operationType=B&countryCode=DE`, headers);
    return { clientId, headers };
  };
  return {
    url,
    dataDir,
    pid,
    ...(await addMerchant()),
    addMerchant,
    stop: async () => {
      await stop();
      await remove();
    },
  };
}

/**
 * Sets every kind of limit that `prod` has built in, so that each payout is checked as it is there. The
 * sums of an hour and a day are higher: a run pays out more than 250,000 euro in its first minute.
 */
export async function setPayoutLimits(env) {
  const sums = ["--hour", "1000000000", "--day", "1000000000", "--as", "bench"];
  const single = ["--payout", "20000", "--approval-above", "10000"];
  await exchange(env, ["payouts", "limits", ...single, ...sums]);
  await exchange(env, ["payouts", "limits", "--total", ...sums]);
}

/** Runs the operator's command and returns what it prints as JSON. */
export async function exchange(env, words) {
  const args = ["apps/server/bin/exchange.js", ...words, "--json"];
  const { stdout } = await run(process.execPath, args, { cwd: ROOT, env });
  return JSON.parse(stdout);
}

/** The running service accepts a merchant that was made beside it within a second. */
async function untilAccepted(url, headers) {
  for (const startedAt = performance.now(); ; await sleep(50)) {
    const { status } = await fetch(url, { headers });
    if (status === 200) return;
    if (performance.now() - startedAt > NEW_MERCHANT_WITHIN_MS) {
      throw new Error(`${url} answers ${status} to the new merchant, not 200`);
    }
  }
}

async function readyAddress(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const match = /^ready (http:\S+)$/.exec(line);
    if (match) {
      child.stdout.resume();
      return match[1];
    }
  }
  throw new Error("the service did not start; service.log in its data folder says why");
}
