import { startAuditor } from "../auditor/auditor.ts";
import { startObserver } from "../auditor/observer.ts";
import { startConsolidations } from "../chains/coin-consolidation.ts";
import { registerHotWallets } from "../chains/hot-wallets.ts";
import type { Config } from "../config.ts";
import { sealEarlierRows } from "../flows/customers/seal-earlier-rows.ts";
import type { Deps } from "../flows/deps.ts";
import { watchTreasury } from "../flows/treasury/watch.ts";
import { startClearing } from "../jobs/clearing.ts";
import { startHoleFiller } from "../jobs/fill-holes.ts";
import { startSweeps } from "../jobs/sweep.ts";
import { type JobWorker, startJobs } from "../jobs/worker.ts";
import { mailWay, startAlertSender, webhookWay } from "../messages/alert-sender.ts";
import { startMails } from "../messages/mails.ts";
import { combine, makeMetrics, readProcessMetrics } from "../metrics/metrics.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { startDispatcher } from "../webhooks/dispatcher.ts";
import { type ApiProcesses, type Front, startApiProcesses } from "./api-processes.ts";
import { type BuiltDeps, buildDeps } from "./build-deps.ts";
import { checkSecretKeys } from "./check-secret-keys.ts";
import type { DatabaseServer } from "./database-server.ts";
import { type Demo, type DemoOptions, ensureDemo } from "./demo.ts";
import { type Draining, makeDraining } from "./draining.ts";
import { compareFirstStatement } from "./first-statement.ts";
import { followHistory } from "./follow-history.ts";
import { listenHealth } from "./health-port.ts";
import { openHistoryFile } from "./history-file.ts";
import { listen } from "./listen.ts";
import { reportDatabase } from "./log.ts";
import { type OpenStorage, openStorage } from "./open-storage.ts";
import { writePidFile } from "./pid-file.ts";
import { hasPrices, setGaugesOfProcess } from "./process-gauges.ts";
import { nameNetworks, readChains, startScanners } from "./rails/open-chains.ts";
import { openSenders } from "./rails/open-gateway.ts";
import { startFeeMeters } from "./rails/open-network-fees.ts";
import { openSweeps } from "./rails/open-sweeps.ts";
import { ownRoleOf, partsOfRole } from "./roles.ts";
import type { RunningService } from "./running-service.ts";
import { StartError } from "./start-error.ts";
import type { StopList } from "./stop-list.ts";
import { readVersion } from "./version.ts";
import { LOOPS, watchLoops } from "./watch-loops.ts";

export interface StartOptions {
  readonly progress: (line: string) => void;
  /** Asks for the demo merchant of `dev`. */
  readonly demo?: Pick<DemoOptions, "shopUrl"> | undefined;
}

/** The parts of a start that exist before the service is built. */
export interface StartedParts extends StartOptions {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly port: number;
  readonly server: DatabaseServer;
  readonly log: Deps["log"];
  readonly stops: StopList;
}

/** Builds the service on its database and starts the roles of this process. */
export async function composeService(parts: StartedParts): Promise<RunningService> {
  const { config, ring, port, server, log, stops, progress } = parts;
  const url = `http://localhost:${port}`;
  const warn = (message: string): void => log.warn(message);
  const registry = makeMetrics();
  const { metrics } = registry;
  const role = ownRoleOf(config);
  if (role) metrics.processInfo.set({ version: readVersion(), role }, 1);
  const report = reportDatabase(log, metrics);
  const storage = { config, server, ids: randomIds, address: url, stops, progress, warn, report };
  const opened = await openStorage(storage);
  const { database, connection, isRestricted } = opened;
  await checkSecretKeys(database, ring, config.secretKeysFile);
  const demo = await makeDemo(parts, opened);
  const publicUrl = config.publicUrl ?? url;
  const { runsWorkers, servesApi, servesConsole } = partsOfRole(config);
  if (isRestricted && servesConsole) throw consoleOfApi();
  const opens = runsWorkers && { openSenders: (of: SenderDeps) => openSenders(config, of) };
  const loops = watchLoops(log, runsWorkers ? LOOPS.worker : LOOPS.api);
  stops.add("loops", async () => loops.stop());
  const draining = makeDraining();
  const shownDemo = demo && { clientId: demo.clientId, keyFile: demo.keyFile };
  const own = { config, ring, database, publicUrl, demo: shownDemo, log, stops, metrics };
  // The worker needs the deps, so it is started after them.
  let jobs: JobWorker | undefined;
  const { isDraining } = draining;
  const options = { ...own, isDraining, beat: loops.beat, jobTaker: () => jobs, ...opens };
  const built = await buildDeps(options);
  const sealed = isRestricted ? 0 : await sealEarlierRows(built.deps);
  if (sealed > 0) progress(`sealed the personal data of ${sealed} rows of an earlier version`);
  const file = openHistoryFile(config.dataDir);
  const isEmbedded = server.embedded !== undefined;
  setGaugesOfProcess(registry, { deps: built.deps, rails: built.railStates, loops });
  stops.add("history", await followHistory({ database, log }, { file, isEmbedded, runsWorkers }));
  if (runsWorkers) jobs = await startWorkers({ config, built, stops });
  const front = { config, port, publicUrl, demo: shownDemo, connection };
  const api = servesApi ? await openApi(built, { front, log, stops, draining }) : undefined;
  const processes = [readProcessMetrics, registry.read, ...(api ? [api.readMetrics] : [])];
  const site = servesConsole ? await openConsole(built, config) : undefined;
  if (site) stops.add("console", site.close);
  if (config.healthPort !== 0) {
    const scrape = async () => combine(await Promise.all(processes.map((read) => read())));
    const health = { config, deps: built.deps, loops, isListening: api?.isListening, scrape };
    stops.add("health", await listenHealth(health));
  }
  return {
    url,
    config,
    deps: built.deps,
    console: site?.console,
    demo,
    drain: () => draining.begin(config),
    stop: () => stop(config, { url, stops }),
  };
}

