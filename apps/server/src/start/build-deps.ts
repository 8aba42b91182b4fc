import { operatorOf } from "../config/settings/operator.ts";
import type { Config } from "../config.ts";
import { capsOfEuro } from "../domain/orders/open-orders.ts";
import type { MerchantDirectory } from "../domain/ports/merchant-directory.ts";
import type { Deps } from "../flows/deps.ts";
import { makeLookUp } from "../flows/merchants/look-up.ts";
import { makeOrderIds } from "../flows/orders/order-ids.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { makeSandbox, type Sandbox } from "../sandbox/sandbox.ts";
import { createDataKeyBox } from "../secrets/data-keys.ts";
import { deriveKey, type KeyRing } from "../secrets/key-ring.ts";
import { createOrderPages } from "../secrets/order-pages.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { createTokenSigner } from "../secrets/tokens.ts";
import { watchConfig } from "../storage/catalogue/config-version.ts";
import { makeRateCounters } from "../storage/limits/rate-windows.ts";
import type { Database } from "../storage/postgres/database.ts";
import { compareClocks, makeSyncedClock, type SyncedClock } from "./business-clock.ts";
import { openStandby } from "./database-server.ts";
import { followHeadroom } from "./follow-headroom.ts";
import { migrateDatabase } from "./migrate-database.ts";
import { observeWork } from "./open-tracing.ts";
import type { RailStates } from "./rail-states.ts";
import type { ChainChoices } from "./rails/chain-choices.ts";
import { readStored, type Snapshot, snapshotOf } from "./rails/offered-catalogue.ts";
import { readChains, withLiveStock } from "./rails/open-chains.ts";
import { openChain, type Senders } from "./rails/open-gateway.ts";
import { type FollowedFees, followNetworkFees } from "./rails/open-network-fees.ts";
import { NO_PRICES, openRates } from "./rails/open-rates.ts";
import { openSafeDatabase } from "./safe-database.ts";
import type { StopList } from "./stop-list.ts";

export interface DepsOptions {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly database: Database;
  readonly publicUrl: string;
  readonly demo?: Deps["demo"];
  readonly log: Deps["log"];
  readonly stops: StopList;
  readonly metrics: Metrics;
  readonly isDraining?: Deps["isDraining"];
  readonly beat?: Deps["beat"];
  /** Absent where no worker runs in this process. */
  readonly jobTaker?: Deps["jobTaker"];
  /** Opens the senders of live networks. Only a process that works on jobs has them. */
  readonly openSenders?: (deps: Pick<Deps, "catalogue" | "log">) => Senders | undefined;
}

export interface BuiltDeps {
  readonly deps: Deps;
  readonly sandbox: Sandbox | undefined;
  readonly senders: Senders | undefined;
  readonly railStates: RailStates;
  readonly networkFees: Pick<FollowedFees, "refresh">;
}

/** Builds the dependencies of flows, jobs and http. */
export async function buildDeps(options: DepsOptions): Promise<BuiltDeps> {
  const { config, ring, database, publicUrl, demo, log, stops } = options;
  const clock = makeSyncedClock(() => performance.now());
  const books = await openSandboxBooks(options);
  if (books !== database) stops.add("sandbox's books", () => books.close());
  const callbackSecrets = callbackSecretsOf(ring);
  const catalogue = () => snapshots.catalogue();
  const sandbox = buildSandbox({ ...options, books, callbackSecrets }, { catalogue });
  const rails = railsOf(sandbox);
  const snapshots = await followConfiguration(options, { clock, rails });
  const secrets = createSecretBox(ring, config.environment);
  const rates = openRates(config, {
    catalogue: snapshots.catalogue,
    warn: (message) => log.warn(message),
  });
  if (rates) stops.add("prices", () => rates.stop());
  else log.warn(NO_PRICES);
  const chains = readChains(config, snapshots);
  const networkFees = await followNetworkFees(chains, { ...snapshots, database, log });
  stops.add("network fees", () => networkFees.stop());
  const senders = options.openSenders?.({ ...snapshots, log });
  const { all = [], coins = [], deadlines = [], tanks = [] } = senders ?? {};
  for (const sender of [...all, ...coins, ...deadlines, ...tanks]) {
    stops.add("sender", () => sender.close());
  }
  const chain = openChain(config, { ...snapshots, database }, { base: rails.chain, senders });
  const { railStates, observed } = await observeWork(options, { ...rails, chain });
  const deps: Deps = {
    environment: config.environment,
    database,
    standby: standbyOf(options),
    clock,
    ids: randomIds,
    orderIds: makeOrderIds(database, config.environment),
    ...snapshots,
    ...rails,
    ...observed,
    rates,
    networkFees: networkFees.fees,
    ...priceLimitsOf(config),
    secrets,
    dataKeys: createDataKeyBox(secrets, ring, config.environment),
    tokens: createTokenSigner({
      ring,
      environment: config.environment,
      now: () => new Date(),
    }),
    orderPages: createOrderPages(ring, config.environment),
    webhookTargets: { allowSandboxTargets: config.allowLoopbackWebhooks },
    ...{ publicUrl, demo },
    offersMail: config.mailFrom !== undefined,
    operator: operatorOf(config),
    rateCounters: makeRateCounters(database),
    isDraining: options.isDraining,
    beat: options.beat,
    jobTaker: options.jobTaker ?? (() => undefined),
    log,
  };
  return { deps, sandbox, senders, railStates, networkFees };
}

function standbyOf({ config, stops }: Pick<DepsOptions, "config" | "stops">): Deps["standby"] {
  const standby = openStandby(config);
  if (standby) stops.add("standby", () => standby.close());
  return standby;
}

type FollowedNames =
  | "catalogue"
  | "directory"
  | "controls"
  | "syncClock"
  | "lookUp"
  | "clockAheadMs";

