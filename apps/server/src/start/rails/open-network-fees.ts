import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { startFeeMeter } from "../../chains/fee-meter.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import { FLAT_FEES, type NetworkFee, type NetworkFees } from "../../domain/ports/network-fees.ts";
import { type AgedRate, type FeePolicy, feeOfTransfer } from "../../domain/quotes/fee-rate.ts";
import type { Deps } from "../../flows/deps.ts";
import { repeat } from "../../flows/repeat.ts";
import { listMeasuredRates } from "../../storage/chains/fee-rates.ts";
import type { Database } from "../../storage/postgres/database.ts";
import type { ChainChoices, NetworkChoices } from "./chain-choices.ts";
import { feePeriodMsOf } from "./fee-choices.ts";
import { suspectOf } from "./open-chains.ts";
import { openFeeMarket, policyOf, pricedNetworksOf, workOf } from "./open-fee-markets.ts";

/** A quote may be this much behind the newest measurement. */
const REFRESH_MS = 2_000;

interface FeesContext {
  readonly database: Database;
  readonly catalogue: Deps["catalogue"];
  readonly log: Pick<Logger, "warn" | "info">;
}

export interface FollowedFees {
  readonly fees: NetworkFees;
  /** Reads the newest rates at once. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Reads the measured rates now, and again every two seconds, and answers quotes from memory. Networks without a fee
 * market of their own have the catalogue's flat fee.
 */
export async function followNetworkFees(
  choices: ChainChoices,
  context: FeesContext,
): Promise<FollowedFees> {
  const networks = pricedNetworksOf(choices);
  if (networks.length === 0)
    return { fees: FLAT_FEES, refresh: async () => {}, stop: async () => {} };
  const { database, log } = context;
  const priced = new Map(
    networks.map(([code, network]) => [code, { network, policy: policyOf(network) }]),
  );
  const states = new Map<string, string>();
  let rates: ReadonlyMap<string, Omit<AgedRate, "ageMs"> & { readonly bornMs: number }> = new Map();
  const rateOf = (code: string): AgedRate | undefined => {
    const rate = rates.get(code);
    return rate && { ...rate, ageMs: performance.now() - rate.bornMs };
  };
  const read = async (): Promise<void> => {
    const measured = await listMeasuredRates(database);
    const nowMs = performance.now();
    rates = new Map(
      measured.map((one) => [one.networkCode, { ...one, bornMs: nowMs - one.ageMs }]),
    );
  };
  const report = (): void => {
    for (const [code, { policy }] of priced) {
      const state = stateOf(rateOf(code), policy);
      if (states.get(code) !== state)
        log[state === "measured" ? "info" : "warn"]({ network: code }, WORDS[state]);
      states.set(code, state);
    }
  };
  const failed = (err: unknown): void => log.warn({ err }, "network fees cannot be read, retrying");
  await read();
  const round = (): Promise<void> => read().finally(report);
  return {
    fees: {
      feeOf: (asset) => {
        const own = priced.get(asset.networkCode ?? "");
        if (!own || asset.networkCode === null) return "flat";
        return feeOf(context, asset, { rate: rateOf(asset.networkCode), ...own });
      },
    },
    refresh: read,
    stop: repeat({ everyMs: REFRESH_MS, round, failed }),
  };
}

type FeeState = "measured" | "fallback" | "unknown";

const WORDS: Readonly<Record<FeeState, string>> = {
  measured: "the network fees are measured",
  fallback: "the network fees are stale; quotes pay the fallback of the rails file",
  unknown: "the network fees are not known; quotes that deliver on the network are refused",
};

function stateOf(rate: AgedRate | undefined, { freshMs, fallback }: FeePolicy): FeeState {
  if (!rate) return "unknown";
  if (rate.ageMs <= freshMs) return "measured";
  return fallback && rate.ageMs <= freshMs + fallback.forMs ? "fallback" : "unknown";
}

function feeOf(
  { catalogue }: Pick<FeesContext, "catalogue">,
  asset: Currency,
  {
    rate,
    policy,
    network: choices,
  }: {
    readonly rate: AgedRate | undefined;
    readonly policy: FeePolicy;
    readonly network: NetworkChoices;
  },
): NetworkFee | { readonly refusal: string } {
  const { currencies, network: find } = catalogue();
  const network = find(asset.networkCode ?? "");
  const coin = currencies.find(
    ({ networkCode, contractAddress }) =>
      networkCode === asset.networkCode && contractAddress === null,
  );
  if (!network || !coin)
    throw new Error(`${asset.reference} has no network with a coin of its own`);
  return feeOfTransfer({ network, coin, ...workOf(choices, asset) }, rate, policy);
}

/** A start does not wait longer for the first measurements. Quotes are refused until they are made. */
const FIRST_MS = 5_000;

/**
 * Starts the measurement of each live network's fees. Of all workers, one measures in each period. Returns after the
 * first measurements, so that quotes need not wait for them.
 */
export async function startFeeMeters(
  choices: ChainChoices,
  { database, catalogue, log }: FeesContext,
): Promise<{ stop(): Promise<void> }> {
  const meters = pricedNetworksOf(choices).map(([networkCode, network]) => {
    const suspect = suspectOf(log, networkCode);
    const market = openFeeMarket(catalogue(), networkCode, { choices: network, suspect });
    const everyMs = feePeriodMsOf(network);
    return startFeeMeter({ database, log, networkCode, market, everyMs });
  });
  const first = Promise.all(meters.map((meter) => meter.first));
  await Promise.race([first, sleep(FIRST_MS, undefined, { ref: false })]);
  return {
    stop: async () => {
      await Promise.all(meters.map((meter) => meter.stop()));
    },
  };
}
