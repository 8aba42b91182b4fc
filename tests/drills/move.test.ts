import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OrderData } from "@exchange/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addWebhook, createMerchant, type Merchant } from "../support/orders/merchant.ts";
import {
  type BuyChoice,
  buy,
  buyChoice,
  CARDS,
  customerWith,
  type Ok,
  orderWithStatus,
  type PlacedOrder,
  payByCard,
  startOrder,
} from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { exchangeHere, runHere } from "../support/service/command-line.ts";
import { run } from "../support/service/processes.ts";
import { ROOT, type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

let folder: string;
let outside: DatabaseServer;
let service: StartedService;
let receiver: Receiver;
let merchant: Merchant;
let choice: BuyChoice;
let completed: PlacedOrder;
/** An order that is placed before the move and paid after it. */
let underWay: PlacedOrder;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-move-"));
  [outside, receiver] = await Promise.all([startDatabaseServer(), startReceiver()]);
  service = await startService({ env: { SHOP_PORT: "0" } });
  merchant = await createMerchant(service);
  await addWebhook(service, merchant, receiver);
  choice = await buyChoice(service, merchant);
  completed = await buy(service, merchant, choice);
  underWay = await startOrder(service, merchant, choice);
});
afterAll(async () => {
  await service?.discard();
  await receiver?.close();
  await outside?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Moved {
  readonly rows: number;
  readonly tables: number;
  readonly orders: number;
}

const historyOf = async (started: StartedService): Promise<string> =>
  (await (await fetch(`${started.url}/readyz`)).json()).checks.history;
const again = ({ customer }: PlacedOrder) =>
  customerWith(service, customer.sessionId, customer.token);
const move = (to: string) => runHere(service, "move", "--to", to, "--json");
const moveAll = async (to: string): Promise<Moved> => {
  const { status, stdout, stderr } = await move(to);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as Moved;
};

/** Kills the process that loads it, as `kill -9` does, when it says that it has copied the orders. */
const KILLER = `const { stderr } = process;
const write = stderr.write.bind(stderr);
stderr.write = (text, ...more) => {
  if (/^copied \\d+ rows of public\\.orders$/m.test(text)) process.kill(process.pid, "SIGKILL");
  return write(text, ...more);
};`;

test("a move is refused while the service runs, and to a place that is in use", async () => {
  expect(await move(outside.url)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Stop every process of the service"),
  });
  await service.stop();
  await outside.run("create table accounts (id int)");
  expect(await move(outside.url)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("The target is not empty."),
  });
  await outside.run("drop table accounts");
  expect(await move(service.dataDir)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("is not empty. A move replaces no database"),
  });
});

test("a move that is killed leaves the original as it was, and can be begun again", async () => {
  // A signal from here could come when the move has ended.
  const killer = `data:text/javascript,${encodeURIComponent(KILLER)}`;
  const program = path.join(ROOT, "apps/server/bin/exchange.js");
  const command = [process.execPath, "--import", killer, program, "move", "--to", outside.url];
  const killed = run(command, { cwd: ROOT, env: service.env });
  expect(await killed.exited, killed.output()).toBe("SIGKILL");
});

test("the embedded database goes to an outside server, and its orders go on without a person", async () => {
  const moved = await moveAll(outside.url);
  expect(moved.orders).toBe(2);
  const old = service;
  service = await startService({
    dataDir: old.dataDir,
    env: { ...old.env, DATABASE_URL: outside.url },
  });
  await expect.poll(() => historyOf(service)).toBe("ok");
  await payByCard(again(underWay), underWay.orderId, CARDS.visa);
  await orderWithStatus(again(underWay), underWay.orderId, "completed");
  const { body } = await again(completed).call<Ok<OrderData>>({
    path: `/v1/checkout/orders/${completed.orderId}`,
  });
  expect(body.data.status).toBe("completed");
  const { orderId } = await buy(service, merchant, choice);
  expect([completed.orderId, underWay.orderId]).not.toContain(orderId);
  await receiver.waitForDeliveries(6);
  expect(await exchangeHere(service, "ledger", "check")).toMatchObject({ ok: true });
  expect(await move(outside.url)).toMatchObject({ status: 1 });
});

test("the database goes back into a new data folder, and the one that it left pays nothing", async () => {
  await service.stop();
  const dataDir = path.join(folder, "data");
  const moved = await moveAll(dataDir);
  expect(moved.orders).toBe(3);
  await mkdir(dataDir, { recursive: true });
  await copyFile(path.join(service.dataDir, "secret-keys"), path.join(dataDir, "secret-keys"));
  const left = service;
  const started = await startService({ dataDir: left.dataDir, env: left.env });
  await expect.poll(() => historyOf(started)).toBe("restored");
  await started.stop();
  const { DATABASE_URL: _left, ...env } = left.env;
  service = await startService({ dataDir, env: { ...env, EXCHANGE_DATA_DIR: dataDir } });
  await expect.poll(() => historyOf(service)).toBe("ok");
  await buy(service, merchant, choice);
  expect(await exchangeHere(service, "ledger", "check")).toMatchObject({ ok: true });
  await rm(left.dataDir, { recursive: true, force: true });
});
