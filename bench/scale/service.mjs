import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDatabase, socketOf } from "../postgres.mjs";
import { exchange, measuredSettings, setPayoutLimits, startService } from "../service.mjs";
import { LOADERS } from "./load.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROGRESS_EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;
/** Imports a compiled module of the service by its path, since tools do not import its source. */
export const compiled = (file) =>
  import(new URL(`apps/server/dist/${file}`, `file://${ROOT}`).href);

/** The service on a folder of its own, started and stopped as often as needed; or its database alone. */
export function makeService({ dataDir, print }) {
  let running;
  let server;
  let check;
  const service = {
    dataDir,
    url: undefined,
    start: async () => {
      running = await startService(dataDir);
      service.url = `${running.origin}/v1`;
    },
    /** Stops whatever runs, also a database that is being loaded. */
    stop: async () => {
      await (await server)?.stop();
      await running?.stop();
      running = undefined;
      check?.kill("SIGINT");
      await stopPostmaster(dataDir);
    },
    makeMerchant: async () => {
      // The first start creates the tables and loads the catalogue.
      await service.start();
      await setPayoutLimits(running.env);
      const merchant = await exchange(running.env, ["merchant", "create", "--name", "Scale"]);
      await service.stop();
      return merchant;
    },
    /** Runs a query in the database of the running service. */
    query: async (text) => {
      const database = await openDatabase(dataDir);
      const { rows } = await database.query(text);
      await database.end();
      return rows;
    },
    postmasterPid: async () => (await socketOf(dataDir)).pid,
    withDatabase: (work, settings) =>
      withDatabase(dataDir, {
        work,
        settings,
        onServer: (starting) => {
          server = starting;
        },
      }),
    checkLedger: async () => {
      check = spawnLedgerCheck(await measuredSettings(dataDir));
      return followLedgerCheck(check, print);
    },
  };
  return service;
}

/** Stops the server that an interrupted command left behind. */
async function stopPostmaster(dataDir) {
  const { isPostmaster, readPostmasterFile } = await compiled("storage/embedded/postmaster.js");
  const folder = path.join(dataDir, "postgres");
  const found = readPostmasterFile(folder);
  if (found === undefined || !isPostmaster(found.pid, folder)) return;
  process.kill(found.pid, "SIGINT");
  while (isPostmaster(found.pid, folder)) await sleep(20);
}

async function withDatabase(dataDir, { work, settings, onServer }) {
  const { startEmbeddedPostgres } = await compiled("storage/embedded/embedded-postgres.js");
  const { openDatabase: open } = await compiled("storage/postgres/database.js");
  const starting = startEmbeddedPostgres({ dataDir: path.join(dataDir, "postgres"), settings });
  onServer(starting);
  const server = await starting;
  // A load takes longer than any statement of the service.
  const patience = { waitMs: HOUR_MS, answerMs: HOUR_MS };
  const database = open({ ...server.connection, ...patience, poolSize: LOADERS });
  try {
    return await work(database);
  } finally {
    await database.close();
    await server.stop();
    onServer(undefined);
  }
}

/** Runs the command as an operator does. */
const spawnLedgerCheck = (env) =>
  spawn(process.execPath, ["apps/server/bin/exchange.js", "ledger", "check", "--json"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Returns what the check finds, and prints its progress. */
async function followLedgerCheck(child, print) {
  const startedAtMs = performance.now();
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  let printedAtMs = 0;
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (performance.now() - printedAtMs < PROGRESS_EVERY_MS) return;
    printedAtMs = performance.now();
    print(line);
  });
  const [status] = await once(child, "close");
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const report = JSON.parse(output);
  const text = report.ok
    ? `${report.orders} orders, ${report.entries} entries, ${report.postings} postings, all right`
    : JSON.stringify((report.problems ?? [report]).slice(0, 3));
  return { ok: status === 0 && report.ok === true, seconds, text };
}
