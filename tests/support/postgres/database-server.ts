import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { vi } from "vitest";
import { loadBuilt } from "../service/built-module.ts";

/** A PostgreSQL server for several processes, as an operator provides one. */
export interface DatabaseServer {
  readonly url: string;
  /** Runs SQL, for changes that have no command yet. */
  run(text: string): Promise<void>;
  /** Restarts it as a standby, which can only be read until it is promoted. */
  becomeStandby(): Promise<void>;
  stop(): Promise<void>;
}

interface Embedded {
  readonly connection: { readonly host: string; readonly port: number; readonly user: string };
  pid(): number;
  stop(): Promise<void>;
}

interface OpenDatabase {
  query(statement: { readonly name: string; readonly text: string }): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Starts it in a new folder, or in one that already has a server's files in `postgres`. */
export async function startDatabaseServer(at?: string): Promise<DatabaseServer> {
  const folder = at ?? (await mkdtemp(path.join(tmpdir(), "exchange-database-")));
  const { startEmbeddedPostgres } = await loadBuilt<{
    startEmbeddedPostgres(options: {
      readonly dataDir: string;
      readonly log: (message: string) => void;
    }): Promise<Embedded>;
  }>("storage/embedded/embedded-postgres.js");
  const dataDir = path.join(folder, "postgres");
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const { host, port, user } = server.connection;
  const { openDatabase } = await loadBuilt<{
    openDatabase(connection: object): OpenDatabase;
  }>("storage/postgres/database.js");
  return {
    url: `postgres://${user}@localhost:${port}/postgres?host=${encodeURIComponent(host)}`,
    run: async (text) => {
      const database = openDatabase({ ...server.connection, poolSize: 1 });
      await database.query({ name: "run", text });
      await database.close();
    },
    becomeStandby: async () => {
      await writeFile(path.join(dataDir, "standby.signal"), "");
      const before = server.pid();
      process.kill(before, "SIGINT");
      // The embedded server is started again when it ends.
      await vi.waitUntil(() => server.pid() !== before, { timeout: 60_000 });
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
