import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./service.ts";

/** A PostgreSQL of its own, as an operator would give one to several processes. */
export interface DatabaseServer {
  readonly url: string;
  stop(): Promise<void>;
}

interface Embedded {
  readonly connection: { readonly host: string; readonly port: number; readonly user: string };
  stop(): Promise<void>;
}

const MODULE = path.join(ROOT, "apps/server/dist/storage/embedded/embedded-postgres.js");

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = await mkdtemp(path.join(tmpdir(), "exchange-database-"));
  const { startEmbeddedPostgres } = (await import(pathToFileURL(MODULE).href)) as {
    startEmbeddedPostgres(options: {
      readonly dataDir: string;
      readonly log: (message: string) => void;
    }): Promise<Embedded>;
  };
  const dataDir = path.join(folder, "postgres");
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const { host, port, user } = server.connection;
  return {
    url: `postgres://${user}@localhost:${port}/postgres?host=${encodeURIComponent(host)}`,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
