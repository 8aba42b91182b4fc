import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, expect, inject, test } from "vitest";
import { runCommand } from "../cli/main.ts";
import { readConfig } from "../config.ts";
import { startService } from "../main.ts";
import { makeKeyLine } from "../secrets/key-ring.ts";
import {
  type Database,
  openDatabase,
  statement,
  unnamedStatement,
} from "../storage/postgres/database.ts";
import { migrate } from "../storage/postgres/migrate.ts";
import type { RunningService } from "./running-service.ts";

const server = inject("storageServer");
const MIGRATIONS = new URL("../storage/migrations/", import.meta.url);
const SANDBOX_MIGRATIONS = new URL("../sandbox/migrations/", import.meta.url);

/** A database as a version left it: the rows of each table as JSON text, the sequences, and the secret keys. */
interface Snapshot {
  readonly keys: string;
  readonly clientId: string;
  readonly apiKey: string;
  readonly sequences: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), "exchange-upgrade-"));
let service: RunningService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Creates a database that has the migrations up to a number, as an earlier version did. */
async function databaseOf(name: string, lastMigration: number): Promise<Database> {
  const admin = openDatabase({ ...server, poolSize: 1 });
  await admin.query(unnamedStatement(`create database ${name}`));
  await admin.close();
  const database = openDatabase({ ...server, database: name, poolSize: 2 });
  await migrate(database, { folder: earlierFiles(name, lastMigration), prefix: "" });
  return database;
}

function earlierFiles(name: string, lastMigration: number): URL {
  const files = join(folder, `${name}-migrations`);
  mkdirSync(files);
  const from = fileURLToPath(MIGRATIONS);
  for (const file of readdirSync(from).filter((one) => Number(one.slice(0, 4)) <= lastMigration)) {
    copyFileSync(join(from, file), join(files, file));
  }
  return pathToFileURL(`${files}/`);
}

const COLUMNS = statement(
  "upgrade_columns",
  `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
   where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
);

/** Fills the tables without their triggers, as a restore does. */
const load = (database: Database, { tables, sequences }: Snapshot): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.query(unnamedStatement("set local session_replication_role = replica"));
    for (const [table, rows] of Object.entries(tables)) {
      const [columns] = await tx.query<{ names: string }>(COLUMNS, [table]);
      const names = columns?.names ?? "";
      await tx.query(unnamedStatement(`delete from ${table}`));
      const insert = `insert into ${table} (${names}) overriding system value
        select ${names} from jsonb_populate_recordset(null::${table}, $1::jsonb)`;
      await tx.query(unnamedStatement(insert), [rows]);
    }
    for (const [sequence, value] of Object.entries(sequences)) {
      await tx.query(unnamedStatement("select setval($1::regclass, $2::bigint)"), [
        sequence,
        value,
      ]);
    }
    // The copy continues the history of its database.
    await tx.query(unnamedStatement("update history set cluster = ledger_cluster()"));
  });

/** Starts this version on the database. */
async function start(name: string, keys: string): Promise<NodeJS.ProcessEnv> {
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "secret-keys"), keys, { mode: 0o600 });
  const variables = {
    EXCHANGE_DATA_DIR: dataDir,
    DATABASE_URL: `postgresql://${server.user}@localhost/${name}?host=${server.host}&port=${server.port}`,
    EXCHANGE_LOG_LEVEL: "silent",
    PORT: "0",
    SHOP_PORT: "0",
    EXCHANGE_CONSOLE_PORT: "0",
    // The sandbox's prices move by the hour: the orders of the snapshot keep their rate at every hour.
    EXCHANGE_PRICE_BAND_PERCENT: "10000",
  };
  service = await startService(readConfig(variables), { progress: () => {} });
  return variables;
}

async function run(variables: NodeJS.ProcessEnv, ...words: string[]): Promise<string> {
  const lines: string[] = [];
  const print = (text: string) => lines.push(text);
  const status = await runCommand([...words], { variables, print, printError: print });
  expect({ words, status, lines }).toEqual({ words, status: 0, lines });
  return lines.join("\n");
}

const STATUSES = statement(
  "upgrade_statuses",
  "select coalesce(json_object_agg(status, count), '{}') as found from (select status, count(*) from orders group by 1) s",
);

/**
 * The snapshot was taken by `kill -9` of the version before operations were built, which had 60
 * migrations: two orders were completed, two awaited their payment, and eight had been paid a second before.
 */
test("a database of the version before is upgraded with orders under way, and nothing is lost", async () => {
  const file = new URL("../testing/upgrades/0060.json.gz", import.meta.url);
  const snapshot = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Snapshot;
  const database = await databaseOf("upgrade_0060", 60);
  await migrate(database, { folder: SANDBOX_MIGRATIONS, prefix: "sandbox/" });
  await load(database, snapshot);
  const statuses = async () =>
    (await database.query<{ found: Record<string, number> }>(STATUSES))[0]?.found ?? {};
  expect(await statuses()).toEqual({
    completed: 2,
    sending: 6,
    processing: 1,
    payment_pending: 1,
    awaiting_payment: 2,
  });
  const variables = await start("upgrade_0060", snapshot.keys);
  await expect.poll(async () => (await statuses())["completed"]).toBe(10);
  expect(await run(variables, "ledger", "check")).toContain("The ledger is right: 12 orders");
  expect(await run(variables, "migrate", "--check")).toContain("Nothing is pending.");
  expect(await run(variables, "ledger", "breaks")).not.toContain("stands");
  const headers = { "x-client-id": snapshot.clientId, "x-api-key": snapshot.apiKey };
  const reply = await fetch(`${service?.url}/v1/orders`, { headers });
  const { data } = (await reply.json()) as { readonly data: readonly object[] };
  expect([reply.status, data.length]).toEqual([200, 12]);
  await database.close();
});

const MERCHANT = "client_dev_FIRSTMIGRATION0";
const ROWS_OF_0001 = `
  insert into installation (environment, order_id_key) values ('dev', decode(repeat('ab', 32), 'hex'));
  insert into merchants (id, name, settings)
    values ('${MERCHANT}', 'First', '{"allowedOrigins": [], "defaults": {}}');
  insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope, customer)
    values ('${MERCHANT}', 'first', gen_random_uuid(), now(), '{}', '{"email": "ada@example.com"}')`;

test("a database of the first migration is upgraded with its merchant and its session", async () => {
  const database = await databaseOf("upgrade_0001", 1);
  await database.transaction((tx) => tx.runScript(ROWS_OF_0001));
  const variables = await start("upgrade_0001", makeKeyLine("k1"));
  expect(await run(variables, "merchant", "list")).toContain(MERCHANT);
  // The customer's data was sealed by the start.
  const exported = await run(
    variables,
    ...["customers", "export", "--client", MERCHANT, "--email", "ada@example.com"],
    ...["--as", "anna"],
  );
  expect(exported).toContain("first");
  expect(await run(variables, "ledger", "check")).toContain("The ledger is right");
  await database.close();
});
