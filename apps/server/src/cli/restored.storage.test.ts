import { once } from "node:events";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { HISTORY_FILE, openHistoryFile } from "../start/history-file.ts";
import { listControlChanges } from "../storage/audit/control-log.ts";
import { advanceHistory, readHistory, setReconciled, setRestored } from "../storage/history.ts";
import { listStops } from "../storage/payouts/stops.ts";
import { statement } from "../storage/postgres/database.ts";
import { type CommandLine, openCommandLine } from "../testing/command-line.ts";
import { makeOrderWorld, type OrderWorld } from "../testing/orders.ts";
import { makeRole } from "../testing/service-roles.ts";
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

const lastNumber = async (): Promise<number> => {
  const text = "select last_value::int as last from order_numbers";
  const [row] = await world.database.query<{ last: number }>(statement("last_number", text));
  return Number(row?.last);
};

test("doctor says that the next start takes an embedded database without its file for a restored one", async () => {
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

test("doctor says that a running service can no longer store its mark in history.json", async () => {
  const running = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(running, "listening");
  const { port } = running.address() as AddressInfo;
  const { EXCHANGE_DATA_DIR } = line.variables;
  const variables = { EXCHANGE_DATA_DIR, EXCHANGE_HEALTH_PORT: String(port), HOST: "127.0.0.1" };
  const config = readConfig(variables);
  const examine = () => examineHistory(world.database, config);
  const { installation, mark } = await readHistory(world.database);
  openHistoryFile(config.dataDir).write(installation, mark);
  const file = join(config.dataDir, HISTORY_FILE);
  const rest = (seconds: number) => {
    const then = new Date(Date.now() - seconds * 1_000);
    utimesSync(file, then, then);
  };
  rest(90);
  // No other process raised the mark either, so the file misses nothing.
  expect(await examine()).toMatchObject({ ok: true });
  await advanceHistory(world.database, 90n);
  expect(await examine()).toMatchObject({
    ok: false,
    found: expect.stringMatching(/has not stored its mark in history\.json for \d+\.\d minutes$/),
    fix: expect.stringContaining("Free space on the disk of EXCHANGE_DATA_DIR"),
  });
  rest(30);
  expect(await examine()).toMatchObject({ ok: true });
  rest(90);
  running.close();
  await once(running, "close");
  // A service that does not run stores nothing.
  expect(await examine()).toMatchObject({ ok: true });
  rmSync(file);
});

test("doctor says that the next start takes a copied database for a restored one", async () => {
  await world.database.query(statement("copied", "update history set cluster = 1"));
  const { out } = await line.run("doctor");
  expect(out).toMatch(
    /BAD +history: it was copied to another PostgreSQL cluster\n +The next start/,
  );
});

test("the commands lead from a restored database to payouts that continue", async () => {
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

test("the API's role of the database may declare a restore, and nothing more", async () => {
  const api = await makeRole(world.database, "api");
  const url = String(line.variables["DATABASE_URL"]);
  line.variables["DATABASE_URL"] = url.replace("postgres@", `${api.name}@`);
  const stop = ["payouts", "stop", "--all", "--reason", "a restore", "--as", "anna"];
  expect(await line.run(...stop)).toMatchObject({ status: 1 });
  const declared = await line.run("database", "restored", "--as", "anna");
  line.variables["DATABASE_URL"] = url;
  await api.close();
  expect(declared).toMatchObject({ status: 0, errors: "" });
  expect((await readHistory(world.database)).restoredWhy).toBe("declared by anna");
  const [row] = await listControlChanges(world.database, { limit: 1 });
  expect(row).toMatchObject({ action: "stop", subject: "all payouts", person: "auditor" });
  expect(row?.details["reason"]).toContain("declared by anna");
  await world.database.transaction((tx) => setReconciled(tx));
});

test("an operator declares a restore that no start can notice, and the log has the name", async () => {
  const { installation } = await readHistory(world.database);
  const lastMark = 5_000_000n;
  openHistoryFile(String(line.variables["EXCHANGE_DATA_DIR"])).write(installation, lastMark);
  const numbers = await lastNumber();
  const declared = await line.run("database", "restored", "--as", "anna");
  expect(declared).toMatchObject({ status: 0, out: expect.stringMatching(/^Declared\. All/) });
  const { restoredWhy, mark } = await readHistory(world.database);
  expect(restoredWhy).toBe("declared by anna");
  // Otherwise the machine that remembers the mark would declare it once more.
  expect(mark).toBeGreaterThan(lastMark);
  expect(await lastNumber()).toBe(numbers + 1_000_000);
  expect(await listStops(world.database)).toContainEqual(
    expect.objectContaining({ kind: "all", setBy: "auditor", peopleToResume: 2 }),
  );
  expect((await line.run("payouts", "log")).out).toMatch(/stop .*declared by anna/);
});

test("a database that is declared restored is not declared again", async () => {
  const before = [await lastNumber(), await readHistory(world.database)];
  const again = await line.run("database", "restored", "--as", "ben");
  expect(again).toMatchObject({
    status: 0,
    out: "Nothing was changed, because the database is declared restored already: declared by anna. Run: exchange payouts reconcile",
  });
  expect([await lastNumber(), await readHistory(world.database)]).toEqual(before);
});
