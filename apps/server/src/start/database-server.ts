import { join } from "node:path";
import type { Config } from "../config.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../storage/embedded/embedded-postgres.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";
import { StartError } from "./start-error.ts";

/** The connection of the database, and the embedded server if it is used. */
export interface DatabaseServer {
  readonly connection: DatabaseOptions;
  readonly embedded: EmbeddedPostgres | undefined;
}

/** Returns the server of DATABASE_URL, or the embedded one, which is started if it does not run. */
export async function findDatabaseServer(
  config: Pick<Config, "databaseUrl" | "databaseDirectUrl" | "dataDir" | "databaseConnections">,
  log: (message: string) => void,
): Promise<DatabaseServer> {
  // The watch has a connection of its own.
  const poolSize = config.databaseConnections - 1;
  if (config.databaseUrl !== undefined) {
    const direct = directUrl(config.databaseUrl, config.databaseDirectUrl);
    const connection = {
      connectionString: config.databaseUrl,
      poolSize,
      ...(direct && { direct }),
    };
    return { connection, embedded: undefined };
  }
  const dataDir = join(config.dataDir, "postgres");
  const embedded = await startEmbeddedPostgres({ dataDir, log }).catch((error: Error) => {
    // An error of the system has a code, and its stack may be needed. The others are sentences.
    throw "code" in error ? error : new StartError(error.message, { cause: error });
  });
  return { connection: { ...embedded.connection, poolSize }, embedded };
}

/** Returns the address past the pooler, with the user and the password of the other one where it names none. */
function directUrl(databaseUrl: string, direct: string | undefined): string | undefined {
  if (direct === undefined) return undefined;
  const url = new URL(direct);
  const { username, password } = new URL(databaseUrl);
  if (url.username !== "") return direct;
  return Object.assign(url, { username, password }).href;
}
