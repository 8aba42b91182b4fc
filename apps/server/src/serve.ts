import { startAuditor } from "./auditor/auditor.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./flows/deps.ts";
import { startClearing } from "./jobs/clearing.ts";
import { startJobs } from "./jobs/worker.ts";
import type { KeyRing } from "./secrets/key-ring.ts";
import { randomIds } from "./secrets/random-ids.ts";
import { startApiProcesses } from "./start/api-processes.ts";
import { type BuiltDeps, buildDeps, type Wakers } from "./start/build-deps.ts";
import type { DatabaseServer } from "./start/database-server.ts";
import { listen } from "./start/listen.ts";
import { openStorage } from "./start/open-storage.ts";
import type { Service } from "./start/service.ts";
import { writeServiceFile } from "./start/service-file.ts";
import type { StopList } from "./start/stop-list.ts";
import { startDispatcher } from "./webhooks/dispatcher.ts";

/** What a start has at hand before the service is built. */
export interface Begun {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly port: number;
  readonly server: DatabaseServer;
  readonly log: Deps["log"];
  readonly stops: StopList;
  readonly progress: (line: string) => void;
}

/** Builds the service on its database and starts its roles. */
export async function serve(begun: Begun): Promise<Service> {
  const { config, ring, port, server, log, stops, progress } = begun;
  const url = `http://localhost:${port}`;
  const warn = (message: string): void => log.warn(message);
  const storage = { config, server, ids: randomIds, address: url, stops, progress, warn };
  const { database, connection } = await openStorage(storage);
  const wakers: Wakers = { jobs: () => {}, webhooks: () => {} };
  const publicUrl = config.publicUrl ?? url;
  const built = await buildDeps({ config, ring, database, publicUrl, log, stops }, wakers);
  if (config.role !== "api") startWorkers({ built, wakers, stops });
  if (config.role !== "worker") {
    const front = { config, port, publicUrl, connection };
    const close = config.apiProcesses > 1 ? startApiProcesses(front, log) : listen(built, front);
    stops.add("http", await close);
  }
  return { url, config, deps: built.deps, stop: () => stop(config, { url, stops }) };
}

function startWorkers(parts: {
  readonly built: BuiltDeps;
  readonly wakers: Wakers;
  readonly stops: StopList;
}): void {
  const { built, wakers, stops } = parts;
  const { deps, sandbox } = built;
  const webhooks = startDispatcher({ ...deps, deliveryFaults: sandbox?.deliveryFaults });
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
  running: { readonly url: string; readonly stops: StopList },
): Promise<void> {
  if (config.databaseUrl === undefined) {
    const file = { pid: process.pid, address: running.url, state: "stopping" } as const;
    writeServiceFile(config.dataDir, file);
  }
  await running.stops.stopAll();
}
