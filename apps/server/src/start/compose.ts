import { startAuditor } from "../auditor/auditor.ts";
import { registerHotWallets } from "../chains/hot-wallets.ts";
import type { Config } from "../config.ts";
import { sealEarlierRows } from "../flows/customers/seal-earlier-rows.ts";
import type { Deps } from "../flows/deps.ts";
import { watchTreasury } from "../flows/treasury/watch.ts";
import { startClearing } from "../jobs/clearing.ts";
import { startHoleFiller } from "../jobs/fill-holes.ts";
import { startSweeps } from "../jobs/sweep.ts";
import { startJobs } from "../jobs/worker.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { startDispatcher } from "../webhooks/dispatcher.ts";
import { startApiProcesses } from "./api-processes.ts";
import { type BuiltDeps, buildDeps, type Wakers } from "./build-deps.ts";
import type { DatabaseServer } from "./database-server.ts";
import { compareFirstStatement } from "./first-statement.ts";
import { followHistory } from "./follow-history.ts";
import { listenHealth } from "./health-port.ts";
import { openHistoryFile } from "./history-file.ts";
import { listen } from "./listen.ts";
import { reportDatabase } from "./log.ts";
import { openStorage } from "./open-storage.ts";
import { writePidFile } from "./pid-file.ts";
import { readChains, startScanners } from "./rails/open-chains.ts";
import { openSenders } from "./rails/open-gateway.ts";
import { startFeeMeters } from "./rails/open-network-fees.ts";
import { openSweeps } from "./rails/open-sweeps.ts";
import type { RunningService } from "./running-service.ts";
import type { StopList } from "./stop-list.ts";
import { type LoopWatch, watchLoops } from "./watch-loops.ts";

/** The parts of a start that exist before the service is built. */
export interface StartedParts {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly port: number;
  readonly server: DatabaseServer;
  readonly log: Deps["log"];
  readonly stops: StopList;
  readonly progress: (line: string) => void;
}

/** Builds the service on its database and starts the roles of this process. */
export async function composeService(parts: StartedParts): Promise<RunningService> {
  const { config, ring, port, server, log, stops, progress } = parts;
  const url = `http://localhost:${port}`;
  const warn = (message: string): void => log.warn(message);
  const report = reportDatabase(log);
  const storage = { config, server, ids: randomIds, address: url, stops, progress, warn, report };
  const { database, connection, isRestricted } = await openStorage(storage);
  const wakers: Wakers = { jobs: () => {}, webhooks: () => {} };
  const publicUrl = config.publicUrl ?? url;
  const opens =
    config.role === "api" ? {} : { openSenders: (of: SenderDeps) => openSenders(config, of) };
  const options = { config, ring, database, publicUrl, log, stops, ...opens };
  const built = await buildDeps(options, wakers);
  const sealed = isRestricted ? 0 : await sealEarlierRows(built.deps);
  if (sealed > 0) progress(`sealed the personal data of ${sealed} rows of an earlier version`);
  const file = openHistoryFile(config.dataDir);
  const isEmbedded = server.embedded !== undefined;
  const loops = config.role === "api" ? undefined : watchLoops(log);
  const runsWorkers = loops !== undefined;
  stops.add("history", await followHistory({ database, log }, { file, isEmbedded, runsWorkers }));
  if (loops) await startWorkers({ config, built, wakers, stops, loops });
  if (config.role !== "worker") {
    const front = { config, port, publicUrl, connection };
    const close = config.apiProcesses > 1 ? startApiProcesses(front, log) : listen(built, front);
    stops.add("http", await close);
  }
  if (config.healthPort !== 0) {
    stops.add("health", await listenHealth({ config, deps: built.deps, loops }));
  }
  return { url, config, deps: built.deps, stop: () => stop(config, { url, stops }) };
}

type SenderDeps = Pick<Deps, "catalogue" | "log">;

/** No worker starts before the rails' first statement was compared, so a restored database pays nothing. */
async function startWorkers(parts: {
  readonly config: Config;
  readonly built: BuiltDeps;
  readonly wakers: Wakers;
  readonly stops: StopList;
  readonly loops: LoopWatch;
}): Promise<void> {
  const { config, built, wakers, stops, loops } = parts;
  const { sandbox } = built;
  const deps = { ...built.deps, beat: loops.beat };
  stops.add("loops", async () => loops.stop());
  const rails = await compareFirstStatement(deps);
  stops.add("first statement", () => rails.stop());
  const webhooks = startDispatcher({ ...deps, deliveryFaults: sandbox?.deliveryFaults });
  wakers.webhooks = () => webhooks.wake();
  stops.add("webhooks", () => webhooks.stop());
  const { all = [], coins = [], deadlines = [], tanks = [] } = built.senders ?? {};
  const hot = [...all, ...coins, ...deadlines];
  const wallets = await registerHotWallets(deps, { hot, gas: tanks });
  stops.add("hot wallets", () => wallets.stop());
  const jobs = startJobs(deps, { mayRelease: rails.isCompared, isReady: wallets.isReady });
  wakers.jobs = () => jobs.wake();
  wakers.jobTaker = jobs;
  stops.add("jobs", () => jobs.stop());
  const { fillPlacesAfterSeconds: afterSeconds } = config;
  stops.add("holes", startHoleFiller(deps, { afterSeconds, mayFill: rails.isCompared }));
  stops.add("clearing", startClearing(deps, config));
  const scanners = await startScanners(config, deps);
  stops.add("scanners", () => scanners.stop());
  const sweeps = { ...openSweeps(config, deps), mayMove: rails.isCompared };
  stops.add("sweeps", startSweeps(deps, sweeps));
  stops.add("treasury", watchTreasury(deps));
  const meters = await startFeeMeters(readChains(config, deps), deps);
  stops.add("fee meters", () => meters.stop());
  await built.networkFees.refresh();
  const auditor = startAuditor(deps);
  stops.add("auditor", () => auditor.stop());
}

async function stop(
  config: Config,
  running: { readonly url: string; readonly stops: StopList },
): Promise<void> {
  if (config.databaseUrl === undefined) {
    const file = { pid: process.pid, address: running.url, state: "stopping" } as const;
    writePidFile(config.dataDir, file);
  }
  await running.stops.stopAll();
}
