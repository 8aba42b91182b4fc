import pg from "pg";
import { makeHinter } from "./hints.ts";
import {
  type Queryable,
  type Statement,
  statement,
  type Tx,
  unkeptStatement,
} from "./statement.ts";
import { runStatement, runTransaction, runWrite } from "./transaction.ts";

export { type Queryable, type Statement, statement, type Tx, unkeptStatement };

export interface Database extends Queryable {
  /**
   * Runs the work in one database transaction and commits it. A serialization failure or a deadlock
   * runs the whole work again, a few times; any other error rolls back and is thrown.
   */
  transaction<T>(work: (tx: Tx) => T | Promise<T>): Promise<T>;
  /** Tells listeners of a channel that there is something to look for; a hint, as `Tx.hint` gives. */
  hint(channel: string): void;
  /** Calls back on each notification of the channel; a hint only, polling stays the truth. */
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
 * Settings of each connection. They are sent once it is open: a pooler such as PgBouncer refuses them in the
 * startup packet. The reasons of the planner settings are in docs/internals/query-plans.md.
 */
const SETTINGS = `set TimeZone = 'UTC'; set statement_timeout = 30000; set lock_timeout = 10000;
  set random_page_cost = 1.1; set plan_cache_mode = force_generic_plan`;
const NOTIFY = statement("database_notify", "select pg_notify($1, '')");

export function openDatabase(options: DatabaseOptions): Database {
  const { poolSize = POOL_SIZE_DEFAULT, ...connection } = options;
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    // What is asked before an answer came goes on its way at once; answers come in the same order.
    pipeline: true,
    application_name: "exchange",
    onConnect: (client) => client.query(SETTINGS),
  });
  // An idle connection that breaks (a database restart) is replaced on the next query.
  pool.on("error", () => {});
  // One that breaks while it is in use fails its query; nobody needs to hear of it twice.
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

/** How long a lost listener waits before it connects again. */
const RELISTEN_MS = 500;

async function listen(
  pool: pg.Pool,
  target: { readonly channel: string; readonly onNotify: (payload: string) => void },
): Promise<() => Promise<void>> {
  let stopped = false;
  let current: pg.PoolClient | undefined;
  // A broken connection may tell so several times, and once more when we end it.
  const leave = (connection: pg.PoolClient): boolean => {
    if (current !== connection) return false;
    current = undefined;
    connection.release(true);
    return true;
  };
  const connect = async (): Promise<void> => {
    const connection = await pool.connect();
    current = connection;
    if (stopped) return void leave(connection);
    const lost = (): void => {
      if (leave(connection)) connectLater();
    };
    connection.on("notification", (message) => {
      if (current === connection) target.onNotify(message.payload ?? "");
    });
    connection.on("error", lost);
    connection.on("end", lost);
    await connection.query(`listen ${pg.escapeIdentifier(target.channel)}`);
  };
  const connectLater = (): void => {
    if (stopped) return;
    setTimeout(() => void connect().catch(connectLater), RELISTEN_MS).unref();
  };
  await connect();
  return async () => {
    stopped = true;
    if (current !== undefined) leave(current);
  };
}
