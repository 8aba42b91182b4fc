import pg from "pg";

/** One SQL statement. Its name makes PostgreSQL keep the plan: prepared once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/** Anything that runs statements: the database itself, or one database transaction. */
export interface Queryable {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** An open database transaction. No call to the outside may happen while one is open. */
export interface Tx extends Queryable {
  readonly kind: "tx";
  /** Runs several statements without parameters: for migrations only. */
  runScript(text: string): Promise<void>;
}

export interface Database extends Queryable {
  /**
   * Runs the work in one database transaction and commits it. A serialization failure or a deadlock
   * runs the whole work again, a few times; any other error rolls back and is thrown.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
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
const TRANSACTION_ATTEMPTS_MAX = 6;
/** PostgreSQL's serialization_failure and deadlock_detected: the whole transaction may run again. */
const RETRYABLE_CODES = new Set(["40001", "40P01"]);

export function openDatabase(options: DatabaseOptions): Database {
  const { poolSize = POOL_SIZE_DEFAULT, ...connection } = options;
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    application_name: "exchange",
    options: "-c TimeZone=UTC -c statement_timeout=30000 -c lock_timeout=10000",
  });
  // An idle connection that breaks (a database restart) is replaced on the next query.
  pool.on("error", () => {});
  // One that breaks while it is in use fails its query; nobody needs to hear of it twice.
  pool.on("connect", (client) => client.on("error", () => {}));
  return {
    query: (sql, values) => runStatement(pool, sql, values),
    transaction: (work) => runTransaction(pool, work),
    listen: (channel, onNotify) => listen(pool, { channel, onNotify }),
    close: () => pool.end(),
  };
}

async function runStatement<Row>(
  client: pg.Pool | pg.PoolClient,
  sql: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await client.query({ name: sql.name, text: sql.text, values: [...values] });
  return result.rows as Row[];
}

async function runTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, work);
    } catch (error) {
      if (attempt === TRANSACTION_ATTEMPTS_MAX || !isRetryable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt));
    }
  }
}

async function tryTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query("begin");
    const result = await work({
      kind: "tx",
      query: (sql, values) => runStatement(client, sql, values),
      runScript: async (text) => {
        await client.query(text);
      },
    });
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const isRetryable = (error: unknown): boolean =>
  RETRYABLE_CODES.has((error as { code?: string } | null)?.code ?? "");

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
