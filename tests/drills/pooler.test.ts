import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addWebhook, createMerchant } from "../support/orders/merchant.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { PGBOUNCER, type PoolerOptions, startPooler } from "../support/postgres/pooler.ts";
import { startService } from "../support/service/service.ts";
import { startReceiver } from "../support/webhooks/receiver.ts";

const API = { EXCHANGE_ROLE: "api", SHOP_PORT: "0" };
const WORKER = { EXCHANGE_ROLE: "worker", SHOP_PORT: "0" };

describe.skipIf(PGBOUNCER === undefined)("with PgBouncer", () => {
  let database: DatabaseServer;
  let dataDir: string;
  beforeAll(async () => {
    database = await startDatabaseServer();
    dataDir = await mkdtemp(path.join(tmpdir(), "exchange-pooled-"));
  });
  afterAll(async () => {
    await database.stop();
    await rm(dataDir, { recursive: true });
  });

  /** Buys through an API process and a worker. Both use the pooler. */
  async function buySix(options: PoolerOptions, settings: NodeJS.ProcessEnv): Promise<void> {
    const pooler = await startPooler(database.url, options);
    const env = { ...settings, DATABASE_URL: pooler.url };
    const api = await startService({ dataDir, env: { ...env, ...API } });
    const worker = await startService({ dataDir, env: { ...env, ...WORKER } });
    const receiver = await startReceiver();
    const merchant = await createMerchant(api);
    await addWebhook(api, merchant, receiver);
    const choice = await buyChoice(api, merchant);
    await Promise.all(Array.from({ length: 6 }, () => buy(api, merchant, choice)));
    await receiver.waitForDeliveries(12);
    expect(receiver.received).toHaveLength(12);
    await worker.stop();
    await api.stop();
    await receiver.close();
    await pooler.stop();
  }

  test("orders complete in session mode, and each webhook comes once", () =>
    // Two processes with 16 connections each, and the command line's.
    buySix({ mode: "session", poolSize: 40, session: "PostgreSQL's own" }, {}));

  test("a pooler in transaction mode without the session settings is refused", async () => {
    const settings = { mode: "transaction", poolSize: 4, session: "PostgreSQL's own" } as const;
    const pooler = await startPooler(database.url, settings);
    const direct = { EXCHANGE_DATABASE_DIRECT_URL: database.url };
    const starting = startService({
      dataDir,
      env: { ...direct, DATABASE_URL: pooler.url, ...API },
    });
    await expect(starting).rejects.toThrow("[databases]: connect_query='set TimeZone");
    await pooler.stop();
  });

  test("orders complete in transaction mode over four connections, and each webhook comes once", () =>
    buySix(
      { mode: "transaction", poolSize: 4, session: "as deployed" },
      { EXCHANGE_DATABASE_DIRECT_URL: database.url },
    ));
});
