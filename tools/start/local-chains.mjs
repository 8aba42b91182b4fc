// Runs the local chains beside the service: `npm start -- --chains local`.
import { fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findPrograms } from "../testing/programs.mjs";
import { readNodePort } from "./arguments.mjs";

const KEEPER = fileURLToPath(new URL("local/keeper.mjs", import.meta.url));
/** The chains of a service that was killed end within this time. */
const WAIT_MS = 15_000;
const STOP_MS = 20_000;

/**
 * Starts the chains, and sets the service's variables for them. Database and chain share a folder, which the service
 * without local chains does not use: no database ever meets another chain.
 */
export async function startLocalChains({ root, variables, log, waitMs = WAIT_MS }) {
  const port = readNodePort(variables);
  const folder = join(resolve(root, variables["EXCHANGE_DATA_DIR"] || ".data"), "local-chains");
  const railsFile = join(folder, "rails.json");
  const settings = {
    folder,
    railsFile,
    catalogueDir: resolve(root, variables["EXCHANGE_CATALOGUE_DIR"] || "apps/server/catalogue"),
    anvilPath: findAnvil(log),
    explorer: explorerOf(variables["SHOP_PORT"] || "8081"),
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await waitForKeeper(folder, waitMs);
  requireWholeFolder(folder);
  const litecoindPath = findLitecoind({ folder, railsFile, log });
  const keeper = await startKeeper({
    ...settings,
    port: await findPort(port),
    ...(litecoindPath !== undefined && { litecoindPath, coinPort: await findPort(0) }),
  });
  variables["EXCHANGE_DATA_DIR"] = folder;
  variables["EXCHANGE_RAILS_FILE"] = settings.railsFile;
  return { ...keeper, folder, railsFile };
}

/** The test wallet shows the payments of the chain, which no public explorer knows. */
const explorerOf = (shopPort) =>
  shopPort === "0" ? undefined : `http://localhost:${shopPort}/wallet#{hash}`;

function findAnvil(log) {
  const [{ path }] = findPrograms(["ANVIL_PATH"], log);
  if (path !== undefined) return path;
  const named = process.env["ANVIL_PATH"];
  throw new Error(
    named === undefined
      ? "--chains local needs the node anvil, which could not be installed here. Install Foundry and set ANVIL_PATH to its anvil."
      : `ANVIL_PATH names ${named}, which does not exist. Name an anvil, or unset it to have one installed (Linux x64).`,
  );
}

/**
 * Returns the path of litecoind, or undefined with a line that says why the sandbox plays Litecoin. A database keeps
 * the chains that it began with.
 */
function findLitecoind({ folder, railsFile, log }) {
  const hasData = existsSync(join(folder, "postgres"));
  const isOld = hasData && !readNetworks(railsFile).includes("litecoin");
  if (isOld) {
    log(`without Litecoin, as ${folder} began. Delete that folder to begin with it, if you want`);
    return undefined;
  }
  const [{ path }] = findPrograms(["LITECOIND_PATH"], log);
  if (hasData && path === undefined) {
    throw new Error(
      `${folder} has a database with a Litecoin chain, and litecoind is not installed any more. Install it or name ` +
        `it in LITECOIND_PATH, or delete the folder to begin with new chains: rm -r ${folder}`,
    );
  }
  if (hasData && !existsSync(join(folder, "litecoin"))) throw missingChain(folder, "litecoin");
  if (path === undefined) {
    log("without litecoind, so the sandbox plays Litecoin. Set LITECOIND_PATH to run it");
  }
  return path;
}

/** Returns the networks of the last start. */
function readNetworks(railsFile) {
  if (!existsSync(railsFile)) return [];
  return Object.keys(JSON.parse(readFileSync(railsFile, "utf8")).chains);
}

/**
 * A chain without a database begins again, without the history of the old one, which refuses an empty database. A
 * database without its chain would be shown another one.
 */
function requireWholeFolder(folder) {
  if (!existsSync(join(folder, "postgres"))) {
    for (const name of ["state.gz", "signer", "litecoin", "history.json"]) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
    return;
  }
  if (existsSync(join(folder, "state.gz"))) return;
  throw missingChain(folder, "state.gz");
}

const missingChain = (folder, name) =>
  new Error(
    `${folder} has a database, and the file of its chain (${name}) is gone. Its orders and balances are of ` +
      `that chain. Put the file back, or delete the folder to begin with a new chain: rm -r ${folder}`,
  );

/** The keeper of a killed service is still stopping. A running one is of another service. */
async function waitForKeeper(folder, waitMs) {
  const start = performance.now();
  for (;;) {
    const pid = readKeeperPid(folder);
    if (pid === undefined) return;
    if (performance.now() - start > waitMs) {
      throw new Error(
        `The chains in ${folder} are in use (process ${pid}). Stop the service that runs there, or start this ` +
          "one with another EXCHANGE_DATA_DIR, PORT, SHOP_PORT and ANVIL_PORT.",
      );
    }
    await sleep(100);
  }
}

function readKeeperPid(folder) {
  try {
    const { pid } = JSON.parse(readFileSync(join(folder, "keeper.json"), "utf8"));
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

/** A keeper that was killed stopped nothing. */
function killPrograms(folder) {
  const { programs = [] } = JSON.parse(readFileSync(join(folder, "keeper.json"), "utf8"));
  for (const pid of programs) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended as well.
    }
  }
}

/** Returns the port, or a free one for 0. Throws when another program has it. */
async function findPort(port) {
  const server = createServer();
  return new Promise((onFree, onTaken) => {
    server.once("error", () =>
      onTaken(
        new Error(
          `Port ${port} is taken by another program. Stop that program, or set ANVIL_PORT to a free port.`,
        ),
      ),
    );
    server.listen(port, "127.0.0.1", () => {
      const { port: free } = server.address();
      server.close(() => onFree(free));
    });
  });
}

/** Starts the process that owns the chains. Resolves when they can be used. */
async function startKeeper(settings) {
  const keeper = fork(KEEPER, [JSON.stringify(settings)], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let why;
  keeper.once("exit", (_, signal) => {
    if (signal !== null) killPrograms(settings.folder);
  });
  const ended = new Promise((onEnd) => {
    keeper.on("message", (message) => {
      if (message.type === "failed") why = message.message;
    });
    keeper.once("error", (error) => onEnd(error.message));
    keeper.once("exit", (code, signal) =>
      onEnd(why ?? `the keeper of the local chain ended (${signal ?? code})`),
    );
  });
  const ready = new Promise((onReady) => {
    keeper.on("message", (message) => message.type === "ready" && onReady(message));
  });
  const first = await Promise.race([ready, ended]);
  if (typeof first === "string") {
    throw new Error(
      `The local chain did not start: ${first}. Its files are in ${settings.folder}.`,
    );
  }
  const stop = async () => {
    if (keeper.connected) keeper.send({ type: "stop" });
    const timer = setTimeout(() => keeper.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    url: first.url,
    coinUrl: first.coinUrl,
    customer: first.customer,
    ended,
    stop,
    /** Says that the service reads the chains. */
    served: () => keeper.connected && keeper.send({ type: "served" }),
  };
}
