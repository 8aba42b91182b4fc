import type { Config } from "../config.ts";
import type { IdSource } from "../domain/ports/id-source.ts";
import { CatalogueError, loadCatalogue, readCatalogue } from "../storage/catalogue/catalogue.ts";
import { ensureInstallation } from "../storage/installation.ts";
import { endLeases } from "../storage/jobs/leases.ts";
import type { Database, DatabaseOptions, DatabaseReport } from "../storage/postgres/database.ts";
import { type RoleRights, readRoleRights } from "../storage/postgres/grants.ts";
import { lockDataFolder } from "./data-folder-lock.ts";
import type { DatabaseServer } from "./database-server.ts";
import { migrateDatabase, otherEnvironment } from "./migrate-database.ts";
import { removePidFile, writePidFile } from "./pid-file.ts";
import { partsOfRole } from "./roles.ts";
import { openSafeDatabase } from "./safe-database.ts";
import { StartError } from "./start-error.ts";
import type { StopList } from "./stop-list.ts";

export interface StorageOptions {
  readonly config: Config;
  readonly server: DatabaseServer;
  readonly ids: IdSource;
  readonly address: string;
  readonly stops: StopList;
  readonly progress: (line: string) => void;
  readonly warn: (message: string) => void;
  readonly report: DatabaseReport;
}

export interface OpenStorage {
  readonly database: Database;
  /** For other processes that use the same database. */
  readonly connection: DatabaseOptions;
  /** The role of the database is the API's: it cannot change the catalogue or write money. */
  readonly isRestricted: boolean;
}

/** Opens the database: locks an embedded one, migrates it, checks its environment, loads the catalogue. */
export async function openStorage(options: StorageOptions): Promise<OpenStorage> {
  const { server, stops, progress } = options;
  await claimEmbedded(options);
  const database = await openSafeDatabase(server.connection, options.report);
  stops.add("database", () => database.close());
  const { applied } = await migrateDatabase(database, options.config);
  if (applied.length > 0) progress(`applied ${applied.length} migrations`);
  const rights = await readRoleRights(database);
  requireRights(options.config, rights);
  const { role, mayPay } = rights;
  const isRestricted = !mayPay;
  if (isRestricted) await requireCatalogue(database, role);
  await requireEnvironment(database, options);
  if (!isRestricted) await refreshCatalogue(database, options);
  // Only this service uses an embedded database, so the holders of its leases have ended.
  if (server.embedded) await endLeases(database);
  return { database, connection: server.connection, isRestricted };
}

/** A process with the role of another kind of process would start, and then refuse or fail each call. */
function requireRights(config: Config, { role, mayPay, mayPlaceOrders }: RoleRights): void {
  const { servesApi, runsWorkers } = partsOfRole(config);
  if ((mayPlaceOrders || !servesApi) && (mayPay || !runsWorkers)) return;
  throw new StartError(
    `The role ${role} of the database lacks the rights of this process. Use the role that ` +
      `\`exchange database grants ROLE --for ${config.role}\` made.`,
  );
}

/** The API's role cannot write the catalogue, so it uses the one that a worker loaded. */
async function requireCatalogue(database: Database, role: string): Promise<void> {
  const { currencies } = await readCatalogue(database);
  if (currencies.length > 0) return;
  throw new StartError(
    `The database has no catalogue yet, and its role ${role} may not load one. Start a worker first ` +
      "(EXCHANGE_ROLE=worker), with the role that `exchange database grants ROLE --for worker` made.",
  );
}

/** Claims an embedded server for this service. When another service holds it, it is left running. */
async function claimEmbedded(options: StorageOptions): Promise<void> {
  const { embedded, connection } = options.server;
  if (embedded === undefined) return;
  const { config, stops, address } = options;
  if (embedded.attached) options.progress("found PostgreSQL running");
  const lock = await lockDataFolder(connection, {
    dataDir: config.dataDir,
    lost: (error) => options.warn(error.message),
  }).catch((error: Error) => {
    embedded.release();
    throw error;
  });
  writePidFile(config.dataDir, { pid: process.pid, address, state: "running" });
  stops.add("service file", async () => removePidFile(config.dataDir));
  stops.add("PostgreSQL", () => lock.release(() => embedded.stop()));
}

/** Checks that the database is of our environment. The first start sets it permanently. */
export async function requireEnvironment(
  database: Database,
  options: Pick<StorageOptions, "config" | "ids">,
): Promise<void> {
  const { environment } = options.config;
  const orderIdKey = options.ids.bytes(32);
  const found = await ensureInstallation(database, { environment, orderIdKey });
  if (found === environment) return;
  throw otherEnvironment(found, environment);
}

async function refreshCatalogue(database: Database, options: StorageOptions): Promise<void> {
  try {
    const { changed } = await loadCatalogue(database, options.config.catalogueDir);
    if (changed > 0) options.progress(`loaded ${changed} items of the catalogue`);
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    throw new StartError(`The catalogue is not valid. ${error.message}`, { cause: error });
  }
}
