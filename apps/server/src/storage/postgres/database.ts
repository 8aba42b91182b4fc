import pg from "pg";
import { makeHinter } from "./hints.ts";
import {
  type Queryable,
  type Statement,
  statement,
  type Tx,
  unnamedStatement,
} from "./statement.ts";
import { runStatement, runTransaction, runWrite } from "./transaction.ts";

export { type Queryable, type Statement, statement, type Tx, unnamedStatement };

export interface Database extends Queryable {
  /**
   * Runs the work in one database transaction and commits it. A serialization failure or a deadlock
   * runs the whole work again, a few times; any other error rolls back and is thrown.
   */
  transaction<T>(work: (tx: Tx) => T | Promise<T>): Promise<T>;
  /** Notifies the listeners of a channel that there is work. Like `Tx.hint`, it may be lost. */
  hint(channel: string): void;
  /**
   * Calls back on each notification of the channel. Notifications may be lost, so the caller polls as well.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly database?: string;
  readonly poolSize?: number;
}

const POOL_SIZE_DEFAULT = 16;
/**
 * The settings of each connection. They are sent after it opened, because a pooler such as PgBouncer refuses
 * them in the startup packet. docs/internals/query-plans.md has the reasons for the planner settings.
 */
const SETTINGS = `set TimeZone = 'UTC'; set statement_timeout = 30000; set lock_timeout = 10000;
  set random_page_cost = 1.1; set plan_cache_mode = force_generic_plan`;
const NOTIFY = statement("database_notify", "select pg_notify($1, '')");

export function openDatabase(options: DatabaseOptions): Database {
  const { poolSize = POOL_SIZE_DEFAULT, ...connection } = options;
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    // A query is sent at once, even if earlier results are still on their way. Results come in the same order.
    pipeline: true,
    application_name: "exchange",
    onConnect: (client) => client.query(SETTINGS),
  });
  // An idle connection that breaks, as in a database restart, is replaced on the next query.
  pool.on("error", () => {});
  // A connection that breaks while it is in use fails its query, so this second report is ignored.
  pool.on("connect", (client) => client.on("error", () => {}));
  const hint = makeHinter((channel) => runStatement(pool, NOTIFY, [channel]));
  return {
    query: (sql, values) => runStatement(pool, sql, values),
    write: (sql, values) => runWrite(pool, sql, values),
    transaction: (work) => runTransaction({ pool, hint }, work),
    hint,
    listen: (channel, onNotify) => listen(pool, { channel, onNotify }),
    close: () => pool.end(),
  };
}

/** A listener that lost its connection waits this long before it connects again. */
const RELISTEN_MS = 500;

async function listen(
  pool: pg.Pool,
  target: { readonly channel: string; readonly onNotify: (payload: string) => void },
): Promise<() => Promise<void>> {
  let stopped = false;
  let current: pg.PoolClient | undefined;
  // A broken connection may report several errors, and one more when it is released.
  const release = (connection: pg.PoolClient): boolean => {
    if (current !== connection) return false;
    current = undefined;
    connection.release(true);
    return true;
  };
  const connect = async (): Promise<void> => {
    const connection = await pool.connect();
    current = connection;
    if (stopped) return void release(connection);
    const reconnect = (): void => {
      if (release(connection)) connectLater();
    };
    connection.on("notification", (message) => {
      if (current === connection) target.onNotify(message.payload ?? "");
    });
    connection.on("error", reconnect);
    connection.on("end", reconnect);
    await connection.query(`listen ${pg.escapeIdentifier(target.channel)}`);
  };
  const connectLater = (): void => {
    if (stopped) return;
    setTimeout(() => void connect().catch(connectLater), RELISTEN_MS).unref();
  };
  await connect();
  return async () => {
    stopped = true;
    if (current !== undefined) release(current);
  };
}
