import { CONFIG_CHANGED_CHANNEL } from "./catalogue/config-version.ts";
import { type Queryable, statement, type Tx } from "./postgres/database.ts";

const INSERT = statement(
  "installation_insert",
  `insert into installation (environment, order_id_key) values ($1, $2)
   on conflict do nothing`,
);
const READ = statement("installation_read", "select environment from installation");
const HAS_TABLE = statement(
  "installation_has_table",
  "select to_regclass('installation') is not null as exists",
);

const DESCRIBE = statement(
  "installation_describe",
  `select current_setting('server_version') as version,
     (select environment from installation) as environment,
     (select count(*)::int from migrations) as migrations`,
);

const ADVANCE_CLOCK = statement(
  "installation_advance_clock",
  "select advance_business_clock($1) as ahead_seconds",
);
const NOTIFY_CLOCK = statement(
  "installation_notify_clock",
  `select pg_notify('${CONFIG_CHANGED_CHANNEL}', '')`,
);

/**
 * Moves the business clock forward and notifies every process. Returns the seconds by which the clock is then
 * ahead of real time. Returns undefined when it would be too far ahead, and always in `prod`.
 */
export async function advanceBusinessClock(tx: Tx, seconds: number): Promise<number | undefined> {
  const [row] = await tx.query<{ ahead_seconds: string | null }>(ADVANCE_CLOCK, [seconds]);
  if (row === undefined || row.ahead_seconds === null) return undefined;
  await tx.query(NOTIFY_CLOCK);
  return Number(row.ahead_seconds);
}

/**
 * Inserts the installation's only row at its first start. Later starts do not change the row. Returns the
 * environment that the database belongs to.
 */
export async function ensureInstallation(
  queryable: Queryable,
  first: { readonly environment: string; readonly orderIdKey: Uint8Array },
): Promise<string> {
  const [found] = await queryable.query<{ environment: string }>(READ);
  if (found) return found.environment;
  await queryable.query(INSERT, [first.environment, Buffer.from(first.orderIdKey)]);
  const [row] = await queryable.query<{ environment: string }>(READ);
  if (row === undefined) throw new Error("The table installation has no row. Run the migrations.");
  return row.environment;
}

type Environment = "dev" | "staging" | "prod";

/** Reads the environment that the database belongs to, migrated or not. Undefined before the first start. */
export async function readEnvironment(queryable: Queryable): Promise<Environment | undefined> {
  const [table] = await queryable.query<{ exists: boolean }>(HAS_TABLE);
  if (table?.exists !== true) return undefined;
  const [row] = await queryable.query<{ environment: Environment }>(READ);
  return row?.environment;
}

export interface Installation {
  /** The version of PostgreSQL. */
  readonly version: string;
  /** The number of migrations that the database has. */
  readonly migrations: number;
  /** Null before the first start. */
  readonly environment: string | null;
}

/** Reads what a database is. It fails on one that was never migrated. */
export async function readInstallation(queryable: Queryable): Promise<Installation> {
  const [row] = await queryable.query<Installation>(DESCRIBE);
  if (row === undefined) throw new Error("The database did not describe itself.");
  return row;
}
