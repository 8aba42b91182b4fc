import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { inject } from "vitest";
import { endLeases } from "../../../apps/server/src/storage/jobs/leases.ts";
import { checkLedger } from "../../../apps/server/src/storage/ledger/checks.ts";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../../../apps/server/src/storage/postgres/database.ts";
import { TEMPLATE_DATABASE } from "../../../apps/server/src/testing/storage-server.ts";
import { addWebhook, createMerchant, type Merchant } from "../../support/orders/merchant.ts";
import { exchangeJson } from "../../support/service/command-line.ts";
import { freePort } from "../../support/service/processes.ts";
import { type Service, serviceSettings } from "../../support/service/service.ts";
import { type Receiver, startReceiver } from "../../support/webhooks/receiver.ts";
import { sql } from "../books.ts";
import { writeDoomed } from "./doomed-bundle.ts";
import { type DoomedProcess, type DoomedService, type Half, startDoomed } from "./process.ts";

/**
 * A database on the PostgreSQL server that all tests share, and the service on it in two processes. One of them is
 * killed and started again. The campaign `database` stops PostgreSQL itself.
 */
export interface Lane {
  readonly database: Database;
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  readonly service: Service;
  front(): DoomedProcess;
  /** Kills the process that passes the place first. */
  arm(place: string): Promise<void>;
  /** Resolves when one of the processes that run now has ended. */
  died(): Promise<void>;
  /** Returns the places that the processes have passed since they were started, or since `forget`. */
  passed(): readonly string[];
  forget(): void;
  /** Kills the running processes and starts both again. They may die at the place from their start on. */
  restartAll(armed?: string): Promise<void>;
  /** Starts the dead processes again. */
  restartDead(): Promise<void>;
  /** Returns what the ledger's check finds wrong. */
  ledgerProblems(): Promise<readonly unknown[]>;
  /** Returns what the operator's `exchange ledger check` finds wrong. */
  commandProblems(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

const HALVES: readonly Half[] = ["front", "workers"];

interface Member {
  readonly half: Half;
  process: DoomedProcess;
  hasEnded: boolean;
}

async function startMember(half: Half, service: DoomedService): Promise<Member> {
  const member: Member = { half, process: await startDoomed(half, service), hasEnded: false };
  watchEnd(member);
  return member;
}

function watchEnd(member: Member): void {
  const { process } = member;
  void process.ended.then(() => {
    if (member.process === process) member.hasEnded = true;
  });
}

/** Opens a lane on the shared PostgreSQL server, or on another one with a new, empty database. */
export async function openLane(own?: DatabaseOptions): Promise<Lane> {
  const connection = own ?? inject("storageServer");
  const template = own ? "template0" : TEMPLATE_DATABASE;
  const database = await makeLaneDatabase(connection, template);
  const port = await freePort();
  const settings = await serviceSettings({
    env: {
      DATABASE_URL: urlOf({ ...connection, database: database.name }),
      PORT: String(port),
      SHOP_PORT: "0",
      EXCHANGE_FILL_PLACES_AFTER_SECONDS: "1",
      EXCHANGE_LOG_LEVEL: "silent",
    },
  });
  const service: Service = { ...settings, url: `http://localhost:${port}`, shopUrl: "" };
  const script = await writeDoomed(path.join(settings.dataDir, "doomed"));
  const doomed: DoomedService = { script, env: settings.env };
  const members: Member[] = [];
  for (const half of HALVES) members.push(await startMember(half, doomed));
  const receiver = await startReceiver();
  const merchant = await createMerchant(service);
  await addWebhook(service, merchant, receiver);
  const restartDead = async (armed?: string): Promise<void> => {
    const dead = members.filter(({ hasEnded }) => hasEnded);
    // As at the start of a service with an embedded database: every holder of a lease is dead.
    if (dead.some(({ half }) => half === "workers")) await endLeases(database.opened);
    for (const member of dead) {
      member.process = await startDoomed(member.half, { ...doomed, ...(armed && { armed }) });
      member.hasEnded = false;
      watchEnd(member);
    }
  };
  const each = async (
    work: (running: DoomedProcess) => Promise<unknown>,
  ): Promise<readonly unknown[]> => Promise.all(members.map(({ process }) => work(process)));
  const front = (): DoomedProcess => {
    const [member] = members;
    if (!member) throw new Error("the lane has no front");
    return member.process;
  };
  return {
    database: database.opened,
    merchant,
    receiver,
    service,
    front,
    arm: async (place) => void (await each((running) => running.arm(place))),
    died: () => Promise.race(members.map(({ process }) => process.ended.then(() => {}))),
    passed: () => [...new Set(members.flatMap(({ process }) => [...process.passed]))],
    forget: () => members.forEach(({ process }) => process.passed.clear()),
    restartDead: () => restartDead(),
    restartAll: async (armed) => {
      await each((running) => running.kill());
      await restartDead(armed);
    },
    ledgerProblems: async () => (await checkLedger(database.opened)).problems,
    commandProblems: () => commandProblems(service),
    close: async () => {
      await each((running) => running.kill());
      await Promise.all([receiver.close(), database.opened.close()]);
      await rm(settings.dataDir, { recursive: true, force: true });
    },
  };
}

async function makeLaneDatabase(
  connection: DatabaseOptions,
  template: string,
): Promise<{ readonly name: string; readonly opened: Database }> {
  const name = `crash_${randomBytes(8).toString("hex")}`;
  const server = openDatabase({ ...connection, poolSize: 1 });
  await server.query(sql(`create database ${name} template ${template}`));
  await server.close();
  return { name, opened: openDatabase({ ...connection, database: name, poolSize: 4 }) };
}

const urlOf = ({ host = "", port, user, database }: DatabaseOptions): string =>
  `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;

async function commandProblems(service: Service): Promise<readonly unknown[]> {
  const report = await exchangeJson<{ ok: boolean; problems: readonly unknown[] }>(
    service,
    "ledger",
    "check",
  );
  return report.ok ? [] : report.problems;
}
