import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Config } from "./config.ts";
import { armFailpoint } from "./failpoints.ts";
import { choosePort } from "./start/address.ts";
import { findDatabaseServer } from "./start/database-server.ts";
import { openLog } from "./start/log.ts";
import { runService } from "./start/run-service.ts";
import { readSecretKeys } from "./start/secret-keys.ts";
import type { Service } from "./start/service.ts";
import { makeStopList } from "./start/stop-list.ts";

export { readConfig } from "./config.ts";
export { runService } from "./start/run-service.ts";
export type { Service } from "./start/service.ts";

/** Builds everything and serves. Throws `StartError` with what to do; then nothing is left running. */
export async function startService(
  config: Config,
  options: { readonly progress: (line: string) => void },
): Promise<Service> {
  const log = openLog(config.logLevel);
  const warn = (message: string): void => log.warn(message);
  const stops = makeStopList(warn);
  try {
    armFailpoint(config.failpoint);
    const ring = readSecretKeys(config);
    const port = await choosePort(config);
    options.progress(config.databaseUrl ? "connecting to the database" : "starting PostgreSQL");
    // Loading the rest of the service takes longer than PostgreSQL's start, and goes beside it.
    const [server, { serve }] = await Promise.all([
      findDatabaseServer(config, warn),
      import("./serve.ts"),
    ]);
    return await serve({ ...options, config, ring, port, server, log, stops });
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

const isCommand =
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isCommand) await runService({ startService });
