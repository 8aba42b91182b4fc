// The program of one API process. Several share the port. The main process starts and stops them.
import { readConfig } from "../config.ts";
import { type ApiProcessState, type ApiProcessTask, TASK_VARIABLE } from "./api-processes.ts";
import { buildDeps } from "./build-deps.ts";
import { listen } from "./listen.ts";
import { openLog, reportDatabase } from "./log.ts";
import { openSafeDatabase } from "./safe-database.ts";
import { readSecretKeys } from "./secret-keys.ts";
import { makeStopList } from "./stop-list.ts";
import { exitOnUnhandledErrors } from "./unhandled.ts";

const config = readConfig(process.env);
const log = openLog(config.logLevel);
const stops = makeStopList((message) => log.warn(message));
exitOnUnhandledErrors(log, () => stops.stopAll());
const report = (state: ApiProcessState): void => void process.send?.(state);
const stop = async (): Promise<void> => {
  await stops.stopAll();
  process.exit(0);
};
// Ctrl-C reaches every process of the terminal. The main process decides when this one stops.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.once("SIGTERM", () => void stop());

const task: ApiProcessTask = JSON.parse(process.env[TASK_VARIABLE] ?? "{}");
const { port, publicUrl, connection } = task;
try {
  const database = await openSafeDatabase(connection, reportDatabase(log));
  stops.add("database", () => database.close());
  const ring = readSecretKeys(config);
  const noWorkers = { jobs: () => {}, webhooks: () => {} };
  const built = await buildDeps({ config, ring, database, publicUrl, log, stops }, noWorkers);
  stops.add("http", await listen(built, { config, port }));
  process.once("disconnect", () => void stop());
  report({ kind: "ready" });
} catch (error) {
  await stops.stopAll();
  report({ kind: "failed", message: (error as Error).message });
  process.disconnect?.();
  process.exitCode = 1;
}
