import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ADVISORY_LOCKS } from "../storage/postgres/advisory-locks.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";
import { readServiceFile } from "./service-file.ts";
import { StartError } from "./start-error.ts";

/** Long enough for a service that was killed, or whose npm was, to be gone. */
const WAIT_MS = 4_000;
/** A service that says it is stopping gets longer. */
const WAIT_STOPPING_MS = 20_000;
const RETRY_MS = 200;

export interface ServiceLock {
  release(): Promise<void>;
}

export interface LockOptions {
  readonly dataDir: string;
  /** The lock went with its connection, and another holds it now. */
  readonly lost: (error: Error) => void;
  readonly waitMs?: number;
}

/**
 * Takes the lock of the one service on this data folder and holds it on a connection of its own, so
 * that it ends with the process however that ends. A database restart loses it; it is taken again.
 */
export async function takeServiceLock(
  connection: DatabaseOptions,
  options: LockOptions,
): Promise<ServiceLock> {
  let released = false;
  let client: pg.Client | undefined;
  const take = async (): Promise<void> => {
    client = await waitForLock(connection, options);
    client.once("end", () => {
      if (!released) void take().catch(options.lost);
    });
  };
  await take();
  return {
    release: async () => {
      released = true;
      await client?.end();
    },
  };
}

async function waitForLock(connection: DatabaseOptions, options: LockOptions): Promise<pg.Client> {
  const { dataDir, waitMs = WAIT_MS } = options;
  const start = performance.now();
  for (;;) {
    const client = await tryLock(connection);
    if (client instanceof pg.Client) return client;
    const waitedMs = performance.now() - start;
    const holder = readServiceFile(dataDir);
    const patienceMs = holder?.state === "stopping" ? WAIT_STOPPING_MS : waitMs;
    if (waitedMs > patienceMs) throw client ?? alreadyRuns(dataDir);
    await sleep(RETRY_MS);
  }
}

/** The holder's client; undefined when another holds the lock; the error when there is no answer. */
async function tryLock(connection: DatabaseOptions): Promise<pg.Client | Error | undefined> {
  const { poolSize: _poolSize, ...options } = connection;
  const client = new pg.Client({ ...options, application_name: "exchange lock" });
  client.on("error", () => {});
  try {
    await client.connect();
    const result = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(${ADVISORY_LOCKS.service}) as taken`,
    );
    if (result.rows[0]?.taken === true) return client;
    await client.end();
    return undefined;
  } catch (error) {
    await client.end().catch(() => {});
    return error as Error;
  }
}

function alreadyRuns(dataDir: string): StartError {
  const holder = readServiceFile(dataDir);
  const who = holder ? ` (process ${holder.pid}, ${holder.address})` : "";
  const how = holder ? `Stop it with: kill ${holder.pid}` : "Stop it first";
  return new StartError(
    `Another service runs on the data folder ${dataDir} already${who}. ${how} — or start this ` +
      "one with another EXCHANGE_DATA_DIR, PORT and SHOP_PORT.",
  );
}
