// The program of one API process. Several share the port. The main process starts and stops them.
import { readConfig } from "../config.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { answerMetrics } from "./api-metrics.ts";
import {
  type ApiProcessState,
  type ApiProcessTask,
  DRAIN,
  STOP,
  TASK_VARIABLE,
} from "./api-processes.ts";
import { buildDeps } from "./build-deps.ts";
import { checkSecretKeys } from "./check-secret-keys.ts";
import { makeDraining } from "./draining.ts";
import { listen } from "./listen.ts";
import { openLog, reportDatabase } from "./log.ts";
import { setGaugesOfProcess } from "./process-gauges.ts";
import { openSafeDatabase } from "./safe-database.ts";
import { readSecretKeys } from "./secret-keys.ts";
import { makeStopList } from "./stop-list.ts";
import { exitOnUnhandledErrors } from "./unhandled.ts";
import { readVersion } from "./version.ts";

const config = readConfig(process.env);
const log = openLog(config.logLevel);
const stops = makeStopList((message) => log.warn(message));
exitOnUnhandledErrors(log, () => stops.stopAll());
// Nobody reads the report after the main process has closed the channel.
const report = (state: ApiProcessState): void => void process.send?.(state, () => {});
let stopping: Promise<void> | undefined;
const stop = (): Promise<void> => {
  stopping ??= stops.stopAll().then(() => process.exit());
  return stopping;
};
// Ctrl-C reaches every process of the terminal. The main process decides when this one stops.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
const draining = makeDraining();
// The main process drains all of its API processes at once, and then stops them.
process.on("message", (message) => {
  if (message === DRAIN) void draining.begin(config);
  if (message === STOP) void stop();
});
process.once("SIGTERM", () => void draining.begin(config).then(stop));
// The main process may end at any time. Without its channel `listen` would wait for it forever.
process.once("disconnect", () => void stop());
if (!process.connected) await stop();

const task: ApiProcessTask = JSON.parse(process.env[TASK_VARIABLE] ?? "{}");
const { port, publicUrl, demo, connection } = task;
try {
  const registry = makeMetrics();
  const { metrics } = registry;
  metrics.processInfo.set({ version: readVersion(), role: "api" }, 1);
  const database = await openSafeDatabase(connection, reportDatabase(log, metrics));
  stops.add("database", () => database.close());
  const ring = readSecretKeys(config);
  await checkSecretKeys(database, ring, config.secretKeysFile);
  const { isDraining } = draining;
  const served = { config, ring, database, publicUrl, demo, log };
  const options = { ...served, stops, metrics, isDraining };
  const built = await buildDeps(options);
  setGaugesOfProcess(registry, {
    deps: built.deps,
    rails: built.railStates,
    loops: undefined,
  });
  answerMetrics(registry);
  stops.add("http", await listen(built, { config, port }));
  report({ kind: "ready" });
} catch (error) {
  await stops.stopAll();
  report({ kind: "failed", message: (error as Error).message });
  process.exitCode = 1;
  if (process.connected) process.disconnect?.();
}
