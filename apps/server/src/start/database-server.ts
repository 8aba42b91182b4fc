import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../storage/embedded/embedded-postgres.ts";
import { type Database, type DatabaseOptions, openDatabase } from "../storage/postgres/database.ts";
import { HISTORY_FILE, openHistoryFile } from "./history-file.ts";
import { StartError } from "./start-error.ts";

/** The connection of the database, and the embedded server if it is used. */
export interface DatabaseServer {
  readonly connection: DatabaseOptions;
  readonly embedded: EmbeddedPostgres | undefined;
}

/** Returns whether the database is in the data folder and was not made yet. Throws if this user may not look. */
export const lacksDatabase = ({
  databaseUrl,
  dataDir,
}: Pick<Config, "databaseUrl" | "dataDir">): boolean =>
  databaseUrl === undefined &&
  statSync(join(dataDir, "postgres", "PG_VERSION"), { throwIfNoEntry: false }) === undefined;

/**
 * Says that the data folder lacks its database and how to go on, where `history.json` shows that there was one: it was
 * deleted, or a backup was restored into another folder. Returns undefined elsewhere.
 */
export function describeLostDatabase(
  config: Pick<Config, "databaseUrl" | "dataDir">,
): { readonly found: string; readonly fix: string } | undefined {
  const { dataDir } = config;
  if (!lacksDatabase(config) || !openHistoryFile(dataDir).hasMarks()) return undefined;
  return {
    found: `${dataDir} has no database, and its ${HISTORY_FILE} is of one that was used before`,
    fix: `Put a backup back: exchange restore --from DIR (docs/operating/back-up.md). To begin with an empty database on purpose, move ${HISTORY_FILE} away.`,
  };
}

/**
 * Returns the server of DATABASE_URL, or the embedded one, which is started if it does not run. Makes no empty database
 * in place of a lost one.
 */
export async function findDatabaseServer(
  config: Pick<Config, "databaseUrl" | "databaseDirectUrl" | "dataDir" | "databaseConnections">,
  log: (message: string) => void,
): Promise<DatabaseServer> {
  // The watch has a connection of its own.
  const poolSize = config.databaseConnections - 1;
  if (config.databaseUrl !== undefined) {
    const direct = otherUrl(config.databaseUrl, config.databaseDirectUrl);
    const connection = {
      connectionString: config.databaseUrl,
      poolSize,
      ...(direct && { direct }),
    };
    return { connection, embedded: undefined };
  }
  const lost = describeLostDatabase(config);
  if (lost !== undefined) throw new StartError(`${lost.found}. ${lost.fix}`);
  const dataDir = join(config.dataDir, "postgres");
  const embedded = await startEmbeddedPostgres({ dataDir, log }).catch((error: Error) => {
    // An error of the system has a code, and its stack may be needed. The others are sentences.
    throw "code" in error ? error : new StartError(error.message, { cause: error });
  });
  return { connection: { ...embedded.connection, poolSize }, embedded };
}

/** The most reports that are read at the same time. */
const STANDBY_CONNECTIONS = 5;

/** Opens the standby that reports are read from, if one is named. It connects when it is first read. */
export function openStandby({
  databaseUrl = "postgres://",
  databaseStandbyUrl,
}: Pick<Config, "databaseUrl" | "databaseStandbyUrl">): Database | undefined {
  const connectionString = otherUrl(databaseUrl, databaseStandbyUrl);
  if (connectionString === undefined) return undefined;
  return openDatabase({ connectionString, poolSize: STANDBY_CONNECTIONS });
}

/** Returns another address of the database, with the user and the password of the first one where it names none. */
function otherUrl(databaseUrl: string, other: string | undefined): string | undefined {
  if (other === undefined) return undefined;
  const url = new URL(other);
  const { username, password } = new URL(databaseUrl);
  if (url.username !== "") return other;
  return Object.assign(url, { username, password }).href;
}
