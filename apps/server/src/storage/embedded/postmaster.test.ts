import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnPostmaster } from "./postmaster.ts";

/** A program that writes a message and ends at once takes the place of PostgreSQL. */
const startDoomed = () => {
  const dataDir = mkdtempSync(join(tmpdir(), "exchange-postmaster-"));
  const started = spawnPostmaster({
    postgres: process.execPath,
    dataDir,
    socketFolder: dataDir,
    user: undefined,
  });
  return { dataDir, started };
};

const ending = async ({ ended }: ReturnType<typeof spawnPostmaster>): Promise<string> => {
  await expect.poll(ended).toBeDefined();
  return ended() ?? "";
};

test("a server that ends reports the reason with its last log lines", async () => {
  const { dataDir, started } = startDoomed();
  expect(await ending(started)).toMatch(/^PostgreSQL ended \(\d+\)\. .*bad option/s);
  rmSync(dataDir, { recursive: true });
});

test("a server that ends after its folder was removed does not crash the service", async () => {
  const { dataDir, started } = startDoomed();
  rmSync(dataDir, { recursive: true });
  expect(await ending(started)).toMatch(/^PostgreSQL ended \(.+\)\.$/);
});
