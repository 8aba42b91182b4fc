import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const KNOWN_WITHIN_MS = 5_000;
const run = promisify(execFile);

/** A data folder of its own, and what deletes it. */
export async function makeDataDir() {
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-bench-data-"));
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

/** Starts the service as `npm start` does, without the demo shop, rate limits out of the way. */
export async function startService(dataDir, variables = {}) {
  const env = {
    ...process.env,
    ...variables,
    PORT: "0",
    SHOP_PORT: "0",
    EXCHANGE_DATA_DIR: dataDir,
    EXCHANGE_RATE_FACTOR: "1000000",
  };
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["tools/start.mjs"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
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

/** The same, and it tells its collected heap: `bench/heap-probe.mjs`. */
export async function startWatchedService() {
  const { dataDir, remove } = await makeDataDir();
  const heapFile = path.join(dataDir, "heap.json");
  const probe = new URL("./heap-probe.mjs", import.meta.url).href;
  const variables = { NODE_OPTIONS: `--import ${probe}`, BENCH_HEAP_FILE: heapFile };
  return { ...(await openService({ dataDir, remove }, variables)), heapFile };
}

/** The service on a folder of its own, and a merchant; `addMerchant` makes another. */
export const startMeasuredService = async () => openService(await makeDataDir());

async function openService({ dataDir, remove }, variables) {
  const { origin, env, pid, stop } = await startService(dataDir, variables);
  const url = `${origin}/v1`;
  const addMerchant = async () => {
    const args = ["apps/server/bin/exchange.js", "merchant", "create", "--name", "Bench", "--json"];
    const { stdout } = await run(process.execPath, args, { cwd: ROOT, env });
    const { clientId, apiKey } = JSON.parse(stdout);
    const headers = { "x-client-id": clientId, "x-api-key": apiKey };
    await untilKnown(`${url}/exchange/currencies?operationType=B&countryCode=DE`, headers);
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

/** The running service is told of a merchant that was made beside it within a second. */
async function untilKnown(url, headers) {
  for (const startedAt = performance.now(); ; await sleep(50)) {
    const { status } = await fetch(url, { headers });
    if (status === 200) return;
    if (performance.now() - startedAt > KNOWN_WITHIN_MS) throw new Error(`${url}: ${status}`);
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
  throw new Error("the service did not start");
}
