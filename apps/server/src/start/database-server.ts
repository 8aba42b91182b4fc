import { join } from "node:path";
import type { Config } from "../config.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../storage/embedded/embedded-postgres.ts";
import type { DatabaseOptions } from "../storage/postgres/database.ts";

/** Where the database is, and the embedded server when it is ours. */
export interface DatabaseServer {
  readonly connection: DatabaseOptions;
  readonly embedded: EmbeddedPostgres | undefined;
}

/** The server of DATABASE_URL, or the embedded one, started or attached to. */
export async function findDatabaseServer(
  config: Pick<Config, "databaseUrl" | "dataDir">,
  log: (message: string) => void,
): Promise<DatabaseServer> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, embedded: undefined };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: join(config.dataDir, "postgres"), log });
  return { connection: embedded.connection, embedded };
}
