import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import { type Database, type DatabaseOptions, openDatabase, statement } from "./database.ts";
import { DatabaseBusy, DatabaseUnavailable } from "./unavailable.ts";

/** docs/operating/database.md states both. */
const NOTICED_MS = 8_000;
const BACK_MS = 10_000;
/** A busy machine gets some more. */
const SLACK_MS = 5_000;
/** The bound of a wait for which nothing is promised. */
const HANGS_MS = 60_000;
const TURN_MS = 50;

let folder: string;
let dataDir: string;
let server: EmbeddedPostgres;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-away-"));
  dataDir = path.join(folder, "postgres");
  server = await startEmbeddedPostgres({ dataDir });
  await ask("create table written (id int)");
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Asks the server on a connection of its own, beside the database under test. */
async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client(server.connection);
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

interface Watched {
  readonly database: Database;
  /** The reports in order: `away`, `back` or `disturbed`, with the sentence of an error. */
  readonly reports: readonly string[];
}

/** Opens the database as a process of the service does, with three listeners. */
async function open(options: DatabaseOptions = {}): Promise<Watched> {
  const reports: string[] = [];
  const database = openDatabase(
    { ...server.connection, ...options },
    {
      away: ({ message }) => reports.push(`away: ${message}`),
      back: () => reports.push("back"),
      disturbed: ({ message }) => reports.push(`disturbed: ${message}`),
    },
  );
  // A test may have closed it.
  onTestFinished(() => database.close().catch(() => {}));
  for (const channel of ["jobs", "webhooks", "config"]) await database.listen(channel, () => {});
  return { database, reports };
}

const READ = statement("away_read", "select 1 as one");
const WRITE = statement("away_write", "insert into written values (1)");
const SLEEP = statement("away_sleep", "select pg_sleep(25)");
const LISTENING = `select count(*)::int as count from pg_stat_activity
  where query ilike 'listen%' or query like 'select pg_is_in_recovery()%'`;

/** Measures the time in which this process runs. A pause of the machine counts as one turn of its event loop. */
function startTimer(): () => number {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, TURN_MS);
  onTestFinished(() => clearInterval(timer));
  return () => turns * TURN_MS;
}

async function isBack(database: Database): Promise<void> {
  const passedMs = startTimer();
  const works = () =>
    database.write(WRITE).then(
      () => true,
      () => false,
    );
  while (!(await works())) await sleep(100);
  expect(passedMs()).toBeLessThan(BACK_MS + SLACK_MS);
}

/** Ends the backends of `SLEEP`, once they are `count`. */
async function endSleepers(count: number): Promise<void> {
  const sleepers = "pg_stat_activity where query like '%pg_sleep(25)' and pid <> pg_backend_pid()";
  const sleep = async () => (await ask(`select from ${sleepers}`)).length === count;
  await vi.waitUntil(sleep, { timeout: HANGS_MS });
  await ask(`select pg_terminate_backend(pid) from ${sleepers}`);
}

/** Restarts the server, which the embedded server's own watch starts again. */
async function restart(): Promise<void> {
  const before = server.pid();
  process.kill(before, "SIGINT");
  await vi.waitUntil(() => server.pid() !== before, { timeout: HANGS_MS });
}

test("a standby for eight seconds costs no connection, and everything listens again", async () => {
  const { database, reports } = await open();
  const heard: string[] = [];
  await database.listen("news", (payload) => heard.push(payload));
  writeFileSync(path.join(dataDir, "standby.signal"), "");
  await restart();
  const isStandbyUntil = performance.now() + 8_000;
  while (performance.now() < isStandbyUntil) {
    await database.write(WRITE).catch(() => {});
    await sleep(100);
  }
  await expect.poll(() => database.away()?.message).toBe("The database is a standby.");
  await expect(database.query(READ)).rejects.toThrow("The database is a standby.");
  await ask("select pg_promote()");
  await isBack(database);
  const hears = async () => {
    await ask("notify news, 'again'");
    return heard.includes("again");
  };
  await vi.waitUntil(hears, { timeout: HANGS_MS });
  await expect.poll(() => ask(LISTENING)).toEqual([{ count: 1 }]);
  expect(reports).toEqual([expect.stringMatching(/^away: /), "back"]);
});

