import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { HISTORY_FILE } from "../start/history-file.ts";
import { advanceHistory, setRestored } from "../storage/history.ts";
import { statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeOrderWorld, type OrderWorld } from "../testing/orders.ts";
import { MERCHANT_ID } from "../testing/world.ts";
import { examineHistory } from "./commands/reconcile.ts";

let world: OrderWorld;
let line: CommandLine;

beforeAll(async () => {
  world = await makeOrderWorld();
  line = await openCommandLine(world.database);
});
afterAll(async () => {
  await line.close();
  await world.close();
});

test("H1: doctor says that the next start takes an embedded database without its file for a restored one", async () => {
  const config = readConfig({ EXCHANGE_DATA_DIR: line.variables["EXCHANGE_DATA_DIR"] });
  const fix =
    "The next start takes this database for a restored one and stops all payouts (docs/operating/back-up.md).";
  const examine = () => examineHistory(world.database, config);
  const unused = await examine();
  expect(unused).toMatchObject({ ok: true });
  await advanceHistory(world.database, 1n);
  const found = "the data folder has no history.json";
  expect(await examine()).toEqual({ check: "history", ok: false, found, fix });
  const file = join(config.dataDir, HISTORY_FILE);
  writeFileSync(file, "{}");
  const other = "the data folder has no file that says how old it is";
  expect(await examine()).toEqual({ check: "history", ok: false, found: other, fix });
  rmSync(file);
  // A database of another server has no file before its first start.
  const databaseUrl = "postgres://db.internal/exchange";
  expect(await examineHistory(world.database, { ...config, databaseUrl })).toMatchObject({
    ok: true,
  });
});

test("H1: doctor says that the next start takes a copied database for a restored one", async () => {
  await world.database.query(statement("copied", "update history set cluster = 1"));
  const { out } = await line.run("doctor");
  expect(out).toMatch(
    /BAD +history: it was copied to another PostgreSQL cluster\n +The next start/,
  );
});

test("H1: the commands lead from a restored database to payouts that continue", async () => {
  await setRestored(world.database, { why: "a drill", lastMark: 0n });
  expect((await line.run("doctor")).out).toMatch(
    /payouts: all payouts stopped by auditor: the database lacks payments or orders that were already made: a drill\n +Run first: exchange payouts reconcile\. Then run: exchange payouts resume --all\n/,
  );
  const looked = await line.run("payouts", "reconcile");
  expect(looked).toMatchObject({ status: 1 });
  expect(looked.out).toContain(
    "Nothing is left to adopt. Run exchange payouts reconcile --adopt --as NAME to declare the database reconciled.",
  );
  const adopted = await line.run("payouts", "reconcile", "--adopt", "--as", "anna");
  expect(adopted).toMatchObject({ status: 0 });
  expect(adopted.out).toMatch(
    /\n\nReconciled\. Webhooks go out again\. Two people now run: exchange payouts resume --all$/,
  );
  const again = await line.run("payouts", "reconcile", "--adopt", "--as", "anna");
  expect(again.out).not.toContain("Reconciled");
  const resume = (person: string) => line.run("payouts", "resume", "--all", "--as", person);
  expect((await resume("anna")).out).toBe(
    "Noted. One more person has to agree to resume: all payouts.",
  );
  expect((await resume("ben")).out).toBe("Resumed: all payouts. Waiting payouts continue.");
});

test("doctor names the command that resumes each stop", async () => {
  const stop = ["payouts", "stop", "--reason", "a test", "--as", "anna"];
  await line.run(...stop, "--rail", "chain:bitcoin");
  await line.run(...stop, "--client", MERCHANT_ID);
  expect((await line.run("doctor")).out).toContain(
    `Find the cause. Then run: exchange payouts resume --rail chain:bitcoin; exchange payouts resume --client ${MERCHANT_ID}`,
  );
});
