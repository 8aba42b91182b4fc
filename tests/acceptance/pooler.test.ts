import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addWebhook, createMerchant, type Merchant } from "../support/orders/merchant.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { PGBOUNCER, type Pooler, startPooler } from "../support/postgres/pooler.ts";
import { type StartedService, startService } from "../support/service/service.ts";
import { type Receiver, startReceiver } from "../support/webhooks/receiver.ts";

/** Two processes, 16 connections each, and the command line's. */
const POOL_SIZE = 40;

describe.skipIf(PGBOUNCER === undefined)("with PgBouncer in session mode", () => {
  let database: DatabaseServer;
  let pooler: Pooler;
  let api: StartedService;
  let worker: StartedService;
  let receiver: Receiver;
  let merchant: Merchant;

  beforeAll(async () => {
    database = await startDatabaseServer();
    pooler = await startPooler(database.url, POOL_SIZE);
    const env = { DATABASE_URL: pooler.url, SHOP_PORT: "0" };
    api = await startService({ env: { ...env, EXCHANGE_ROLE: "api" } });
    const { dataDir } = api;
    worker = await startService({ dataDir, env: { ...env, EXCHANGE_ROLE: "worker" } });
    receiver = await startReceiver();
    merchant = await createMerchant(api);
    await addWebhook(api, merchant, receiver);
  });
  afterAll(async () => {
    await worker.stop();
    await api.discard();
    await receiver.close();
    await pooler.stop();
    await database.stop();
  });

  test("orders placed at one process are completed by another, and each webhook comes once", async () => {
    const choice = await buyChoice(api, merchant);
    await Promise.all(Array.from({ length: 6 }, () => buy(api, merchant, choice)));
    await receiver.waitForDeliveries(12);
    expect(receiver.received).toHaveLength(12);
  });
});
