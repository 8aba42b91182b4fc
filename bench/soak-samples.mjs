import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openDatabase, socketOf } from "./postgres.mjs";
import { childrenOf, nodeMemoryMb } from "./processes.mjs";

const run = promisify(execFile);
const HEAP_WITHIN_MS = 5_000;
const MB = 1_048_576;

/** The measures of memory, in megabytes, with their names in the report. */
export const MEASURES = [
  ["heap", "heap of the service, collected"],
  ["resident", "resident memory of its Node processes"],
  ["postgres", "PostgreSQL's own memory, without what it shares"],
];

/** Samples memory. A measure is undefined where the operating system does not report it. */
export async function sampleMemory(service) {
  const heap = await collectedHeapMb(service);
  const [resident, postgres] = await Promise.all([
    nodeMemoryMb(service.pid),
    postgresPrivateMb(service.dataDir),
  ]);
  return { heap, resident, postgres };
}

/** Signals the probe in the service and waits for its file. */
async function collectedHeapMb({ pid, heapFile }) {
  await rm(heapFile, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const startedAt = performance.now(); performance.now() - startedAt < HEAP_WITHIN_MS; ) {
    const text = await readFile(heapFile, "utf8").catch(() => undefined);
    if (text !== undefined) return JSON.parse(text).heapUsed / MB;
    await sleep(20);
  }
  return undefined;
}

async function postgresPrivateMb(dataDir) {
  const { pid } = await socketOf(dataDir);
  const parts = await Promise.all([pid, ...(await childrenOf(pid))].map(privateKb));
  const sizes = parts.filter((kb) => kb !== undefined);
  return sizes.length === 0 ? undefined : sizes.reduce((sum, kb) => sum + kb, 0) / 1_024;
}

/** Returns the size of the pages that belong to one process alone; undefined without /proc or the process. */
async function privateKb(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const sizes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)];
  return sizes.reduce((sum, [, kb]) => sum + Number(kb), 0);
}

/** Samples megabytes on disk: each table with its indexes, and the write-ahead log. */
export async function sampleDisk({ dataDir }) {
  const client = await openDatabase(dataDir);
  try {
    const { rows } = await client.query(
      `select relname as name, pg_total_relation_size(oid) / ${MB}.0 as mb from pg_class
       where relkind in ('r', 'm') and relnamespace = 'public'::regnamespace`,
    );
    const tables = new Map(rows.map(({ name, mb }) => [name, Number(mb)]));
    return { tables, logMb: await folderMb(path.join(dataDir, "postgres", "pg_wal")) };
  } finally {
    await client.end();
  }
}

async function folderMb(folder) {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number(stdout.split(/\s/)[0]) / 1_024;
}
