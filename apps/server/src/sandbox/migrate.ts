import type { Database } from "../storage/postgres/database.ts";
import {
  type Migrated,
  type MigrationPlan,
  type MigrationSet,
  migrate,
  planMigrations,
} from "../storage/postgres/migrate.ts";

const SANDBOX: MigrationSet = {
  // The same folder from dist/sandbox as from src/sandbox.
  folder: new URL("../../src/sandbox/migrations/", import.meta.url),
  prefix: "sandbox/",
};

/** Creates and updates the sandbox's own tables. `prod` has none of them. */
export const migrateSandbox = (database: Database): Promise<Migrated> => migrate(database, SANDBOX);

export const planSandbox = (database: Database): Promise<MigrationPlan> =>
  planMigrations(database, SANDBOX);