/**
 * Makes the demo merchant before the service follows the configuration. The security log has the changes of a running
 * service, and the merchant that it starts with is not one.
 */
async function makeDemo(
  { config, ring, progress, demo }: StartedParts,
  { database, isRestricted }: OpenStorage,
): Promise<Demo | undefined> {
  if (demo === undefined || isRestricted) return undefined;
  const { environment, dataDir, allowLoopbackWebhooks } = config;
  const deps = {
    environment,
    database,
    ids: randomIds,
    secrets: createSecretBox(ring, environment),
    webhookTargets: { allowSandboxTargets: allowLoopbackWebhooks },
  };
  return ensureDemo(deps, { ...demo, dataDir, progress });
}

const consoleOfApi = (): StartError =>
  new StartError(
    "The role of the database is the API's, and it may not approve payouts. Let the console use the role that " +
      "`exchange database grants ROLE --for worker` made, or set EXCHANGE_CONSOLE_PORT=0.",
  );

/** Answers requests of merchants, in this process or in several of their own, which it returns. */
async function openApi(
  built: BuiltDeps,
  parts: Pick<StartedParts, "log" | "stops"> & {
    readonly front: Front & { readonly config: Config };
    readonly draining: Draining;
  },
): Promise<ApiProcesses | undefined> {
  const { front, log, stops, draining } = parts;
  if (front.config.apiProcesses <= 1) {
    stops.add("http", await listen(built, front));
    return undefined;
  }
  const api = await startApiProcesses(front, log);
  draining.add(api.drain);
  stops.add("http", api.stop);
  return api;
}

/** Loads the console late: few processes serve it. */
async function openConsole(built: BuiltDeps, config: Config) {
  const { listenConsole } = await import("./listen-console.ts");
  return listenConsole(built.deps, config);
}

type SenderDeps = Pick<Deps, "catalogue" | "log">;

/** No worker starts before the rails' first statement was compared, so a restored database pays nothing. */
async function startWorkers(parts: {
  readonly config: Config;
  readonly built: BuiltDeps;
  readonly stops: StopList;
}): Promise<JobWorker> {
  const { config, built, stops } = parts;
  const { sandbox, deps } = built;
  await nameNetworks(config, deps);
  const rails = await compareFirstStatement(deps);
  stops.add("first statement", () => rails.stop());
  const webhooks = startDispatcher({ ...deps, deliveryFaults: sandbox?.deliveryFaults });
  stops.add("webhooks", () => webhooks.stop());
  const { all = [], coins = [], deadlines = [], tanks = [] } = built.senders ?? {};
  const hot = [...all, ...coins, ...deadlines];
  const wallets = await registerHotWallets(deps, { hot, gas: tanks });
  stops.add("hot wallets", () => wallets.stop());
  const jobs = startJobs(deps, { mayRelease: rails.isCompared, isReady: wallets.isReady });
  stops.add("jobs", () => jobs.stop());
  const { fillPlacesAfterSeconds: afterSeconds } = config;
  stops.add("holes", startHoleFiller(deps, { afterSeconds, mayFill: rails.isCompared }));
  stops.add("clearing", startClearing(deps, config));
  const scanners = await startScanners(config, deps);
  stops.add("scanners", () => scanners.stop());
  const sweeps = { ...openSweeps(config, deps), mayMove: rails.isCompared };
  stops.add("sweeps", startSweeps(deps, sweeps));
  const consolidations = { senders: coins, mayMove: rails.isCompared };
  stops.add("consolidations", startConsolidations(deps, consolidations));
  const treasury = watchTreasury(deps);
  stops.add("treasury", () => treasury.stop());
  const chains = readChains(config, deps);
  const meters = await startFeeMeters(chains, deps);
  stops.add("fee meters", () => meters.stop());
  await built.networkFees.refresh();
  const auditor = startAuditor(deps);
  stops.add("auditor", () => auditor.stop());
  const { ways, mailer } = await openMessages(config, deps);
  const observer = startObserver(deps, {
    isAuditor: auditor.isAuditor,
    failingRails: built.railStates.failing,
    lowFloats: treasury.lowFloats,
    hasPrices: () => hasPrices(deps),
    liveNetworks: Object.keys(chains),
    channels: ways.map(({ channel }) => channel),
  });
  stops.add("observer", observer);
  for (const way of ways) stops.add("operator's messages", startAlertSender(deps, way));
  if (mailer) stops.add("mails", startMails(deps, { mailer, perHour: config.mailsPerHour }));
  return jobs;
}

/** Opens the ways in which messages leave a worker, as the settings choose them. */
async function openMessages(config: Config, { publicUrl }: Pick<Deps, "publicUrl">) {
  const { alertMail, alertWebhookUrl } = config;
  const mailer = await openMailer(config, publicUrl);
  const ways = [
    ...(alertWebhookUrl ? [webhookWay(alertWebhookUrl)] : []),
    ...(mailer && alertMail ? [mailWay(mailer, alertMail)] : []),
  ];
  return { mailer, ways };
}

/** Loads the library late: most installations begin without a mail server. */
async function openMailer({ smtpUrl: server, mailFrom: from }: Config, publicUrl: string) {
  if (server === undefined || from === undefined) return undefined;
  const { makeSmtpMailer } = await import("../adapters/smtp/mailer.ts");
  return makeSmtpMailer({ server, from, idHost: new URL(publicUrl).hostname });
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
