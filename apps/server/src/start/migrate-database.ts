import type { Config } from "../config.ts";
import { migrateSandbox, planSandbox } from "../sandbox/migrate.ts";
import { readEnvironment } from "../storage/installation.ts";
import type { Database } from "../storage/postgres/database.ts";
import {
  type Migrated,
  type MigrationPlan,
  migrate,
  planMigrations,
} from "../storage/postgres/migrate.ts";
import { StartError } from "./start-error.ts";

/**
 * Applies the service's migrations, and the sandbox's outside `prod`. Throws a `MigrationError`. Throws a `StartError`
 * before it changes anything when the database belongs to another environment.
 */
export async function migrateDatabase(
  database: Database,
  { environment }: Pick<Config, "environment">,
): Promise<Migrated> {
  const found = await readEnvironment(database);
  if (found !== undefined && found !== environment) throw otherEnvironment(found, environment);
  const service = await migrate(database);
  if (environment === "prod") return service;
  const sandbox = await migrateSandbox(database);
  return {
    applied: [...service.applied, ...sandbox.applied],
    checksumsRecorded: [...service.checksumsRecorded, ...sandbox.checksumsRecorded],
  };
}

export const otherEnvironment = (found: string, environment: string): StartError =>
  new StartError(
    `This database belongs to an installation of ${found}, and EXCHANGE_ENV is ${environment}. ` +
      "One database serves one environment: use another database, or correct EXCHANGE_ENV.",
  );

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
