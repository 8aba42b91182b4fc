import type pg from "pg";
import type { Hint } from "./hints.ts";
import { isOutdated, runStatement, runWrite, throwDatabaseError } from "./prepared.ts";
import type { Tx } from "./statement.ts";
import { DatabaseUnavailable } from "./unavailable.ts";

const CONFLICT_ATTEMPTS_MAX = 6;
/**
 * PostgreSQL's serialization_failure and deadlock_detected. The whole transaction may run again after them.
 */
const RETRYABLE_CODES = new Set(["40001", "40P01"]);

/** The longest time of a timer. It lets a migration take as long as it needs. */
const NO_DEADLINE_MS = 2 ** 31 - 1;

/** Runs the work in a database transaction, and again after a failure that `retryOnConflict` names. */
export async function runTransaction<T>(
  on: { readonly pool: pg.Pool; readonly hint: Hint },
  work: (tx: Tx) => T | Promise<T>,
): Promise<T> {
  const { result, hints } = await retryOnConflict(() => tryTransaction(on.pool, work));
  for (const channel of hints) on.hint(channel);
  return result;
}

/**
 * Retries serialization failures, deadlocks and outdated statements, with at most six attempts. Refusals are not retried.
 */
export async function retryOnConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === CONFLICT_ATTEMPTS_MAX || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt));
    }
  }
}

async function tryTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => T | Promise<T>,
): Promise<{ readonly result: T; readonly hints: ReadonlySet<string> }> {
  const client = await pool.connect().catch(throwDatabaseError);
  const hints = new Set<string>();
  let broken = false;
  try {
    // The begin is sent together with the first statement. Both fail if the connection fails.
    const begun = client.query("begin");
    begun.catch(() => {});
    const result = await work(makeTx(client, hints));
    await begun.catch(throwDatabaseError);
    await client.query("commit").catch(throwDatabaseError);
    return { result, hints };
  } catch (error) {
    // The connection may lead to a standby, so it must not return to the pool.
    broken = error instanceof DatabaseUnavailable;
    await client.query("rollback").catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Returns the open database transaction of a connection. It adds the channels to notify to `hints`. */
export const makeTx = (client: pg.PoolClient, hints: Set<string>): Tx => ({
  kind: "tx",
  query: (sql, values) => runStatement(client, sql, values),
  write: (sql, values) => runWrite(client, sql, values),
  hint: (channel) => void hints.add(channel),
  runScript: async (text) => {
    // @types/pg leaves out that a query may have its own deadline.
    const script = { text, query_timeout: NO_DEADLINE_MS };
    await client.query(script).catch(throwDatabaseError);
  },
});

/** The database's `refuse_write` raises this code when the rows that a write was decided on have changed. */
const REFUSED_CODE = "EX001";

/** Returns whether the database refused a write because the rows it was decided on have changed. */
export const isRefused = (error: unknown): boolean => codeOf(error) === REFUSED_CODE;

const isRetryable = (error: unknown): boolean =>
  RETRYABLE_CODES.has(codeOf(error) ?? "") || isOutdated(error);

const codeOf = (error: unknown): string | undefined =>
  (error as { readonly code?: string } | null)?.code;
