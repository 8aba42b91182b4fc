import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startLocalChains } from "./local-chains.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
let dataDir;

beforeEach(() => {
  lines = [];
  dataDir = mkdtempSync(join(tmpdir(), "exchange-chains-"));
  // A program that ends at once.
  vi.stubEnv("ANVIL_PATH", "/bin/false");
  vi.stubEnv("LITECOIND_PATH", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true });
});

let lines = [];
const start = (variables = {}, waitMs) =>
  startLocalChains({
    waitMs,
    root: ROOT,
    variables: { EXCHANGE_DATA_DIR: dataDir, ANVIL_PORT: "0", ...variables },
    log: (line) => lines.push(line),
  });

/** Calls back with a port that another program has. */
async function withPort(use) {
  const other = createServer();
  await new Promise((onListen) => other.listen(0, "127.0.0.1", onListen));
  await use(String(other.address().port));
  other.close();
}

test("a port that is taken is named, with the setting that chooses another one", () =>
  withPort((port) =>
    expect(start({ ANVIL_PORT: port })).rejects.toThrow(
      `Port ${port} is taken by another program. Stop that program, or set ANVIL_PORT to a free port.`,
    ),
  ));

test("an anvil that does not exist is named", async () => {
  vi.stubEnv("ANVIL_PATH", "/nowhere/anvil");
  await expect(start()).rejects.toThrow("ANVIL_PATH names /nowhere/anvil, which does not exist.");
});

test("a database is never shown another chain than its own", async () => {
  const folder = join(dataDir, "local-chains");
  mkdirSync(join(folder, "postgres"), { recursive: true });
  await expect(start()).rejects.toThrow(
    `${folder} has a database, and the file of its chain (state.gz) is gone.`,
  );
  expect(readdirSync(folder)).toEqual(["postgres"]);
});

test("a chain without a database begins again, and a missing litecoind and an anvil that ends are reported", async () => {
  const folder = join(dataDir, "local-chains");
  mkdirSync(folder);
  writeFileSync(join(folder, "state.gz"), "not a state");
  writeFileSync(join(folder, "history.json"), "{}");
  await expect(start()).rejects.toThrow(
    `The local chain did not start: anvil ended (1); anvil.log may say why. Its files are in ${folder}.`,
  );
  expect(readdirSync(folder).toSorted()).toEqual(["anvil.log", "signer", "signer.log"]);
  expect(lines).toEqual([
    "without litecoind, so the sandbox plays Litecoin. Set LITECOIND_PATH to run it",
  ]);
});

/** Makes the folder of a service that ran with these networks. */
function makeFolder(networks, names) {
  const folder = join(dataDir, "local-chains");
  for (const name of ["postgres", ...names]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "state.gz"), "not a state");
  const chains = Object.fromEntries(networks.map((network) => [network, {}]));
  writeFileSync(join(folder, "rails.json"), JSON.stringify({ chains }));
  return folder;
}

test("a database that began without Litecoin goes on without it", async () => {
  vi.stubEnv("LITECOIND_PATH", "/bin/false");
  const folder = makeFolder(["ethereum"], []);
  await withPort((port) => expect(start({ ANVIL_PORT: port })).rejects.toThrow("is taken"));
  expect(lines).toEqual([
    `without Litecoin, as ${folder} began. Delete that folder to begin with it, if you want`,
  ]);
});

test("a database with a Litecoin chain is refused without litecoind, and without the chain", async () => {
  const folder = makeFolder(["ethereum", "litecoin"], []);
  await expect(start()).rejects.toThrow(
    `${folder} has a database with a Litecoin chain, and litecoind is not installed any more.`,
  );
  vi.stubEnv("LITECOIND_PATH", "/bin/false");
  await expect(start()).rejects.toThrow(
    `${folder} has a database, and the file of its chain (litecoin) is gone.`,
  );
});

test("a keeper that still runs has the folder", async () => {
  const folder = join(dataDir, "local-chains");
  mkdirSync(folder);
  writeFileSync(join(folder, "keeper.json"), JSON.stringify({ pid: process.pid }));
  await expect(start({}, 300)).rejects.toThrow(`are in use (process ${process.pid})`);
});
