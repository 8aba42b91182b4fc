import type { Database } from "../storage/postgres/database.ts";
import { type Migrated, migrate } from "../storage/postgres/migrate.ts";

/** Creates and updates the sandbox's own tables. `prod` has none of them. */
export const migrateSandbox = (database: Database): Promise<Migrated> =>
  migrate(database, {
    // The same folder from dist/sandbox as from src/sandbox.
    folder: new URL("../../src/sandbox/migrations/", import.meta.url),
    prefix: "sandbox/",
  });
