import { Socket } from "node:net";
import pg from "pg";
import { startDeadline } from "../../deadline.ts";
import { makeHinter } from "./hints.ts";
import { joinWrites } from "./joined-writes.ts";
import { makeLookups } from "./lookups.ts";
import { runLookup, runStatement, runWrite } from "./prepared.ts";
import { ShrinkingPool } from "./shrinking-pool.ts";
import {
  type Database,
  lookup,
  type Queryable,
  type Statement,
  statement,
  type Tx,
  unnamedStatement,
} from "./statement.ts";
import { runTransaction } from "./transaction.ts";
import { classOfError, DatabaseBusy, DatabaseUnavailable, toDatabaseError } from "./unavailable.ts";
import { type DatabaseReport, type DatabaseWatch, makeWatch } from "./watch.ts";

export {
  type Database,
  type DatabaseReport,
  lookup,
  type Queryable,
  type Statement,
  statement,
  type Tx,
  unnamedStatement,
};

/** Members of one process's connection. They are plain data, because API processes receive them as JSON. */
export interface DatabaseOptions {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly database?: string;
  /**
   * The address of the server, when the other address is a pooler that changes servers after each database transaction.
   * Statements are then unnamed and use the pooler's session settings. The watch connects to the server.
   */
  readonly direct?: string;
  /** The number of connections that statements share. A listener opens one more. */
  readonly poolSize?: number;
  /** The time that a statement waits for a free connection. */
  readonly waitMs?: number;
  /**
   * The time after which the driver gives a statement up and breaks its connection. The server ends a statement
   * earlier, so this finds a connection that died alone, as behind a firewall that dropped it.
   */
  readonly answerMs?: number;
}

const POOL_SIZE_DEFAULT = 15;
const WAIT_MS_DEFAULT = 10_000;
/** More statements than this are refused at once: they would wait too long for a connection. */
const WAITING_MAX = 2_000;
const CONNECT_DEADLINE_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_MS_DEFAULT = STATEMENT_TIMEOUT_MS + 5_000;
/** An idle connection is probed by TCP after this time, then every second ten times. */
const KEEP_ALIVE_MS = 10_000;
const CLOSE_DEADLINE_MS = 5_000;
/**
 * The settings of each connection. They are sent after it opened, because a pooler such as PgBouncer refuses
 * them in the startup packet. docs/internals/query-plans.md has the reasons for the planner settings. A process
 * that freezes or vanishes within a database transaction loses its locks after a minute.
 */
export const SESSION_SETTINGS =
  `set TimeZone = 'UTC'; set statement_timeout = ${STATEMENT_TIMEOUT_MS}; ` +
  "set lock_timeout = 10000; set idle_in_transaction_session_timeout = 60000; " +
  "set jit = off; set random_page_cost = 1.1; set plan_cache_mode = force_generic_plan";
const NOTIFY = statement("database_notify", "select pg_notify($1, '')");

