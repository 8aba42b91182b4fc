import { appendFile, copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
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
import { exchangeHere, runHere } from "../support/service/command-line.ts";
import { type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

const CUSTOMERS = 4;

let folder: string;
let service: StartedService;
let receiver: Receiver;
let merchant: Merchant;
let choice: BuyChoice;
/** An order that is paid and not completed when the backup is made. */
let underWay: PlacedOrder;
const before: PlacedOrder[] = [];
let backup: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-backup-test-"));
  receiver = await startReceiver();
  service = await startService({ env: { SHOP_PORT: "0" } });
  merchant = await createMerchant(service);
  await addWebhook(service, merchant, receiver);
  choice = await buyChoice(service, merchant);
});
afterAll(async () => {
  await service?.discard();
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
});

const backups = (): string => path.join(folder, "backups");

test("a backup is made while orders are bought, and is verified", async () => {
  underWay = await startOrder(service, merchant, choice);
  before.push(await buy(service, merchant, choice));
  let isBackedUp = false;
  const shop = async (): Promise<void> => {
    while (!isBackedUp) await buy(service, merchant, choice);
  };
  const customers = Promise.all(Array.from({ length: CUSTOMERS }, shop));
  const made = await exchangeHere<{ folder: string }>(
    ...[service, "backup", "--to", backups(), "--keep", "1"],
  ).finally(() => {
    isBackedUp = true;
  });
  await customers;
  backup = made.folder;
  expect(await readdir(backups())).toEqual([path.basename(backup)]);
  // The doctor asks for backups outside of `dev`.
  const staging = { EXCHANGE_ENV: "staging", EXCHANGE_PUBLIC_URL: "https://pay.example" };
  const examined = await runHere({ env: { ...service.env, ...staging } }, "doctor");
  expect(examined.stdout).toMatch(/ok {3}backup: the last one is 0\.\d hours old/);
  const verified = await exchangeHere<{ ok: boolean; orders: number }>(
    ...[service, "backup", "verify", "--from", backup],
  );
  expect(verified).toMatchObject({ ok: true, problems: [] });
  expect(verified.orders).toBeGreaterThanOrEqual(2);
});

test("the backup starts elsewhere, and pays and reports nothing until it is reconciled", async () => {
  await service.stop();
  const dataDir = path.join(folder, "elsewhere");
  const refused = await runHere(service, "restore", "--from", backup, "--to", service.dataDir);
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("is not empty") });
  await exchangeHere(service, "restore", "--from", backup, "--to", dataDir);
  await mkdir(dataDir, { recursive: true });
  await copyFile(path.join(service.dataDir, "secret-keys"), path.join(dataDir, "secret-keys"));
  await rm(service.dataDir, { recursive: true });
  service = await startService({ dataDir, env: { SHOP_PORT: "0" } });
  await expect
    .poll(async () => (await fetch(`${service.url}/readyz`)).json())
    .toMatchObject({ status: "ok", checks: { history: "restored" } });
  expect(await exchangeHere(service, "ledger", "check")).toMatchObject({ ok: true });
  const again = ({ customer }: PlacedOrder) =>
    customerWith(service, customer.sessionId, customer.token);
  for (const order of before) {
    const { body } = await again(order).call<Ok<OrderData>>({
      path: `/v1/checkout/orders/${order.orderId}`,
    });
    expect(body.data.status).toBe("completed");
  }
  const reported = receiver.received.length;
  const customer = again(underWay);
  await payByCard(customer, underWay.orderId, CARDS.visa);
  await orderWithStatus(customer, underWay.orderId, "sending");
  expect(receiver.received.length).toBe(reported);
  await exchangeHere(service, "payouts", "reconcile", "--adopt", "--as", "anna");
  for (const person of ["anna", "boris"]) {
    await exchangeHere(service, "payouts", "resume", "--all", "--as", person);
  }
  await orderWithStatus(customer, underWay.orderId, "completed");
  await expect.poll(() => receiver.received.length).toBeGreaterThan(reported);
  expect(await exchangeHere(service, "ledger", "check")).toMatchObject({ ok: true });
});

test("a backup with a changed file is refused by its name", async () => {
  await appendFile(path.join(backup, "postgres/PG_VERSION"), " ");
  const { status, stderr } = await runHere(service, "backup", "verify", "--from", backup);
  expect([status, stderr]).toEqual([1, expect.stringContaining("such as PG_VERSION")]);
  const nothing = await runHere(service, "backup", "verify", "--from", folder);
  expect(nothing).toMatchObject({ status: 1, stderr: expect.stringContaining("is not a backup") });
  const env = { ...service.env, DATABASE_URL: "postgres://exchange@localhost/exchange" };
  const external = await runHere({ env }, "backup", "--to", backups());
  expect(external).toMatchObject({ status: 1, stderr: expect.stringContaining("pgBackRest") });
});
