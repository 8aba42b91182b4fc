import {
  type Database,
  type DatabaseOptions,
  type DatabaseReport,
  openDatabase,
  SESSION_SETTINGS,
  statement,
} from "../storage/postgres/database.ts";
import { DatabaseUnavailable } from "../storage/postgres/unavailable.ts";
import { StartError } from "./start-error.ts";

const VERSION_MIN = 150_000;
const READ_SAFETY = statement(
  "database_safety",
  `select current_setting('server_version_num')::int as version_number,
     current_setting('server_version') as version, current_setting('fsync') as fsync,
     current_setting('full_page_writes') as full_page_writes,
     current_setting('synchronous_commit') as synchronous_commit,
     current_setting('TimeZone') as time_zone, current_setting('jit') as jit,
     current_setting('plan_cache_mode') as plan_cache_mode,
     pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`,
);

interface SafetyRow {
  readonly version_number: number;
  readonly version: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly time_zone: string;
  readonly jit: string;
  readonly plan_cache_mode: string;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

/** Opens the database. Refuses one that may lose acknowledged writes. */
export async function openSafeDatabase(
  connection: DatabaseOptions,
  report?: DatabaseReport,
): Promise<Database> {
  const database = openDatabase(connection, report);
  try {
    const problems = await findDatabaseProblems(database);
    if (problems.length > 0) throw new StartError(problems.join("\n"));
    return database;
  } catch (error) {
    await database.close();
    throw error instanceof StartError ? error : unreachable(connection, error as Error);
  }
}

/** Returns a sentence for each setting that makes the database unsafe for money. */
async function findDatabaseProblems(database: Database): Promise<string[]> {
  const [row] = await database.query<SafetyRow>(READ_SAFETY);
  if (row === undefined)
    return ["The database did not return its settings. Check that DATABASE_URL names PostgreSQL."];
  const problems: string[] = [];
  if (row.version_number < VERSION_MIN) {
    problems.push(`The database is PostgreSQL ${row.version}; version 15 or later is needed.`);
  }
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"] as const) {
    if (row[name] !== "off") continue;
    problems.push(
      `The database runs with ${name} = off and would lose orders in a power cut. ` +
        `Set ${name} = on in its configuration and start again.`,
    );
  }
  if (row.is_standby || row.is_read_only) {
    const what = row.is_standby ? "a standby" : "read-only";
    problems.push(
      `The database is ${what}, so the service cannot write to it. Connect to the primary, or promote this ` +
        "server, and start again.",
    );
  }
  if (
    row.time_zone !== "UTC" ||
    row.jit !== "off" ||
    !row.plan_cache_mode.endsWith("generic_plan")
  ) {
    problems.push(
      "The pooler opens its connections without the session settings of the service. Add to its database in " +
        `[databases]: connect_query='${SESSION_SETTINGS.replaceAll("'", "''")}'`,
    );
  }
  return problems;
}

function unreachable(connection: DatabaseOptions, cause: Error): StartError {
  const { connectionString } = connection;
  const place =
    connectionString === undefined
      ? "the embedded PostgreSQL"
      : `the database of DATABASE_URL (${new URL(connectionString).host})`;
  const words = cause instanceof DatabaseUnavailable ? cause.reason : cause.message;
  return new StartError(
    `The service cannot use ${place}: ${words}. Check that it runs and that its user and password are right.`,
    { cause },
  );
}