/** Stops or continues every process of the server, as a frozen machine does. */
function signalAll(signal: "SIGSTOP" | "SIGCONT"): void {
  const postmaster = server.pid();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      if (Number(pid) === postmaster || Number(parent) === postmaster) {
        process.kill(Number(pid), signal);
      }
    } catch {
      // The process ended meanwhile.
    }
  }
}

test("a frozen server is noticed in time, statements fail at once, and it is back by itself", async () => {
  const { database, reports } = await open();
  await database.write(WRITE);
  signalAll("SIGSTOP");
  onTestFinished(() => signalAll("SIGCONT"));
  const passedMs = startTimer();
  const inFlight = [database.query(READ), database.transaction((tx) => tx.write(WRITE))];
  const answers = await Promise.all(inFlight.map((work) => work.catch((error: Error) => error)));
  for (const answer of answers) expect(answer).toBeInstanceOf(DatabaseUnavailable);
  const noticedMs = passedMs();
  expect(noticedMs).toBeLessThan(NOTICED_MS + SLACK_MS);
  await expect(database.query(READ)).rejects.toThrow(DatabaseUnavailable);
  expect(passedMs() - noticedMs).toBeLessThan(1_000);
  signalAll("SIGCONT");
  await isBack(database);
  expect(reports).toEqual(["away: The database does not answer.", "back"]);
});

test("a database that hangs does not keep the service from stopping", async () => {
  const { database } = await open();
  signalAll("SIGSTOP");
  onTestFinished(() => signalAll("SIGCONT"));
  const waiting = database.query(READ).catch((error: Error) => error);
  const passedMs = startTimer();
  await database.close();
  expect(passedMs()).toBeLessThan(NOTICED_MS + SLACK_MS);
  expect(await waiting).toBeInstanceOf(DatabaseUnavailable);
});

test("a server that becomes read-only is away for reads too, until it can be written to", async () => {
  const { database, reports } = await open();
  await ask("alter database postgres set default_transaction_read_only = on");
  await vi.waitUntil(
    async () => {
      // A new connection of the pool reads the setting.
      await Promise.all([1, 2, 3, 4].map(() => database.write(WRITE).catch(() => {})));
      return database.away()?.message === "The database is read-only.";
    },
    { timeout: HANGS_MS },
  );
  const reset = "alter database postgres reset default_transaction_read_only";
  await ask(`begin read write; ${reset}; commit`);
  await isBack(database);
  expect(reports).toEqual(["away: The database is read-only.", "back"]);
});

test("a statement waits for a free connection for a bounded time", async () => {
  // The pool opens a connection within the same time.
  const waitMs = 3_000;
  const { database, reports } = await open({ poolSize: 2, waitMs });
  const slow = [database.query(SLEEP), database.query(SLEEP)].map((work) => work.catch(() => {}));
  const passedMs = startTimer();
  await expect(database.query(READ)).rejects.toThrow(DatabaseBusy);
  expect(passedMs()).toBeLessThan(waitMs + SLACK_MS);
  expect(database.away()).toBeUndefined();
  expect(reports).toEqual(["disturbed: All connections to the database are in use."]);
  await endSleepers(2);
  await Promise.all(slow);
});

test("statements beyond a bound are refused at once", async () => {
  const { database } = await open({ poolSize: 1 });
  const slow = database.query(SLEEP).catch(() => {});
  const waiting = Array.from({ length: 2_000 }, () => database.query(READ).catch(() => {}));
  await expect(database.query(READ)).rejects.toThrow("2000 statements are waiting");
  await endSleepers(1);
  await Promise.all([slow, ...waiting]);
});

test("a single connection that ends is reported, and the database is not away", async () => {
  const { database, reports } = await open();
  const broken = database.query(SLEEP).catch((error: Error) => error);
  await endSleepers(1);
  expect(await broken).toBeInstanceOf(DatabaseUnavailable);
  await vi.waitUntil(() => reports.length > 0, { timeout: HANGS_MS });
  expect(reports).toEqual(["disturbed: The database is stopping or starting."]);
  expect(database.away()).toBeUndefined();
});
