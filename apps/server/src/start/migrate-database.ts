import type { Config } from "../config.ts";
import { migrateSandbox, planSandbox } from "../sandbox/migrate.ts";
import type { Database } from "../storage/postgres/database.ts";
import {
  type Migrated,
  type MigrationPlan,
  migrate,
  planMigrations,
} from "../storage/postgres/migrate.ts";

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

/** Compares the migrations of this version with the database, and changes nothing. */
export async function planDatabase(
  database: Database,
  { environment }: Pick<Config, "environment">,
): Promise<MigrationPlan> {
  const service = await planMigrations(database);
  if (environment === "prod") return service;
  const sandbox = await planSandbox(database);
  return {
    applied: [...service.applied, ...sandbox.applied],
    pending: [...service.pending, ...sandbox.pending],
    newer: [...service.newer, ...sandbox.newer],
    edited: [...service.edited, ...sandbox.edited],
  };
}
