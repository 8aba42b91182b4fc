import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ROOT } from "../../checks/tracked.mjs";
import { LOADERS } from "./load.mjs";

const run = promisify(execFile);
/** Of what was built; a path of its own, since nothing of the tools imports the service. */
const built = (file) => import(new URL(`apps/server/dist/${file}`, `file://${ROOT}/`).href);

/** The service on a folder of its own, started and stopped as often as needed; or its database alone. */
export function makeService({ dataDir, print }) {
  const env = {
    ...process.env,
    PORT: "0",
    SHOP_PORT: "0",
    EXCHANGE_DATA_DIR: dataDir,
    EXCHANGE_RATE_FACTOR: "1000000",
  };
  let child;
  let server;
  const service = {
    url: undefined,
    start: async () => {
      child = spawn(process.execPath, ["apps/server/dist/main.js"], {
        cwd: ROOT,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      service.url = `${await readyAddress(child)}/v1`;
    },
    /** Ends what runs, also a database that is being loaded. */
    stop: async () => {
      const loaded = await server;
      await loaded?.stop();
      await end(child);
      await endPostmaster(dataDir);
    },
    makeMerchant: async () => {
      // The first start makes the tables and loads the catalogue.
      await service.start();
      const { stdout } = await cli(env, ["merchant", "create", "--name", "Volume", "--json"]);
      await service.stop();
      return JSON.parse(stdout);
    },
    /** Asks the database of the service that runs. */
    query: (text) => askDatabase(dataDir, text),
    postmasterPid: async () => (await readPostmaster(dataDir)).pid,
    withDatabase: (work, settings) =>
      withDatabase(dataDir, {
        work,
        settings,
        onServer: (started) => {
          server = started;
        },
      }),
    checkLedger: () => {
      child = spawnLedgerCheck(env);
      return followLedgerCheck(child, print);
    },
  };
  return service;
}

async function end(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGINT");
  await once(child, "exit");
}

/** What a command leaves behind that was ended in the middle. */
async function endPostmaster(dataDir) {
  const { isPostmaster } = await built("storage/embedded/postmaster.js");
  const found = await readPostmaster(dataDir);
  const folder = path.join(dataDir, "postgres");
  if (found === undefined || !isPostmaster(found.pid, folder)) return;
  process.kill(found.pid, "SIGINT");
  while (isPostmaster(found.pid, folder)) await sleep(20);
}

const cli = (env, words) =>
  run(process.execPath, ["apps/server/bin/exchange.js", ...words], { cwd: ROOT, env });

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

async function withDatabase(dataDir, { work, settings, onServer }) {
  const { startEmbeddedPostgres } = await built("storage/embedded/embedded-postgres.js");
  const { openDatabase } = await built("storage/database.js");
  const starting = startEmbeddedPostgres({ dataDir: path.join(dataDir, "postgres"), settings });
  onServer(starting);
  const server = await starting;
  const database = openDatabase({ ...server.connection, poolSize: LOADERS });
  try {
    return await work(database);
  } finally {
    await database.close();
    await server.stop();
    onServer(undefined);
  }
}

async function readPostmaster(dataDir) {
  const { readPostmasterFile } = await built("storage/embedded/postmaster.js");
  return readPostmasterFile(path.join(dataDir, "postgres"));
}

async function askDatabase(dataDir, text) {
  const { openDatabase } = await built("storage/database.js");
  const { socketFolder } = await readPostmaster(dataDir);
  const connection = { host: socketFolder, port: 5432, user: "postgres", database: "postgres" };
  const database = openDatabase({ ...connection, poolSize: 1 });
  try {
    return await database.query({ name: "volume_ask", text });
  } finally {
    await database.close();
  }
}

/** The command as an operator runs it. */
const spawnLedgerCheck = (env) =>
  spawn(process.execPath, ["apps/server/bin/exchange.js", "ledger", "check", "--json"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });

/** What it finds, its progress shown. */
async function followLedgerCheck(child, print) {
  const startedAtMs = performance.now();
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  let toldAtMs = 0;
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (performance.now() - toldAtMs < 10_000) return;
    toldAtMs = performance.now();
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
