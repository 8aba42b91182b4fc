import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { inject } from "vitest";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../../../apps/server/src/storage/database.ts";
import { endLeases } from "../../../apps/server/src/storage/leases.ts";
import { TEMPLATE_DATABASE } from "../../../apps/server/src/testing/storage-server.ts";
import { exchangeJson } from "../../support/command-line.ts";
import { addWebhook, createMerchant, type Merchant } from "../../support/merchant.ts";
import { freePort } from "../../support/processes.ts";
import { type Receiver, startReceiver } from "../../support/receiver.ts";
import { type Service, serviceSettings } from "../../support/service.ts";
import { sql } from "../stage.ts";
import { type DoomedService, startDoomed } from "./process.ts";

/**
 * A database of its own on the PostgreSQL that all tests share, and one service process on it that is
 * killed and started again. Only the process dies, so a crash costs a second; that PostgreSQL itself
 * may be killed is the campaign `database`'s matter.
 */
export interface Lane {
  readonly database: Database;
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  readonly service: Service;
  running(): DoomedService;
  /** Waits for the end of the dead process and starts the next. */
  restart(): Promise<void>;
  /** What `exchange ledger check` finds wrong. */
  ledgerProblems(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

export async function openLane(): Promise<Lane> {
  const connection = inject("storageServer");
  const database = await makeLaneDatabase(connection);
  const port = await freePort();
  const settings = await serviceSettings({
    env: {
      DATABASE_URL: urlOf({ ...connection, database: database.name }),
      PORT: String(port),
      SHOP_PORT: "0",
      EXCHANGE_LOG_LEVEL: "silent",
    },
  });
  const service: Service = { ...settings, url: `http://localhost:${port}`, shopUrl: "" };
  let running = await startDoomed(settings.env);
  const receiver = await startReceiver();
  const merchant = await createMerchant(service);
  await addWebhook(service, merchant, receiver);
  return {
    database: database.opened,
    merchant,
    receiver,
    service,
    running: () => running,
    restart: async () => {
      await running.ended;
      // As at the start of a service with a database of its own: whoever held a lease is dead.
      await endLeases(database.opened);
      running = await startDoomed(settings.env);
    },
    ledgerProblems: () => ledgerProblems(service),
    close: async () => {
      await running.kill();
      await Promise.all([receiver.close(), database.opened.close()]);
      await rm(settings.dataDir, { recursive: true, force: true });
    },
  };
}

async function makeLaneDatabase(
  connection: DatabaseOptions,
): Promise<{ readonly name: string; readonly opened: Database }> {
  const name = `crash_${randomBytes(8).toString("hex")}`;
  const server = openDatabase({ ...connection, poolSize: 1 });
  await server.query(sql(`create database ${name} template ${TEMPLATE_DATABASE}`));
  await server.close();
  return { name, opened: openDatabase({ ...connection, database: name, poolSize: 4 }) };
}

const urlOf = ({ host = "", port, user, database }: DatabaseOptions): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;

async function ledgerProblems(service: Service): Promise<readonly unknown[]> {
  const report = await exchangeJson<{ ok: boolean; problems: readonly unknown[] }>(
    service,
    "ledger",
    "check",
  );
  return report.ok ? [] : report.problems;
}
