import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Database, openDatabase } from "../../../apps/server/src/storage/postgres/database.ts";
import { contractOf } from "../../support/http/api.ts";
import { addWebhook, createMerchant } from "../../support/orders/merchant.ts";
import { buyChoice } from "../../support/orders/purchase.ts";
import { startDatabaseServer } from "../../support/postgres/database-server.ts";
import { freePort } from "../../support/service/processes.ts";
import { type StartedService, startService } from "../../support/service/service.ts";
import { type Receiver, startReceiver } from "../../support/webhooks/receiver.ts";
import type { Shop } from "./customers.ts";

/** The records that no fault touches, for all rounds of one cluster. */
export interface Outside {
  readonly receiver: Receiver;
  /** The books of the sandbox's rails, in a database of their own. */
  readonly rails: Database;
  readonly railsUrl: string;
  /** The cluster's database, through HAProxy. */
  readonly database: Database;
  /** Holds the secret keys of the installation. */
  readonly dataDir: string;
  close(): Promise<void>;
}

export interface ServiceProcess extends StartedService {
  readonly name: string;
  /** The address of its probes. */
  readonly health: string;
}

/** Two API processes and two workers on the cluster. */
export interface Stand {
  readonly shop: Shop;
  readonly processes: readonly ServiceProcess[];
  close(): Promise<void>;
}

export async function openOutside(databaseUrl: string): Promise<Outside> {
  const books = await startDatabaseServer();
  const receiver = await startReceiver();
  const rails = openDatabase({ connectionString: books.url, poolSize: 2 });
  const database = openDatabase({ connectionString: databaseUrl, poolSize: 2 });
  const dataDir = await mkdtemp(path.join(tmpdir(), "exchange-failover-"));
  return {
    receiver,
    rails,
    railsUrl: books.url,
    database,
    dataDir,
    close: async () => {
      await database.close();
      await rails.close();
      await receiver.close();
      await books.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the processes with these settings, and makes a merchant. */
export async function openStand(outside: Outside, settings: NodeJS.ProcessEnv): Promise<Stand> {
  const env = {
    ...settings,
    SHOP_PORT: "0",
    EXCHANGE_SANDBOX_DATABASE_URL: outside.railsUrl,
    EXCHANGE_RATE_FACTOR: "1000",
  };
  const processes: ServiceProcess[] = [];
  const start = async (role: "api" | "worker"): Promise<ServiceProcess> => {
    const port = String(await freePort());
    const own = { ...env, EXCHANGE_ROLE: role, EXCHANGE_HEALTH_PORT: port };
    const started = await startService({ dataDir: outside.dataDir, env: own });
    const name = `${role} ${processes.length + 1}`;
    const process = { ...started, name, health: `http://127.0.0.1:${port}` };
    processes.push(process);
    return process;
  };
  const apis = [await start("api"), await start("api")];
  await start("worker");
  await start("worker");
  const [first] = apis as [ServiceProcess];
  const merchant = await createMerchant(first);
  await addWebhook(first, merchant, outside.receiver);
  const choice = await buyChoice(first, merchant);
  // Both are read before a fault can disturb the reading.
  for (const api of apis) await contractOf(api);
  return {
    shop: { apis, merchant, choice },
    processes,
    close: async () => {
      for (const service of processes) await service.stop();
    },
  };
}
