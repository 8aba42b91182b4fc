import { pino } from "pino";
import type { Config } from "../config.ts";
import type { Deps } from "../flows/deps.ts";
import { makeOrderIds } from "../flows/orders/order-ids.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { createOrderPages } from "../secrets/order-pages.ts";
import { randomIds } from "../secrets/random-ids.ts";
import { createTokenSigner } from "../secrets/tokens.ts";
import { buildSandbox, openSandboxBooks, priceLimitsOf, railsOf } from "../start/build-deps.ts";
import { readStored, snapshotOf } from "../start/rails/offered-catalogue.ts";
import { readChains } from "../start/rails/open-chains.ts";
import { openChain } from "../start/rails/open-gateway.ts";
import { followNetworkFees } from "../start/rails/open-network-fees.ts";
import { readSecretKeys } from "../start/secret-keys.ts";
import { makeBatchedWrites } from "../storage/batched-writes.ts";
import { readConfigState } from "../storage/catalogue/config-version.ts";
import { makeRateCounters } from "../storage/limits/rate-windows.ts";
import type { CommandContext } from "./command.ts";
import { openRatesOnDemand } from "./open-rates-on-demand.ts";
import { withDatabase } from "./with-database.ts";

/**
 * Runs `work` as `withDatabase` does, with everything that flows need, read once. Jobs that a flow adds
 * are done by the running service.
 */
export async function withFlows<T>(
  context: CommandContext,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  return withDatabase(context, async (opened) => {
    const { database } = opened;
    const config = context.config();
    const publicUrl = config.publicUrl ?? "";
    const [stored, { businessNow }] = await Promise.all([
      readStored(database),
      readConfigState(database),
    ]);
    const offsetMs = businessNow.getTime() - Date.now();
    const chains = readChains(config, { catalogue: () => stored.catalogue });
    const books = await openSandboxBooks({ config, database });
    const catalogue = () => snapshot.catalogue;
    const rails = railsOf(buildSandbox({ config, database, books, publicUrl }, { catalogue }));
    const sandboxUrl = config.environment === "prod" ? undefined : config.publicUrl;
    const snapshot = snapshotOf(stored, { chains, rails, sandboxUrl });
    const { directory, controls } = snapshot;
    const snapshots = { catalogue, directory: () => directory, controls: () => controls };
    const rates = openRatesOnDemand(config, context.progress);
    const log = pino({ level: "silent" });
    const networkFees = await followNetworkFees(chains, { ...snapshots, database, log });
    return work({
      ...opened,
      ...snapshots,
      ...rails,
      chain: openChain(config, { ...snapshots, database }, { base: rails.chain }),
      rates,
      networkFees: networkFees.fees,
      ...priceLimitsOf(config),
      ...makeBatchedWrites(database),
      clock: { now: () => new Date(Date.now() + offsetMs) },
      syncClock: async () => {},
      lookUp: async () => {},
      ids: randomIds,
      orderIds: makeOrderIds(database, config.environment),
      ...secretsOf(config),
      publicUrl,
      rateCounters: makeRateCounters(database),
      jobTaker: () => undefined,
      metrics: makeMetrics().metrics,
      log,
    }).finally(async () => {
      await networkFees.stop();
      await rates.stop();
      if (books !== database) await books.close();
    });
  });
}

/** Builds the signer of tokens and the secrets of orders' pages. */
function secretsOf(config: Config): Pick<Deps, "tokens" | "orderPages"> {
  const ring = readSecretKeys(config);
  const { environment } = config;
  return {
    tokens: createTokenSigner({ ring, environment, now: () => new Date() }),
    orderPages: createOrderPages(ring, environment),
  };
}
