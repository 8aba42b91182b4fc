import type { Config } from "../config.ts";
import { sealEarlierRows } from "../flows/customers/seal-earlier-rows.ts";
import type { Deps } from "../flows/deps.ts";
import { createDataKeyBox } from "../secrets/data-keys.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { checkSecretKeys } from "../start/check-secret-keys.ts";
import {
  type DatabaseServer,
  findDatabaseServer,
  lacksDatabase,
} from "../start/database-server.ts";
import { migrateDatabase, planDatabase } from "../start/migrate-database.ts";
import { requireEnvironment } from "../start/open-storage.ts";
import { openSafeDatabase } from "../start/safe-database.ts";
import { readSecretKeys } from "../start/secret-keys.ts";
import { StartError } from "../start/start-error.ts";
import type { EmbeddedPostgres } from "../storage/embedded/embedded-postgres.ts";
import { countServerConnections } from "../storage/postgres/connections.ts";
import type { Database } from "../storage/postgres/database.ts";
import type { Migrated } from "../storage/postgres/migrate.ts";
import type { CommandContext } from "./command.ts";

const WAIT_MS = 600_000;

export type CommandDeps = Pick<
  Deps,
  "environment" | "database" | "ids" | "secrets" | "dataKeys" | "webhookTargets"
>;

/**
 * Runs `work` on the service's database, also while the service runs. An embedded server that does not
 * run is started for it. It is stopped afterwards, unless a service has begun to use it.
 */
export async function withDatabase<T>(
  context: CommandContext,
  work: (deps: CommandDeps) => Promise<T>,
): Promise<T> {
  const config = context.config();
  requireInstallation(config);
  const ring = readSecretKeys(config);
  return withInstallation(context, async (database) => {
    await requireEnvironment(database, { config, ids: randomIds });
    await checkSecretKeys(database, ring, config.secretKeysFile);
    const secrets = createSecretBox(ring, config.environment);
    const dataKeys = createDataKeyBox(secrets, ring, config.environment);
    await sealEarlierRows({ database, secrets, dataKeys });
    return work({
      environment: config.environment,
      database,
      ids: randomIds,
      secrets,
      dataKeys,
      webhookTargets: { allowSandboxTargets: config.allowLoopbackWebhooks },
    });
  });
}

/** Refuses a data folder without a database, such as the default one when EXCHANGE_DATA_DIR was forgotten. */
export function requireInstallation(config: Pick<Config, "databaseUrl" | "dataDir">): void {
  if (!lacksDatabase(config)) return;
  throw new StartError(
    `There is no installation in ${config.dataDir}. Start the service once, or set EXCHANGE_DATA_DIR to that of the service.`,
  );
}

const MIGRATE_FIRST =
  "Make a backup and run: exchange migrate. Or start this version of the service.";

/**
 * Runs `work` on the database of an installation, without its secrets. Refuses pending migrations, because an
 * earlier version may be running and nobody has made a backup. A new database is migrated.
 */
export async function withInstallation<T>(
  context: CommandContext,
  work: (database: Database) => Promise<T>,
  advice = MIGRATE_FIRST,
): Promise<T> {
  const config = context.config();
  return withServer(config, context, async (database) => {
    const { applied, pending } = await planDatabase(database, config);
    const [next] = pending;
    if (applied.length > 0 && next !== undefined) {
      await requireEnvironment(database, { config, ids: randomIds });
      throw new StartError(
        `The database is of an earlier version: ${pending.length} migrations are pending, the first is ${next.name}. ` +
          `This command does not apply them. ${advice}`,
      );
    }
    await migrate(database, context);
    return work(database);
  });
}

/** Runs `work` on the migrated database. Makes the embedded one if there is none. */
export async function withMigratedDatabase<T>(
  context: CommandContext,
  work: (opened: { readonly database: Database; readonly migrated: Migrated }) => Promise<T>,
): Promise<T> {
  return onServer(context.config(), context, async (database) => {
    return work({ database, migrated: await migrate(database, context) });
  });
}

async function migrate(database: Database, context: CommandContext): Promise<Migrated> {
  const migrated = await migrateDatabase(database, context.config());
  const { applied } = migrated;
  if (applied.length > 0) context.progress(`applied ${applied.length} migrations`);
  return migrated;
}

/** Runs `work` on the database without migrating it. Its safety settings are checked. */
export async function withServer<T>(
  config: Config,
  context: Pick<CommandContext, "progress">,
  work: (database: Database, server: DatabaseServer) => Promise<T>,
): Promise<T> {
  requireInstallation(config);
  return onServer(config, context, work);
}

async function onServer<T>(
  config: Config,
  context: Pick<CommandContext, "progress">,
  work: (database: Database, server: DatabaseServer) => Promise<T>,
): Promise<T> {
  const server = await findDatabaseServer(config, context.progress);
  // A service that stops beside this command means to stop its PostgreSQL too.
  server.embedded?.release();
  if (server.embedded?.attached === false) context.progress("started PostgreSQL for this command");
  // Statements of one command wait for each other, for as long as a statement may take.
  const connection = { ...server.connection, poolSize: 1, waitMs: WAIT_MS };
  const database = await openSafeDatabase(connection).catch(async (error: Error) => {
    if (server.embedded?.attached === false) await server.embedded.stop();
    throw error;
  });
  try {
    return await work(database, server);
  } finally {
    if (server.embedded) await stopIfUnused(server.embedded, database);
    await database.close();
  }
}

/** Stops the server that this command started, unless another process uses it. */
async function stopIfUnused(embedded: EmbeddedPostgres, database: Database): Promise<void> {
  if (embedded.attached) return;
  if ((await countServerConnections(database)) === 0) await embedded.stop();
}
