import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { migrateSandbox } from "../sandbox/migrate.ts";
import { isRunning } from "../storage/embedded/cluster.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../storage/embedded/embedded-postgres.ts";
import { type DatabaseOptions, openDatabase } from "../storage/postgres/database.ts";
import { migrate } from "../storage/postgres/migrate.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The server's own database, in which a file makes its copy of the migrated one. */
    storageServer: DatabaseOptions;
  }
}

/**
 * Autovacuum starts a process for each database in every interval. At the service's own interval of 5 seconds forty
 * databases cost three per cent of a core, and a run of the tests makes many more.
 */
const SETTINGS = ["autovacuum_naptime=60s"];

/** The migrated database that each test file gets a copy of. */
export const TEMPLATE_DATABASE = "exchange_template";

/** Real PostgreSQL for the storage tests: started once, migrated once and deleted at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-storage-"));
  const server = await startEmbeddedPostgres({
    dataDir: path.join(folder, "postgres"),
    settings: SETTINGS,
  });
  const discard = async (): Promise<void> => {
    await endAtOnce(server);
    await rm(folder, { recursive: true, force: true });
  };
  await makeTemplate(server.connection).catch(async (error: Error) => {
    await discard();
    throw error;
  });
  project.provide("storageServer", { ...server.connection });
  return discard;
}

/**
 * SIGQUIT is PostgreSQL's immediate shutdown. It writes nothing to disk, because the data is
 * deleted next.
 */
async function endAtOnce(server: EmbeddedPostgres): Promise<void> {
  server.release();
  const pid = server.pid();
  process.kill(pid, "SIGQUIT");
  while (isRunning(pid)) await sleep(5);
}

async function makeTemplate(connection: DatabaseOptions): Promise<void> {
  const server = openDatabase({ ...connection, poolSize: 1 });
  await server.query({ name: "make_template", text: `create database ${TEMPLATE_DATABASE}` });
  await server.close();
  const template = openDatabase({ ...connection, database: TEMPLATE_DATABASE, poolSize: 1 });
  await migrate(template);
  await migrateSandbox(template);
  await template.close();
}
