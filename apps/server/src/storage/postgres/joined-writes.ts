import type pg from "pg";
import { throwDatabaseError } from "./prepared.ts";
import type { Database, Statement, Tx } from "./statement.ts";
import { makeTx, retryOnConflict } from "./transaction.ts";
import { DatabaseUnavailable } from "./unavailable.ts";

/**
 * Runs the work with a database whose writes share one database transaction. It opens at the first
 * write, so the work holds no lock while it reads and asks others before that. From then on the work
 * also reads in it. It commits when the work ends, and an error of the work rolls it back.
 *
 * A database transaction inside the work becomes a savepoint. It fails alone, so that the work may
 * read again and decide again, as an order's step does.
 */
export async function joinWrites<T>(
  on: PoolAndDatabase,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const channels = new Set<string>();
  const joined = makeJoined(on.pool, channels);
  const result = await joined.end(work(databaseOf(on.database, joined, channels)));
  for (const channel of channels) on.database.hint(channel);
  return result;
}

interface PoolAndDatabase {
  readonly pool: pg.Pool;
  readonly database: Database;
}

function databaseOf(database: Database, joined: Joined, channels: Set<string>): Database {
  const own: Database = {
    query: (sql, values) =>
      mayWrite(sql) || joined.isOpen()
        ? joined.step((tx) => tx.query(sql, values))
        : database.query(sql, values),
    write: (sql, values) => joined.step((tx) => tx.write(sql, values)),
    transaction: (work) => joined.step(work),
    joinWrites: (work) => work(own),
    hint: (channel) => void channels.add(channel),
    listen: () => Promise.reject(new Error("a database of joined writes cannot listen")),
    away: () => database.away(),
    connectionsMax: database.connectionsMax,
    connections: () => database.connections(),
    close: () => Promise.reject(new Error("a database of joined writes cannot be closed")),
  };
  return own;
}

/** A false yes only opens the database transaction earlier than necessary. */
const mayWrite = ({ text }: Statement): boolean => /\b(?:insert|update|delete|merge)\b/i.test(text);

interface Joined {
  isOpen(): boolean;
  /** Runs one part inside a savepoint, after the parts before it. Opens the transaction first. */
  step<T>(run: (tx: Tx) => T | Promise<T>): Promise<T>;
  /** Commits when the work has succeeded, and rolls back when it has failed. */
  end<T>(work: Promise<T>): Promise<T>;
}

function makeJoined(pool: pg.Pool, channels: Set<string>): Joined {
  let client: pg.PoolClient | undefined;
  // Parts of one database transaction cannot overlap: each would roll back to the other's savepoint.
  let last: Promise<unknown> = Promise.resolve();
  const open = async (): Promise<pg.PoolClient> => {
    if (client) return client;
    client = await pool.connect().catch(throwDatabaseError);
    await client.query("begin").catch(throwDatabaseError);
    return client;
  };
  const runPart = async <T>(run: (tx: Tx) => T | Promise<T>): Promise<T> => {
    const connection = await open();
    await connection.query("savepoint part").catch(throwDatabaseError);
    try {
      const result = await run(makeTx(connection, channels));
      await connection.query("release savepoint part").catch(throwDatabaseError);
      return result;
    } catch (error) {
      // If the connection broke, the whole transaction is rolled back at its end.
      await connection.query("rollback to savepoint part").catch(() => {});
      throw error;
    }
  };
  return {
    isOpen: () => client !== undefined,
    step: (run) => {
      const part = last.then(() => retryOnConflict(() => runPart(run)));
      last = part.catch(() => {});
      return part;
    },
    end: async (work) => {
      let isBroken = false;
      try {
        const result = await work;
        await last;
        await client?.query("commit").catch(throwDatabaseError);
        return result;
      } catch (error) {
        await last;
        // The connection may lead to a standby, so it must not return to the pool.
        isBroken = error instanceof DatabaseUnavailable;
        await client?.query("rollback").catch(() => {
          isBroken = true;
        });
        throw error;
      } finally {
        client?.release(isBroken);
      }
    },
  };
}
