import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { destination, pino } from "pino";
import { startAuditor } from "./auditor/auditor.ts";
import type { Config } from "./config.ts";
import { armFailpoint } from "./failpoints.ts";
import type { Deps } from "./flows/deps.ts";
import { startClearing } from "./jobs/clearing.ts";
import { startJobs } from "./jobs/worker.ts";
import { randomIds } from "./secrets/random-ids.ts";
import { choosePort } from "./start/address.ts";
import { startApiProcesses } from "./start/api-processes.ts";
import { buildDeps, type Wakers } from "./start/build-deps.ts";
import { listen } from "./start/listen.ts";
import { openStorage } from "./start/open-storage.ts";
import { runService } from "./start/run-service.ts";
import { readSecretKeys } from "./start/secret-keys.ts";
import type { Service } from "./start/service.ts";
import { writeServiceFile } from "./start/service-file.ts";
import { makeStopList } from "./start/stop-list.ts";
import { startDispatcher } from "./webhooks/dispatcher.ts";

export { readConfig } from "./config.ts";
export { runService } from "./start/run-service.ts";
export type { Service } from "./start/service.ts";

/** Builds everything and serves. Throws `StartError` with what to do; then nothing is left running. */
export async function startService(
  config: Config,
  options: { readonly progress: (line: string) => void },
): Promise<Service> {
  const log = pino({ level: config.logLevel }, destination(2));
  const warn = (message: string): void => log.warn(message);
  const stops = makeStopList(warn);
  try {
    armFailpoint(config.failpoint);
    const ring = readSecretKeys(config);
    const port = await choosePort(config);
    const url = `http://localhost:${port}`;
    const { database, connection } = await openStorage({
      config,
      ids: randomIds,
      address: url,
      stops,
      progress: options.progress,
      warn,
    });
    const wakers: Wakers = { jobs: () => {}, webhooks: () => {} };
    const publicUrl = config.publicUrl ?? url;
    const deps = await buildDeps({ config, ring, database, publicUrl, log, stops }, wakers);
    if (config.role !== "api") startWorkers({ deps, wakers, stops });
    if (config.role !== "worker") {
      const front = { config, port, publicUrl, connection };
      const close = config.apiProcesses > 1 ? startApiProcesses(front, log) : listen(deps, front);
      stops.add("http", await close);
    }
    return { url, config, deps, stop: () => stop(config, { url, stops }) };
  } catch (error) {
    await stops.stopAll();
    throw error;
  }
}

function startWorkers(parts: {
  readonly deps: Deps;
  readonly wakers: Wakers;
  readonly stops: ReturnType<typeof makeStopList>;
}): void {
  const { deps, wakers, stops } = parts;
  const webhooks = startDispatcher(deps);
  wakers.webhooks = () => webhooks.wake();
  stops.add("webhooks", () => webhooks.stop());
  const jobs = startJobs(deps);
  wakers.jobs = () => jobs.wake();
  wakers.jobTaker = jobs;
  stops.add("jobs", () => jobs.stop());
  stops.add("clearing", startClearing(deps));
  const auditor = startAuditor(deps);
  stops.add("auditor", () => auditor.stop());
}

async function stop(
  config: Config,
  running: { readonly url: string; readonly stops: ReturnType<typeof makeStopList> },
): Promise<void> {
  if (config.databaseUrl === undefined) {
    const file = { pid: process.pid, address: running.url, state: "stopping" } as const;
    writeServiceFile(config.dataDir, file);
  }
  await running.stops.stopAll();
}

const isCommand =
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isCommand) await runService({ startService });
