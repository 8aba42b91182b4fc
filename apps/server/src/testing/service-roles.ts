import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import type { Deps } from "../flows/deps.ts";
import { makeOrderIds } from "../flows/orders/order-ids.ts";
import { addWebhookEndpoint } from "../flows/webhooks/add-endpoint.ts";
import { startJobs } from "../jobs/worker.ts";
import { makeBatchedWrites } from "../storage/batched-writes.ts";
import { makeRateCounters } from "../storage/limits/rate-windows.ts";
import { type Database, openDatabase, statement } from "../storage/postgres/database.ts";
import { grantService, type RoleUse } from "../storage/postgres/grants.ts";
import { startDispatcher } from "../webhooks/dispatcher.ts";
import { found } from "./catalogue.ts";
import { makeDatabase } from "./database.ts";
import { type HttpWorld, makeHttpWorld } from "./http-world.ts";
import { type PlayedOrder, playOrder } from "./sandbox-play.ts";
import { type Receiver, startReceiver } from "./webhooks/receiver.ts";

const NAME = statement("test_database_name", "select current_database() as name");

/** A role of one test file, with a connection of its own. */
export interface TestRole {
  readonly name: string;
  readonly database: Database;
  /** Ends the connection and drops the role. */
  close(): Promise<void>;
}

/** Creates a role with the rights of these processes. */
export async function makeRole(owner: Database, use: RoleUse): Promise<TestRole> {
  const name = `exchange_${use}_${randomBytes(4).toString("hex")}`;
  const run = (text: string) => owner.query(statement("", text));
  await run(`create role ${name} login`);
  await grantService(owner, name, use);
  // PostgreSQL 15 and 16 have no such right, and the service runs on them too.
  await run(`revoke maintain on all tables in schema public from ${name}`);
  const [row] = await owner.query<{ name: string }>(NAME);
  const connection = { ...inject("storageServer"), database: found(row).name, user: name };
  const database = openDatabase(connection);
  return {
    name,
    database,
    close: async () => {
      await database.close();
      await run(`drop owned by ${name}`);
      await run(`drop role ${name}`);
    },
  };
}

/** The members of the deps that hold a connection, for a process that connects with a role. */
export const depsOn = (
  database: Database,
): Pick<
  Deps,
  "database" | "orderIds" | "rateCounters" | keyof ReturnType<typeof makeBatchedWrites>
> => ({
  database,
  ...makeBatchedWrites(database),
  orderIds: makeOrderIds(database, "dev"),
  rateCounters: makeRateCounters(database),
});

/** The HTTP server with the connection of the API's role, and workers with that of the workers'. */
export interface RoleWorld {
  readonly owner: Database;
  readonly api: TestRole;
  readonly worker: TestRole;
  readonly world: HttpWorld;
  readonly workerDeps: Deps;
  /** Receives the webhooks of the world's shop. */
  readonly receiver: Receiver;
  /** Places an order over HTTP, by its name in the sandbox's table. */
  play(order: string): Promise<PlayedOrder>;
  close(): Promise<void>;
}

export async function makeRoleWorld(): Promise<RoleWorld> {
  const owner = await makeDatabase();
  const [api, worker] = [await makeRole(owner, "api"), await makeRole(owner, "worker")];
  const world = await makeHttpWorld({ database: owner, deps: depsOn(api.database) });
  const workerDeps = { ...world.deps, ...depsOn(worker.database) };
  const jobs = startJobs(workerDeps);
  const dispatcher = startDispatcher(workerDeps, { pollMs: 25 });
  const receiver = await startReceiver();
  await addWebhookEndpoint(workerDeps, { merchantId: world.shop.clientId, url: receiver.url });
  const row = { status: "", reason: "", requestMembers: [], steps: [], from: "" };
  return {
    owner,
    api,
    worker,
    world,
    workerDeps,
    receiver,
    play: (order) => playOrder(world, { ...row, order }),
    close: async () => {
      await dispatcher.stop();
      await jobs.stop();
      await receiver.close();
      await api.close();
      await worker.close();
      await world.close();
    },
  };
}
