import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Merchant } from "../support/orders/merchant.ts";
import {
  buyChoice,
  CARDS,
  type PlacedOrder,
  payByCard,
  readOrder,
  startOrder,
} from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { run } from "../support/service/processes.ts";
import { type StartedService, startService } from "../support/service/service.ts";

/** The folder of the earlier version, which the campaign `upgrade` builds. */
const EARLIER = process.env["CAMPAIGN_UPGRADE_FROM"];
const CUSTOMERS = 4;
const ORDERS_BETWEEN = 12;
/** An order is lost when it is open while this number of later ones was completed. Seconds would measure the machine. */
const LATER_MAX = 200;
/** The longest time in which no order at all is completed. */
const STANDSTILL_MS = 180_000;
/** An earlier version without this file answers 500 once for a prepared statement whose table got a column. */
const PREPARES_AGAIN = "apps/server/src/storage/postgres/prepared.ts";
const OUTDATED = "cached plan must not change result type";
const API = { SHOP_PORT: "0", EXCHANGE_ROLE: "api" };
const WORKER = { SHOP_PORT: "0", EXCHANGE_ROLE: "worker" };

/** Passes requests on to one process. `switchTo` chooses another one for new requests. */
async function startBalancer(first: string) {
  let target = first;
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers } = incoming;
    const options = { method, headers: { ...headers, connection: "close" }, agent: false } as const;
    const onward = send(new URL(incoming.url ?? "/", target), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    switchTo: (next: string): void => {
      target = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.skipIf(EARLIER === undefined)("an upgrade while customers buy", () => {
  const earlier = EARLIER ?? "";
  const command = [process.execPath, path.join(earlier, "tools/start.mjs")];
  const running: StartedService[] = [];
  let database: DatabaseServer;
  beforeAll(async () => {
    database = await startDatabaseServer();
  });
  afterAll(async () => {
    for (const service of running) await service.stop();
    await database.stop();
  });

  const start = async (env: NodeJS.ProcessEnv, options: Parameters<typeof startService>[0]) => {
    // An earlier version may have no console, and then refuses the setting.
    const versionEnv = options?.command === undefined ? {} : { EXCHANGE_CONSOLE_PORT: undefined };
    const own = { ...env, ...versionEnv, DATABASE_URL: database.url };
    const service = await startService({ ...options, env: own });
    running.push(service);
    return service;
  };
  const createEarlierMerchant = ({ env }: StartedService): Merchant => {
    const words = ["merchant", "create", "--name", "Shop", "--json"];
    const program = path.join(earlier, "apps/server/bin/exchange.js");
    const made = JSON.parse(
      execFileSync(process.execPath, [program, ...words], { env }).toString(),
    );
    return { ...made, headers: { "x-api-key": made.apiKey, "x-client-id": made.clientId } };
  };

  test("no request fails, no order is lost, and the earlier version does not start again", async () => {
    const oldApi = await start(API, { command });
    const { dataDir } = oldApi;
    const oldWorker = await start(WORKER, { command, dataDir });
    const merchant = createEarlierMerchant(oldApi);
    const balancer = await startBalancer(oldApi.url);
    const front = { ...oldApi, url: balancer.url };
    const choice = await vi.waitFor(() => buyChoice(front, merchant), { timeout: 60_000 });
    const bought: PlacedOrder[] = [];
    const failed: string[] = [];
    /** Pays as a person does, who tries again after an error. */
    const pay = async ({ customer, orderId }: PlacedOrder): Promise<void> => {
      const answer = await payByCard(customer, orderId, CARDS.visa);
      if (answer.status < 500) return;
      failed.push(answer.text);
      await pay({ customer, orderId });
    };
    const isCompleted = async ({ customer, orderId }: PlacedOrder, since: number) => {
      const answer = await readOrder(customer, orderId);
      if (answer.status >= 500) failed.push(answer.text);
      else if (answer.body.data.status === "completed") return true;
      if (bought.length - since > LATER_MAX) throw new Error(`order ${orderId}: ${answer.text}`);
      return false;
    };
    let isOver = false;
    const shop = async (): Promise<void> => {
      while (!isOver) {
        const placed = await startOrder(front, merchant, choice);
        await pay(placed);
        const since = bought.length;
        await vi.waitUntil(() => isCompleted(placed, since), { timeout: STANDSTILL_MS });
        bought.push(placed);
      }
    };
    const customers = Promise.all(Array.from({ length: CUSTOMERS }, shop));
    customers.catch(() => {});
    const buyMore = (): Promise<unknown> => {
      const wanted = bought.length + ORDERS_BETWEEN;
      const more = vi.waitUntil(() => bought.length >= wanted, { timeout: STANDSTILL_MS });
      return Promise.race([more, customers]);
    };
    await buyMore();
    // The first process of this version migrates the database beside the earlier ones.
    await start(WORKER, { dataDir });
    await buyMore();
    oldWorker.process.signal("SIGTERM");
    expect(await oldWorker.process.exited).toBe(0);
    await buyMore();
    const newApi = await start(API, { dataDir });
    balancer.switchTo(newApi.url);
    await buyMore();
    oldApi.process.signal("SIGTERM");
    expect(await oldApi.process.exited).toBe(0);
    await buyMore();
    isOver = true;
    await customers;
    balancer.close();
    const outdated = oldApi.process.output().split(OUTDATED).length - 1;
    const allowed = existsSync(path.join(earlier, PREPARES_AGAIN)) ? 0 : outdated;
    expect(failed.length, failed.join("\n")).toBeLessThanOrEqual(allowed);
    const report = await exchangeHere<{ orders: number }>(newApi, "ledger", "check");
    expect(report).toMatchObject({ ok: true, orders: bought.length });
    const again = run(command, { cwd: earlier, env: oldApi.env });
    expect(await again.exited).toBe(1);
    expect(again.output()).toContain("migrated by a newer version of Exchange");
  });
});
