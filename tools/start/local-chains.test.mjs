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
  dataDir = mkdtempSync(join(tmpdir(), "exchange-chains-"));
  // A program that ends at once.
  vi.stubEnv("ANVIL_PATH", "/bin/false");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true });
});

const start = (variables = {}, waitMs) =>
  startLocalChains({
    waitMs,
    root: ROOT,
    variables: { EXCHANGE_DATA_DIR: dataDir, ANVIL_PORT: "0", ...variables },
    log: () => {},
  });

test("a port that is taken is named, with the setting that chooses another one", async () => {
  const other = createServer();
  await new Promise((onListen) => other.listen(0, "127.0.0.1", onListen));
  const port = String(other.address().port);
  await expect(start({ ANVIL_PORT: port })).rejects.toThrow(
    `Port ${port} is taken by another program. Stop that program, or set ANVIL_PORT to a free port.`,
  );
  other.close();
});

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

test("a chain without a database begins again, and an anvil that ends is reported", async () => {
  const folder = join(dataDir, "local-chains");
  mkdirSync(folder);
  writeFileSync(join(folder, "state.gz"), "not a state");
  await expect(start()).rejects.toThrow(
    `The local chain did not start: anvil ended (1); anvil.log may say why. Its files are in ${folder}.`,
  );
  expect(readdirSync(folder).toSorted()).toEqual(["anvil.log", "signer", "signer.log"]);
});

test("a keeper that still runs has the folder", async () => {
  const folder = join(dataDir, "local-chains");
  mkdirSync(folder);
  writeFileSync(join(folder, "keeper.json"), JSON.stringify({ pid: process.pid }));
  await expect(start({}, 300)).rejects.toThrow(`are in use (process ${process.pid})`);
});
