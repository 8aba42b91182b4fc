import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startNameServer } from "../support/machine/name-server.ts";
import { createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buy,
  buyChoice,
  CARDS,
  orderWithStatus,
  type PlacedOrder,
  payByCard,
  startOrder,
} from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { startProxy } from "../support/postgres/proxy.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { freePort } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const FAKETIME = process.env["FAKETIME_PATH"] ?? "";
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
if (!isRoot) console.warn("MOST TESTS OF A HOSTILE MACHINE ARE SKIPPED: they need root on Linux");
/** Control groups of version 1, which a test may make without systemd. */
const MEMORY_GROUPS = "/sys/fs/cgroup/memory";
const RESOLVER = "127.0.0.79";

let folder: string;
let service: StartedService;
let merchant: Merchant;
let choice: BuyChoice;
let ends: (() => unknown)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-hostile-"));
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(options: Parameters<typeof startService>[0]): Promise<void> {
  service = await startService(options);
  const opened = service;
  ends.push(() => opened.stop());
  merchant = await createMerchant(service);
  choice = await buyChoice(service, merchant);
}

const readiness = async () => {
  const answer = await fetch(`${service.url}/readyz`);
  const { cause } = (await answer.json()) as { readonly cause?: string };
  return { status: answer.status, cause };
};
const becomes = (status: number, more: object = {}) =>
  expect.poll(readiness).toMatchObject({ status, ...more });
const payNew = async (): Promise<PlacedOrder> => {
  const placed = await startOrder(service, merchant, choice);
  const { status, text } = await payByCard(placed.customer, placed.orderId, CARDS.visa);
  if (status !== 201) throw new Error(`no payment: ${text}`);
  return placed;
};
/** Pays, again while that is refused: a busy moment may need one more connection. */
const payInTheEnd = () =>
  vi.waitUntil(() => payNew().catch(() => undefined), { timeout: 60_000, interval: 200 });
const completes = ({ customer, orderId }: PlacedOrder) =>
  orderWithStatus(customer, orderId, "completed");
/** Buys until an attempt fails. Returns the orders that were acknowledged. */
async function buyUntilRefused(): Promise<PlacedOrder[]> {
  const paid: PlacedOrder[] = [];
  const tryOnce = async () => paid.push(await payNew());
  await expect.poll(() => tryOnce().then(() => "", String)).not.toBe("");
  return paid;
}
const expectRightBooks = async () =>
  expect(await exchangeHere(service, "ledger", "check")).toMatchObject({ ok: true });

test.runIf(isRoot)(
  "a full disk refuses orders in a sentence, loses none, and recovers by itself",
  async () => {
    const disk = path.join(folder, "disk");
    await mkdir(disk);
    execFileSync("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=400m", "none", disk]);
    ends.push(() => execFileSync("/usr/bin/umount", ["--lazy", disk]));
    const healthPort = await freePort();
    const env = { EXCHANGE_HEALTH_PORT: String(healthPort) };
    await open({ dataDir: path.join(disk, "data"), env });
    const before = await buy(service, merchant, choice);
    const ballast = path.join(disk, "ballast");
    // It ends with an error when nothing is left.
    const fill = ["if=/dev/zero", `of=${ballast}`, "bs=64k"];
    expect(spawnSync("dd", fill, { encoding: "utf8" }).stderr).toContain("No space left");
    const paid = await buyUntilRefused();
    await expect
      .poll(() => service.process.output())
      .toMatch(/No space left on device|disk is full/);
    await rm(ballast);
    await becomes(200);
    for (const order of [before, ...paid]) await completes(order);
    await completes(await payNew());
    await expectRightBooks();
  },
);

