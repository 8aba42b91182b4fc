import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeApiKey } from "../../apps/server/src/secrets/api-key.ts";
import { makeKeyLine } from "../../apps/server/src/secrets/key-ring.ts";
import { randomIds } from "../../apps/server/src/secrets/random-ids.ts";
import {
  type Database,
  openDatabase,
  statement,
  unnamedStatement,
} from "../../apps/server/src/storage/postgres/database.ts";
import { migrate } from "../../apps/server/src/storage/postgres/migrate.ts";
import { buy, buyChoice } from "../support/orders/purchase.ts";
import { type DatabaseServer, startDatabaseServer } from "../support/postgres/database-server.ts";
import { exchangeHere } from "../support/service/command-line.ts";
import { type StartedService, startService } from "../support/service/service.ts";
import { roundsOf } from "./campaign.ts";

/** The sessions of the earlier version. Each holds a customer's data in the clear, which the start seals. */
const SESSIONS = roundsOf({ test: 2_000, campaign: 50_000 });
const WRITERS = 2;
const ORDERS = 5;
const MERCHANT = "client_dev_FIRSTMIGRATION0";
const FIRST = "../../apps/server/src/storage/migrations/0001_foundation.sql";

const key = makeApiKey("dev", randomIds);
const merchant = {
  clientId: MERCHANT,
  apiKey: key.text,
  headers: { "x-client-id": MERCHANT, "x-api-key": key.text },
};
let folder: string;
let server: DatabaseServer;
let database: Database;
const running: StartedService[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "exchange-upgrade-"));
  server = await startDatabaseServer();
  database = openDatabase({ connectionString: server.url, poolSize: WRITERS + 1 });
  await copyFile(fileURLToPath(new URL(FIRST, import.meta.url)), `${folder}/0001_foundation.sql`);
  await migrate(database, { folder: pathToFileURL(`${folder}/`), prefix: "" });
  await database.transaction((tx) => tx.runScript(ROWS));
  await writeFile(`${folder}/secret-keys`, makeKeyLine("k1"), { mode: 0o600 });
});
afterAll(async () => {
  for (const service of running) await service.stop();
  await database?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const ROWS = `
  insert into installation (environment, order_id_key) values ('dev', decode(repeat('ab', 32), 'hex'));
  insert into merchants (id, name, settings)
    values ('${MERCHANT}', 'First', '{"allowedOrigins": [], "defaults": {}}');
  insert into api_keys (id, merchant_id, digest, slot)
    values ('${key.id}', '${MERCHANT}', decode('${Buffer.from(key.digest).toString("hex")}', 'hex'), 1);
  insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope, customer)
    select '${MERCHANT}', 'first-' || n, gen_random_uuid(), now() + interval '1 hour', '{}',
      jsonb_build_object('email', 'ada' || n || '@example.com')
    from generate_series(1, ${SESSIONS}) n`;

/** The statement with which the first version of the sessions gave a session its token. */
const OPEN_SESSION = statement(
  "first_sessions_open",
  `insert into sessions (merchant_id, session_id, token_jti, token_expires_at, scope, lock, customer,
     return_url, locale, metadata)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (merchant_id, session_id) do update set
     token_jti = excluded.token_jti, token_expires_at = excluded.token_expires_at,
     scope = excluded.scope, lock = excluded.lock, customer = excluded.customer,
     return_url = excluded.return_url, locale = excluded.locale, metadata = excluded.metadata,
     updated_at = business_now()
   where sessions.status = 'active'
   returning session_id`,
);

/** Writes sessions as processes of the first version do. A statement that the newest schema refuses ends its writer. */
function startWriters() {
  const stored: string[] = [];
  let isOver = false;
  const write = async (): Promise<void> => {
    while (!isOver) {
      const sessionId = randomUUID();
      const customer = JSON.stringify({ email: `${sessionId}@example.com` });
      const token = [randomUUID(), new Date(Date.now() + 3_600_000).toISOString()];
      const rest = ["{}", "{}", customer, null, null, "{}"];
      await database.query(OPEN_SESSION, [MERCHANT, sessionId, ...token, ...rest]);
      stored.push(sessionId);
    }
  };
  const writers = Promise.allSettled(Array.from({ length: WRITERS }, write));
  const end = async (): Promise<readonly string[]> => {
    isOver = true;
    await writers;
    return stored;
  };
  return { stored, end };
}

async function countOf(text: string): Promise<number> {
  const sql = `select count(*)::int as count from ${text}`;
  const [row] = await database.query<{ count: number }>(unnamedStatement(sql));
  return row?.count ?? 0;
}

const IN_THE_CLEAR = "sessions where customer <> '{}'";

/** Starts a process of this version. When it is ready, no row from before its start may be in the clear. */
async function start(role: string): Promise<StartedService> {
  const env = { SHOP_PORT: "0", EXCHANGE_ROLE: role, DATABASE_URL: server.url };
  const service = await startService({ dataDir: folder, env });
  running.push(service);
  expect(await countOf(`${IN_THE_CLEAR} and session_id like 'first-%'`)).toBe(0);
  return service;
}

const appliedBy = ({ process }: StartedService): number =>
  Number(/applied (\d+) migrations/.exec(process.output())?.[1] ?? 0);

test("a large database of the first migration is upgraded while it is written to, by processes that start together", async () => {
  const writers = startWriters();
  await vi.waitUntil(() => writers.stored.length > 10, { timeout: 60_000 });
  const before = writers.stored.length;
  const [api, worker] = await Promise.all([start("api"), start("worker")]);
  const stored = await writers.end();
  expect(stored.length).toBeGreaterThan(before);
  // Each migration was applied by one of them.
  expect(appliedBy(api) + appliedBy(worker)).toBe((await countOf("migrations")) - 1);
  // The sessions that were written last are sealed by the next start, and none is lost.
  await start("worker");
  expect(await countOf("sessions")).toBe(SESSIONS + stored.length);
  expect(await countOf(IN_THE_CLEAR)).toBe(0);
  const last = stored.at(-1) ?? "";
  const exportCommand = [
    "customers",
    "export",
    "--client",
    MERCHANT,
    "--email",
    `${last}@example.com`,
  ];
  const exported = await exchangeHere<object>(api, ...exportCommand, "--as", "anna");
  expect(JSON.stringify(exported)).toContain(last);
  const choice = await vi.waitFor(() => buyChoice(api, merchant), { timeout: 60_000 });
  await Promise.all(Array.from({ length: ORDERS }, () => buy(api, merchant, choice)));
  const report = await exchangeHere<object>(api, "ledger", "check");
  expect(report).toMatchObject({ ok: true, orders: ORDERS });
});
