import { setTimeout as sleep } from "node:timers/promises";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { type Database, statement, type Tx } from "./database.ts";

/** The longest wait for another process, which may be migrating a large table. */
const WAIT_MS = 600_000;
const RETRY_MS = 100;

const TRY = statement("exclusive_try", "select pg_try_advisory_xact_lock($1::bigint) as is_taken");
// PostgreSQL shows the two halves of a lock's number separately.
const FIND_HOLDER = statement(
  "exclusive_find_holder",
  `select pid from pg_locks
   where locktype = 'advisory' and granted and objsubid = 1
     and (classid::bigint << 32) | objid::bigint = $1::bigint
     and database = (select oid from pg_database where datname = current_database())`,
);
/** Another process held a lock for too long. Nothing was changed. */
export class LockHeldError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LockHeldError";
  }
}

export interface ExclusiveOptions {
  readonly lock: keyof typeof ADVISORY_LOCKS;
  /** Ends the sentence "Another process …". */
  readonly doing: string;
  readonly waitMs?: number;
}

/**
 * Runs the work in a database transaction that holds the lock. Processes that start together take turns. The
 * lock is tried again and again, because a statement that waited for it would look like a database that does
 * not answer.
 */
export async function runExclusively<T>(
  database: Database,
  options: ExclusiveOptions,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { waitMs = WAIT_MS } = options;
  const key = String(ADVISORY_LOCKS[options.lock]);
  const startMs = performance.now();
  for (;;) {
    const done = await database.transaction(async (tx) => {
      const [row] = await tx.query<{ is_taken: boolean }>(TRY, [key]);
      if (row?.is_taken !== true) return undefined;
      return { result: await work(tx) };
    });
    if (done !== undefined) return done.result;
    if (performance.now() - startMs > waitMs) throw await heldError(database, options, waitMs);
    await sleep(RETRY_MS);
  }
}

async function heldError(
  database: Database,
  { lock, doing }: ExclusiveOptions,
  waitMs: number,
): Promise<LockHeldError> {
  const [holder] = await database.query<{ pid: number }>(FIND_HOLDER, [
    String(ADVISORY_LOCKS[lock]),
  ]);
  const at = holder ? ` (process ${holder.pid} of the database server)` : "";
  return new LockHeldError(
    `Another process has been ${doing} for more than ${Math.round(waitMs / 1000)} seconds${at}. Wait until it ` +
      "has ended and start again. If it hangs, end it first: select pg_terminate_backend" +
      `(${holder?.pid ?? "its pid"}).`,
  );
}
