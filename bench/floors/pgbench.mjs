import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { socketOf } from "../postgres.mjs";

const run = promisify(execFile);

/** pgbench's own tables have a branch for each client, so that clients do not wait for each other. */
const SCALE = 32;
const DATABASE = "bench";
const ready = new Set();

async function ensureTables(dataDir) {
  if (ready.has(dataDir)) return;
  const { host, port } = await socketOf(dataDir);
  const where = ["-h", host, "-p", port, "-U", "postgres"];
  await run("createdb", [...where, DATABASE]);
  await run("pgbench", ["-i", "-q", "-s", String(SCALE), ...where, DATABASE]);
  ready.add(dataDir);
}

/** Runs one of pgbench's own scripts. Returns undefined where pgbench is not installed. */
export async function pgbenchBuiltin({ dataDir, name, clients, seconds }) {
  try {
    await ensureTables(dataDir);
    const script = ["-b", name];
    return await runPgbench({ dataDir, database: DATABASE, script, clients, seconds });
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Runs a script with pgbench. Returns undefined where pgbench is not installed. */
export async function pgbench({ dataDir, script, clients, seconds }) {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-bench-"));
  const file = path.join(folder, "script.sql");
  await writeFile(file, script);
  try {
    const database = "postgres";
    return await runPgbench({ dataDir, database, script: ["-f", file], clients, seconds });
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runPgbench({ dataDir, database, script, clients, seconds }) {
  const { host, port } = await socketOf(dataDir);
  const threads = Math.min(2, clients);
  const args = ["-n", "-M", "prepared", "-c", clients, "-j", threads, "-T", seconds, ...script];
  const where = ["-h", host, "-p", port, "-U", "postgres", database];
  const env = { ...process.env, PGOPTIONS: "-c client_min_messages=warning" };
  const { stdout } = await run("pgbench", [...args, ...where].map(String), { env });
  return {
    perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
    requests: Number(/actually processed: (\d+)/.exec(stdout)?.[1]),
  };
}