/** Opens the database. The report is called when the watch finds it away, and when it is back. */
export function openDatabase(options: DatabaseOptions, report?: DatabaseReport): Database {
  const {
    poolSize = POOL_SIZE_DEFAULT,
    waitMs = WAIT_MS_DEFAULT,
    answerMs = ANSWER_MS_DEFAULT,
    direct,
    ...address
  } = options;
  const common = {
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: "exchange",
  };
  const isPooled = direct !== undefined;
  const watched = isPooled ? { ...common, connectionString: direct } : { ...common, ...address };
  const sockets = new Set<Socket>();
  const onRefused = (error: Error): void => {
    // Its statement waits for another connection, so it is not counted where statements fail.
    report?.failed?.("full");
    watch.suspect(toDatabaseError(error) as DatabaseUnavailable);
  };
  const limits = { poolSize, waitMs, answerMs, isPooled, onRefused };
  const pool = openPool({ ...common, ...address }, limits, sockets);
  const endConnections = (error?: DatabaseUnavailable): void => {
    for (const socket of sockets) socket.destroy(error);
  };
  const watch = makeWatch({ connection: watched, report, endConnections });
  const hint = makeHinter((channel) => runStatement(pool, NOTIFY, [channel]));
  const run = makeGuard(pool, { watch, report });
  const lookUp = makeLookups((sql, keys) => runLookup(pool, sql, keys), WAITING_MAX);
  const database: Database = {
    query: <Row>(sql: Statement, values: readonly unknown[] = []) =>
      run(() =>
        sql.isLookup === true
          ? (lookUp(sql, values) as Promise<Row[]>)
          : runStatement<Row>(pool, sql, values),
      ),
    write: (sql, values) => run(() => runWrite(pool, sql, values)),
    transaction: (work) => run(() => runTransaction({ pool, hint }, work)),
    joinWrites: (work) => run(() => joinWrites({ pool, database }, work)),
    hint,
    listen: (channel, onNotify) => watch.listen(channel, onNotify),
    away: () => watch.away(),
    connectionsMax: poolSize,
    connections: () => ({
      idle: pool.idleCount,
      busy: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      await watch.stop();
      // A statement that the database never answers must not keep the service from stopping.
      const deadline = startDeadline(CLOSE_DEADLINE_MS, endConnections);
      await pool.end().finally(() => deadline.stop());
    },
  };
  return database;
}

interface PoolLimits {
  readonly poolSize: number;
  readonly waitMs: number;
  readonly answerMs: number;
  readonly isPooled: boolean;
  readonly onRefused: (error: Error) => void;
}

/** Opens a pool whose sockets are all in the set, so that connections without an answer can be ended. */
function openPool(connection: pg.ClientConfig, limits: PoolLimits, sockets: Set<Socket>): pg.Pool {
  const openSocket = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  /** pg-pool has one option for the wait for a free connection and for the opening of a new one. */
  class Client extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: CONNECT_DEADLINE_MS });
      if (limits.isPooled) leaveUnnamed(this);
    }
  }
  const pool = new ShrinkingPool({
    ...connection,
    Client: Client as unknown as new () => pg.ClientBase,
    stream: openSocket,
    max: limits.poolSize,
    connectionTimeoutMillis: limits.waitMs,
    query_timeout: limits.answerMs,
    onRefused: limits.onRefused,
    // A query is sent at once, even if earlier results are still on their way. Results come in the same order.
    pipeline: true,
    // Behind a pooler no settings are sent, because another client may use the same server connection next.
    ...(limits.isPooled
      ? {}
      : { onConnect: (client: pg.ClientBase) => client.query(SESSION_SETTINGS) }),
  });
  // An idle connection that breaks, as in a database restart, is replaced on the next query.
  pool.on("error", () => {});
  // A connection that breaks while it is in use fails its query, so this second report is ignored.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Statements of this connection are prepared for one execution: the next one may be on another server. */
function leaveUnnamed(client: pg.Client): void {
  const query = client.query.bind(client) as (query: unknown, ...rest: unknown[]) => unknown;
  const unnamed = (queryConfig: unknown, ...rest: unknown[]): unknown =>
    typeof queryConfig === "object" && queryConfig !== null && "name" in queryConfig
      ? query({ ...queryConfig, name: undefined }, ...rest)
      : query(queryConfig, ...rest);
  client.query = unnamed as typeof client.query;
}

const OVERLOADED = `The database is overloaded: ${WAITING_MAX} statements are waiting.`;

/** Refuses work while the database is away. The watch looks when work fails because of the database. */
function makeGuard(
  pool: pg.Pool,
  { watch, report }: { readonly watch: DatabaseWatch; readonly report: DatabaseReport | undefined },
) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const away = watch.away();
    if (away !== undefined) throw away;
    try {
      if (pool.waitingCount >= WAITING_MAX) throw new DatabaseBusy(OVERLOADED);
      return await work();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) watch.suspect(error);
      const errorClass = classOfError(error);
      if (errorClass !== undefined) report?.failed?.(errorClass);
      throw error;
    }
  };
}