test.runIf(existsSync(FAKETIME))(
  "a machine whose clock jumps reports it, and recovers when the clock is right again",
  async () => {
    const database = await startDatabaseServer();
    ends.push(() => database.stop());
    const clock = path.join(folder, "clock");
    await writeFile(clock, "+0");
    await open({
      env: {
        DATABASE_URL: database.url,
        LD_PRELOAD: FAKETIME,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    });
    for (const jump of ["+7200", "-7200"]) {
      const underWay = await payNew();
      await writeFile(clock, jump);
      await becomes(503, { cause: expect.stringContaining("clock") });
      await writeFile(clock, "+0");
      await becomes(200);
      await completes(underWay);
      await completes(await payNew());
    }
    await expectRightBooks();
  },
);

describe.runIf(isRoot)("a name server", () => {
  test("that is gone ends nothing that is open, is told, and is not missed when it is back", async () => {
    let names = await startNameServer(RESOLVER);
    ends.push(() => names.stop());
    const database = await startDatabaseServer();
    ends.push(() => database.stop());
    const way = await startProxy(database.url);
    ends.push(() => way.stop());
    const resolver = path.join(folder, "resolv.conf");
    await writeFile(resolver, `nameserver ${RESOLVER}\noptions timeout:1 attempts:1\n`);
    // The service has a file of its own at this place; the machine keeps its.
    const script = `mount --bind ${resolver} /etc/resolv.conf && exec "$@"`;
    const command = ["unshare", "--mount", "sh", "-c", script, "sh", process.execPath];
    const DATABASE_URL = way.url.replace("127.0.0.1", "database.exchange.test");
    const env = { DATABASE_URL, EXCHANGE_ALLOW_PLAIN_DATABASE: "true" };
    service = await startService({ env, command: [...command, "tools/start.mjs"] });
    const opened = service;
    ends.push(() => opened.stop());
    // The commands run outside, where the name means nothing.
    service = { ...opened, env: { ...opened.env, DATABASE_URL: way.url } };
    merchant = await createMerchant(service);
    choice = await buyChoice(service, merchant);
    expect(names.questions()).toBeGreaterThan(0);
    await names.stop();
    await completes(await payInTheEnd());
    const underWay = await payInTheEnd();
    way.become("refuse");
    await becomes(503);
    way.become("pass");
    await becomes(503, { cause: expect.stringContaining("cannot be reached") });
    await expect
      .poll(() => service.process.output())
      .toMatch(/database away.*|EAI_AGAIN|ENOTFOUND/);
    names = await startNameServer(RESOLVER);
    await becomes(200);
    await completes(underWay);
    await completes(await payNew());
    await expectRightBooks();
  });
});

test("a disk that takes a tenth of a second for each commit makes orders slow, and breaks none", async () => {
  const database: DatabaseServer = await startDatabaseServer();
  ends.push(() => database.stop());
  await open({ env: { DATABASE_URL: database.url } });
  await database.run("alter system set commit_siblings = 0");
  await database.run("alter system set commit_delay = 100000");
  await database.run("select pg_reload_conf()");
  const orders = await Promise.all(Array.from({ length: 30 }, payNew));
  await becomes(200);
  await Promise.all(orders.map(completes));
  expect(service.process.output()).not.toMatch(/"level":(50|60)/);
  await expectRightBooks();
});

const hasGroups = isRoot && existsSync(`${MEMORY_GROUPS}/cgroup.procs`);
test.runIf(hasGroups)(
  "a worker that the kernel kills for its memory loses nothing when it is started again",
  async () => {
    const database = await startDatabaseServer();
    ends.push(() => database.stop());
    const env = { DATABASE_URL: database.url, SHOP_PORT: "0" };
    await open({ env: { ...env, EXCHANGE_ROLE: "api" } });
    const options = { dataDir: service.dataDir, env: { ...env, EXCHANGE_ROLE: "worker" } };
    const worker = await startService(options);
    const group = `${MEMORY_GROUPS}/exchange-${worker.process.pid}`;
    await mkdir(group);
    ends.push(() => execFileSync("rmdir", [group]));
    await writeFile(`${group}/cgroup.procs`, String(worker.process.pid));
    await writeFile(`${group}/memory.limit_in_bytes`, String(8_000_000));
    // Its memory is charged to the group from now on, so the work of these orders exceeds the limit.
    const orders = await Promise.all(Array.from({ length: 40 }, payNew));
    expect(await worker.process.exited).toBe("SIGKILL");
    const next = await startService(options);
    ends.push(() => next.stop());
    await Promise.all(orders.map(completes));
    await expectRightBooks();
  },
);
