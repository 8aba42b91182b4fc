import pg from "pg";
import type { DatabaseOptions } from "./database.ts";

/** An advisory lock on a connection of its own. It ends with the process, however the process ends. */
export interface ConnectionLock {
  /** Calls `callback` when the connection, and with it the lock, ends. */
  onEnd(callback: () => void): void;
  release(): Promise<void>;
}

const DEADLINE_MS = 5_000;

/**
 * Takes the advisory lock with this key. Returns undefined when another connection holds it, and the error when
 * the database cannot be reached.
 */
export async function tryConnectionLock(
  connection: DatabaseOptions,
  key: bigint,
): Promise<ConnectionLock | Error | undefined> {
  const client = new pg.Client({
    ...connection,
    application_name: "exchange lock",
    connectionTimeoutMillis: DEADLINE_MS,
    query_timeout: DEADLINE_MS,
    keepAlive: true,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const result = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock($1::bigint) as taken",
      [String(key)],
    );
    if (result.rows[0]?.taken === true) {
      return {
        onEnd: (callback) => void client.once("end", callback),
        release: () => client.end(),
      };
    }
    await client.end();
    return undefined;
  } catch (error) {
    await client.end().catch(() => {});
    return error as Error;
  }
}
