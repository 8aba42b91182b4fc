import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMerchant } from "../support/orders/merchant.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { exchange } from "../support/service/command-line.ts";
import { type StartedService, startService } from "../support/service/service.ts";

const dayIn = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** These tests may go on after midnight. */
const SPAN = ["--from", dayIn(0), "--to", dayIn(1)];
const ORDERS_BEFORE = 2;

let folder: string;
let service: StartedService;
let primary: DatabaseServer;
let standby: DatabaseServer;
/** The reports of the database when it was copied. */
const before: { balances: readonly string[]; statement: readonly string[] } = {
  balances: [],
  statement: [],
};

/** A copy of the stopped database that is in recovery replays nothing more, so it shows where a report comes from. */
beforeAll(async () => {
  service = await startService();
  const merchant = await createMerchant(service);
  const choice = await buyChoice(service, merchant);
  for (let count = 0; count < ORDERS_BEFORE; count += 1) await buy(service, merchant, choice);
  // Nothing is booked from now on, so the copy has what these reports have.
  await service.stop();
  before.balances = await linesOn("balances");
  before.statement = await linesOn("statement");
  folder = await mkdtemp(path.join(tmpdir(), "exchange-standby-"));
  const dataDir = path.join(folder, "postgres");
  // Root lends PostgreSQL another user, who stays the owner.
  execFileSync("cp", ["-a", path.join(service.dataDir, "postgres"), dataDir]);
  await writeFile(path.join(dataDir, "standby.signal"), "");
  standby = await startDatabaseServer(folder);
  service = await startService({ dataDir: service.dataDir });
  await buy(service, merchant, choice);
  // A running service raises the mark of its database each second. A standby 60 seconds behind it is not read.
  await service.stop();
  primary = await startDatabaseServer(service.dataDir);
});
afterAll(async () => {
  await primary?.stop();
  await service?.discard();
  await standby?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function linesOn(name: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const on = { ...service, env: { ...service.env, ...env } };
  const report = await exchange(on, "reports", name, ...SPAN);
  expect(report).toMatchObject({ status: 0 });
  return report.stdout.trim().split("\n").slice(1);
}

test("reports are read from a standby in recovery, and the doctor says that it follows", async () => {
  const env = { EXCHANGE_DATABASE_STANDBY_URL: standby.url };
  expect(await linesOn("payouts")).toHaveLength(ORDERS_BEFORE + 1);
  expect(await linesOn("payouts", env)).toHaveLength(ORDERS_BEFORE);
  const doctor = await exchange({ ...service, env: { ...service.env, ...env } }, "doctor");
  expect(doctor.stdout).toMatch(/^ok +standby for reports: follows the database$/m);
});

test("statements and balances are read from a standby, which cannot fold them, and are those of before", async () => {
  const env = { EXCHANGE_DATABASE_STANDBY_URL: standby.url };
  expect(await linesOn("balances", env)).toEqual(before.balances);
  expect(await linesOn("statement", env)).toEqual(before.statement);
  expect(await linesOn("statement")).not.toEqual(before.statement);
});

test("a standby that cannot be reached is told, and no report is made from elsewhere", async () => {
  const env = { EXCHANGE_DATABASE_STANDBY_URL: "postgres://exchange@127.0.0.1:1/exchange" };
  const on = { ...service, env: { ...service.env, ...env } };
  const report = await exchange(on, "reports", "payouts", ...SPAN);
  expect(report.status).toBe(1);
  expect(report.stdout).toBe("");
  expect(report.stderr).toContain("cannot be reached");
  expect((await exchange(on, "doctor")).stdout).toMatch(/^BAD +standby for reports:/m);
});
