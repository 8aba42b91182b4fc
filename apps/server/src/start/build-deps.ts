import type { Config } from "../config.ts";
import type { Catalogue } from "../domain/catalogue/catalogue.ts";
import type { ExchangeControls } from "../domain/payouts/controls.ts";
import type { MerchantDirectory } from "../domain/ports/merchant-directory.ts";
import type { Deps, JobTaker } from "../flows/deps.ts";
import { sandboxBank } from "../sandbox/banks/bank.ts";
import { sandboxIssuer } from "../sandbox/cards/issuer.ts";
import { sandboxCardProcessor } from "../sandbox/cards/processor.ts";
import { sandboxChain } from "../sandbox/chains/chain.ts";
import { makeDeliveryFaults } from "../sandbox/faults/planted-faults.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import { sandboxScreener } from "../sandbox/screening/screener.ts";
import { sandboxWorld } from "../sandbox/world/world.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createSecretBox } from "../secrets/secret-box.ts";
import { createTokenSigner } from "../secrets/tokens.ts";
import { readCatalogue } from "../storage/catalogue/catalogue.ts";
import { watchConfig } from "../storage/catalogue/config-version.ts";
import { readMerchantDirectory } from "../storage/merchants/directory.ts";
import { readExchangeControls } from "../storage/payouts/exchange-controls.ts";
import type { Database } from "../storage/postgres/database.ts";
import { makeOpenSession } from "../storage/sessions/sessions.ts";
import type { DeliveryFaults } from "../webhooks/delivery-faults.ts";
import { makeSyncedClock, type SyncedClock } from "./business-clock.ts";
import { followHeadroom } from "./follow-headroom.ts";
import type { StopList } from "./stop-list.ts";

export interface DepsOptions {
  readonly config: Config;
  readonly ring: KeyRing;
  readonly database: Database;
  readonly publicUrl: string;
  readonly log: Deps["log"];
  readonly stops: StopList;
}

/** The workers that are started after the deps they need. */
export interface Wakers {
  jobs: () => void;
  webhooks: () => void;
  jobTaker?: JobTaker;
}

/** What flows, jobs and http work with. */
export async function buildDeps(options: DepsOptions, wakers: Wakers): Promise<Deps> {
  const { config, ring, database, publicUrl, log } = options;
  const clock = makeSyncedClock(Date.now);
  const snapshots = await followConfiguration(options, clock);
  return {
    environment: config.environment,
    database,
    openSession: makeOpenSession(database),
    clock,
    ids: randomIds,
    ...snapshots,
    ...buildRails(options, snapshots),
    secrets: createSecretBox(ring),
    tokens: createTokenSigner({
      ring,
      environment: config.environment,
      now: () => new Date(),
    }),
    webhookTargets: { allowSandboxTargets: config.allowLoopbackWebhooks },
    publicUrl,
    jobTaker: () => wakers.jobTaker,
    wakeJobs: () => wakers.jobs(),
    wakeWebhooks: () => wakers.webhooks(),
    log,
  };
}

/** Sandboxes can plant faults into webhooks. `prod` has none. */
export const buildDeliveryFaults = ({
  config,
  database,
}: Pick<DepsOptions, "config" | "database">): DeliveryFaults | undefined =>
  config.environment === "prod" ? undefined : makeDeliveryFaults(database);

type Snapshots = readonly [Catalogue, MerchantDirectory, ExchangeControls];

/** Keeps the catalogue, the merchants, the controls and the business clock in memory as the database has them. */
async function followConfiguration(
  options: DepsOptions,
  clock: SyncedClock,
): Promise<Pick<Deps, "catalogue" | "directory" | "controls" | "syncClock">> {
  const { database, log, stops } = options;
  let snapshots: Snapshots | undefined;
  const current = (): Snapshots => {
    if (snapshots === undefined) throw new Error("The configuration has not been read yet.");
    return snapshots;
  };
  const failed = (error: Error): void =>
    log.warn({ err: error }, "the configuration cannot be read");
  const watch = await watchConfig(database, {
    seen: (state) => clock.sync(state.businessNow),
    changed: async () => {
      snapshots = await Promise.all([
        readCatalogue(database),
        readMerchantDirectory(database),
        readExchangeControls(database),
      ]);
    },
    failed,
  });
  stops.add("configuration", () => watch.stop());
  const headroom = followHeadroom(database, {
    current: () => current()[2],
    update: (left) => {
      const [catalogue, directory, controls] = current();
      snapshots = [catalogue, directory, { ...controls, headroom: left }];
    },
    failed,
  });
  stops.add("liquidity", () => headroom.stop());
  return {
    catalogue: () => current()[0],
    directory: () => current()[1],
    controls: () => current()[2],
    syncClock: () => watch.refresh(),
  };
}

type Rails = Pick<
  Deps,
  "rates" | "cardProcessor" | "chain" | "bank" | "screener" | "sandboxIssuer" | "sandbox"
>;

/** The sandboxes have rails of their own. In prod none is built in yet. */
export function buildRails(
  options: Pick<DepsOptions, "config" | "database" | "publicUrl">,
  { catalogue }: Pick<Deps, "catalogue">,
): Rails {
  if (options.config.environment === "prod") {
    return {
      rates: undefined,
      cardProcessor: undefined,
      chain: undefined,
      bank: undefined,
      screener: undefined,
      sandboxIssuer: undefined,
      sandbox: undefined,
    };
  }
  const { config, database, publicUrl } = options;
  const addressForm = (networkCode: string) => catalogue().network(networkCode)?.addressFormat;
  return {
    rates: sandboxRates({ seed: config.sandboxSeed }),
    cardProcessor: sandboxCardProcessor({ database, ids: randomIds, publicUrl }),
    chain: sandboxChain({ database, ids: randomIds, addressForm }),
    bank: sandboxBank(database),
    screener: sandboxScreener(),
    sandboxIssuer: sandboxIssuer(database),
    sandbox: sandboxWorld(database),
  };
}
