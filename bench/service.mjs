import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const run = promisify(execFile);

/** Starts the real service on a folder of its own, with rate limits out of the way, and a merchant. */
export async function startMeasuredService() {
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-bench-data-"));
  const env = {
    ...process.env,
    PORT: "0",
    SHOP_PORT: "0",
    EXCHANGE_DATA_DIR: dataDir,
    EXCHANGE_RATE_FACTOR: "1000000",
  };
  const child = spawn(process.execPath, ["tools/start.mjs"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const origin = await readyAddress(child);
  const cli = (...args) =>
    run(process.execPath, ["apps/server/bin/exchange.js", ...args, "--json"], { cwd: ROOT, env });
  const { stdout } = await cli("merchant", "create", "--name", "Bench");
  const { clientId, apiKey } = JSON.parse(stdout);
  return {
    url: `${origin}/v1`,
    dataDir,
    pid: child.pid,
    clientId,
    headers: { "x-client-id": clientId, "x-api-key": apiKey },
    stop: async () => {
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("exit", resolve));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
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
