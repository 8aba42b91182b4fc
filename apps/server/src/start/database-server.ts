import { join } from "node:path";
import type { Config } from "../config.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../storage/embedded/embedded-postgres.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";

/** The connection of the database, and the embedded server if it is used. */
export interface DatabaseServer {
  readonly connection: DatabaseOptions;
  readonly embedded: EmbeddedPostgres | undefined;
}

/** Returns the server of DATABASE_URL, or the embedded one, which is started if it does not run. */
export async function findDatabaseServer(
  config: Pick<Config, "databaseUrl" | "dataDir" | "databaseConnections">,
  log: (message: string) => void,
): Promise<DatabaseServer> {
  // The watch has a connection of its own.
  const poolSize = config.databaseConnections - 1;
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl, poolSize }, embedded: undefined };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: join(config.dataDir, "postgres"), log });
  return { connection: { ...embedded.connection, poolSize }, embedded };
}
