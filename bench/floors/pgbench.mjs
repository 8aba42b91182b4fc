import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where the service's embedded PostgreSQL listens: its own pid file says so. */
export async function socketOf(dataDir) {
  const lines = (await readFile(path.join(dataDir, "postgres", "postmaster.pid"), "utf8")).split(
    "\n",
  );
  return { host: lines[4], port: lines[3] };
}

/** Transactions a second of pgbench running the script; undefined where pgbench is not installed. */
export async function pgbench({ dataDir, script, clients, seconds }) {
  const { host, port } = await socketOf(dataDir);
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-bench-"));
  const file = path.join(folder, "script.sql");
  await writeFile(file, script);
  const threads = Math.min(2, clients);
  const args = ["-n", "-M", "prepared", "-c", clients, "-j", threads, "-T", seconds, "-f", file];
  try {
    const where = ["-h", host, "-p", port, "-U", "postgres", "postgres"];
    const env = { ...process.env, PGOPTIONS: "-c client_min_messages=warning" };
    const { stdout } = await run("pgbench", [...args, ...where].map(String), { env });
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
