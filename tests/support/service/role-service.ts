import { type DatabaseServer, startDatabaseServer } from "../postgres/database-server.ts";
import { exchange } from "./command-line.ts";
import { type StartedService, serviceSettings, startService } from "./service.ts";

/** The API and a worker as two processes, each with the role that `exchange database grants` made for it. */
export interface RoleService {
  /** Its settings are the worker's, as the operator's commands need them. Its address is the API's. */
  readonly api: StartedService;
  readonly worker: StartedService;
  readonly database: DatabaseServer;
  /** The database as each role opens it. */
  readonly urls: { readonly api: string; readonly worker: string };
  discard(): Promise<void>;
}

/** Returns the server's address with another user. */
const urlAs = (url: string, role: string): string => url.replace(/\/\/[^@]*@/, `//${role}@`);

/** Creates the roles and starts the processes. `beforeStart` runs when the roles exist and no process does. */
export async function startRoleService(
  beforeStart: (urls: RoleService["urls"]) => Promise<void>,
): Promise<RoleService> {
  const database = await startDatabaseServer();
  const { dataDir, env } = await serviceSettings({ env: { DATABASE_URL: database.url } });
  const urls = { api: "", worker: "" };
  for (const role of ["api", "worker"] as const) {
    const name = `exchange_${role}`;
    await database.run(`create role ${name} login`);
    const owner = { url: "", shopUrl: "", dataDir, env };
    const granted = await exchange(owner, "database", "grants", name, "--for", role);
    if (granted.status !== 0) throw new Error(granted.stderr);
    urls[role] = urlAs(database.url, name);
  }
  await beforeStart(urls);
  const settings = (role: "api" | "worker") => ({
    DATABASE_URL: urls[role],
    EXCHANGE_ROLE: role,
    SHOP_PORT: "0",
  });
  const worker = await startService({ dataDir, env: settings("worker") });
  const api = await startService({ dataDir, env: { ...env, ...settings("api") } });
  return {
    api: { ...api, env: { ...api.env, DATABASE_URL: urls.worker } },
    worker,
    database,
    urls,
    discard: async () => {
      await worker.stop();
      await api.discard();
      await database.stop();
    },
  };
}