/** Keeps the catalogue, the merchants, the controls and the business clock in memory up to date. */
async function followConfiguration(
  options: DepsOptions,
  { clock, rails }: { readonly clock: SyncedClock; readonly rails: Sandbox["rails"] },
): Promise<Pick<Deps, FollowedNames>> {
  const { config, database, publicUrl, log, stops, beat } = options;
  const clocks = compareClocks(log);
  const sandboxUrl = config.environment === "prod" ? undefined : publicUrl;
  let snapshot: Snapshot | undefined;
  let chains: ChainChoices | undefined;
  const current = (): Snapshot => {
    if (snapshot === undefined) throw new Error("The configuration has not been read yet.");
    return snapshot;
  };
  const failed = (error: unknown): void => {
    beat?.("configuration");
    log.warn({ err: error }, "configuration cannot be read, retrying");
  };
  const watch = await watchConfig(database, {
    seen: (state) => {
      beat?.("configuration");
      clocks.see(state.clockAheadMs);
      clock.sync(state.businessNow);
    },
    changed: async () => {
      const before = snapshot?.directory;
      const stored = await readStored(database);
      // Read once: the choices of a running service do not change.
      chains ??= readChains(config, { catalogue: () => stored.catalogue });
      snapshot = snapshotOf(stored, { chains, rails, sandboxUrl });
      if (before) logKeyChanges(log, before, snapshot.directory);
    },
    failed,
  });
  stops.add("configuration", () => watch.stop());
  const stopHeadroom = followHeadroom(database, {
    current: () => current().controls,
    update: (liquidity) => {
      const { catalogue, directory, controls } = current();
      const live = withLiveStock({ ...controls, ...liquidity }, { catalogue, chains });
      snapshot = { catalogue, directory, controls: live };
    },
    failed,
  });
  stops.add("liquidity", stopHeadroom);
  return {
    catalogue: () => current().catalogue,
    directory: () => current().directory,
    controls: () => current().controls,
    clockAheadMs: clocks.aheadMs,
    syncClock: () => watch.refresh(),
    lookUp: makeLookUp(() => watch.refresh()),
  };
}

/** Lines about keys for each change of the configuration. Further keys are counted in one line. */
const KEY_LINES_MAX = 20;

/**
 * Writes a line to the security log for each key that appeared or ended, whatever made the change. Every
 * process that serves requests logs it.
 */
export function logKeyChanges(
  log: Deps["log"],
  before: MerchantDirectory,
  after: MerchantDirectory,
): void {
  const changes = [
    ...missingFrom(before, after).map((keyId) => ({ security: "key_created", keyId })),
    ...missingFrom(after, before).map((keyId) => ({ security: "key_revoked", keyId })),
  ];
  for (const { security, keyId } of changes.slice(0, KEY_LINES_MAX)) {
    const merchantId = (after.apiKey(keyId) ?? before.apiKey(keyId))?.merchantId;
    log.warn({ security, keyId, merchantId }, "security event");
  }
  const others = changes.length - KEY_LINES_MAX;
  if (others > 0) log.warn({ security: "suppressed", keys: others }, "security events");
}

const missingFrom = (older: MerchantDirectory, newer: MerchantDirectory): readonly string[] =>
  [...newer.listKeyIds()].filter((keyId) => older.apiKey(keyId) === undefined);

/** Opens the database with the books of the sandbox's rails. It is the service's own by default. */
export async function openSandboxBooks({
  config,
  database,
}: Pick<DepsOptions, "config" | "database">): Promise<Database> {
  const { sandboxDatabaseUrl: connectionString } = config;
  if (connectionString === undefined) return database;
  const books = await openSafeDatabase({ connectionString });
  await migrateDatabase(books, config);
  return books;
}

/** Builds the sandbox of `dev` and `staging`. `prod` has none. */
export function buildSandbox(
  options: Pick<DepsOptions, "config" | "database" | "publicUrl"> & {
    readonly books: Database;
    readonly callbackSecrets?: readonly Uint8Array[];
  },
  { catalogue }: Pick<Deps, "catalogue">,
): Sandbox | undefined {
  const { config, database, books, publicUrl, callbackSecrets } = options;
  if (config.environment === "prod") return undefined;
  return makeSandbox({
    database,
    books,
    ids: randomIds,
    publicUrl,
    callbackSecrets,
    clockMover: config.allowMerchantClock ? "merchants" : "operator",
    network: (networkCode) => catalogue().network(networkCode),
  });
}

/** The secrets of the sandbox's callbacks. All processes of the installation derive the same. */
const callbackSecretsOf = ({ current, keys }: KeyRing): readonly Uint8Array[] =>
  [current, ...[...keys.values()].filter(({ id }) => id !== current.id)].map((key) =>
    deriveKey(key, "sandbox-callbacks"),
  );

/** Returns the settings that bound the price which an unpaid order holds. */
export const priceLimitsOf = (
  config: Config,
): Pick<Deps, "priceBandPercent" | "slippageBasisPoints" | "openOrderCaps"> => ({
  priceBandPercent: config.priceBandPercent,
  slippageBasisPoints: config.slippageBasisPoints,
  openOrderCaps: capsOfEuro({
    pair: config.openOrdersPairEuro,
    merchant: config.openOrdersMerchantEuro,
    customer: config.openOrdersCustomerEuro,
  }),
});

/** Live networks are added by the rails file. Without a sandbox every other rail is absent. */
export const railsOf = (sandbox: Sandbox | undefined): Sandbox["rails"] =>
  sandbox?.rails ?? {
    cardProcessor: undefined,
    chain: undefined,
    bank: undefined,
    callbacks: new Map(),
    screener: undefined,
  };
