import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { Config } from "./config.ts";
import { armFailpoint } from "./failpoints.ts";
import { choosePort, requireFreePorts } from "./start/address.ts";
import type { StartOptions } from "./start/compose.ts";
import { findDatabaseServer, lacksDatabase } from "./start/database-server.ts";
import { runService } from "./start/foreground.ts";
import { openLog } from "./start/log.ts";
import type { RunningService } from "./start/running-service.ts";
import { readSecretKeys } from "./start/secret-keys.ts";
import { makeStopList } from "./start/stop-list.ts";
import { exitOnUnhandledErrors } from "./start/unhandled.ts";

export { readConfig } from "./config.ts";
export { runService } from "./start/foreground.ts";
export type { RunningService } from "./start/running-service.ts";

/** The growth of the live heap, in percent, after which V8 collects garbage. By itself V8 waits for up to 300. */
const HEAP_GROWING_PERCENT = 100;

/** Builds and starts the service. Throws a `StartError` that says what to do. Nothing is left running then. */
export async function startService(config: Config, options: StartOptions): Promise<RunningService> {
  // If a port is in use, a first start fails before it creates the data folder.
  if (lacksDatabase(config)) {
    await requireFreePorts(config, { hasShop: options.demo?.shopUrl !== undefined });
  }
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  const log = openLog(config.logLevel);
  const warn = (message: string): void => log.warn(message);
  const stops = makeStopList(warn);
  exitOnUnhandledErrors(log, () => stops.stopAll());
  try {
    armFailpoint(config.failpoint);
    const ring = readSecretKeys(config);
    const port = await choosePort(config);
    options.progress(config.databaseUrl ? "connecting to the database" : "starting PostgreSQL");
    // Loading the rest of the service takes longer than PostgreSQL's start, so both run at once.
    const [server, { composeService }] = await Promise.all([
      findDatabaseServer(config, warn),
      import("./start/compose.ts"),
    ]);
    return await composeService({ ...options, config, ring, port, server, log, stops });
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

const isCommand =
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isCommand) await runService({ startService });
