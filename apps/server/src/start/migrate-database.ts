import type { Config } from "../config.ts";
import { migrateSandbox } from "../sandbox/migrate.ts";
import type { Database } from "../storage/postgres/database.ts";
import { type Migrated, migrate } from "../storage/postgres/migrate.ts";

/** Applies the service's migrations, and the sandbox's outside `prod`. Throws a `MigrationError`. */
export async function migrateDatabase(
  database: Database,
  { environment }: Pick<Config, "environment">,
): Promise<Migrated> {
  const service = await migrate(database);
  if (environment === "prod") return service;
  const sandbox = await migrateSandbox(database);
  return {
    applied: [...service.applied, ...sandbox.applied],
    checksumsRecorded: [...service.checksumsRecorded, ...sandbox.checksumsRecorded],
  };
}
