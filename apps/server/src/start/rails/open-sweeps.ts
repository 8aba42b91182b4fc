import type { FeeLimits } from "../../adapters/chains/evm/fees.ts";
import { makeEvmSweeper } from "../../adapters/chains/evm/sweeper.ts";
import type { SweepRules } from "../../domain/treasury/sweep-plan.ts";
import type { Deps } from "../../flows/deps.ts";
import type { SweepOptions } from "../../jobs/sweep.ts";
import type { SweptNetwork } from "../../jobs/top-up.ts";
import type { EvmChoices } from "./chain-choices.ts";
import {
  type ChainConfig,
  feeLimitsOf,
  gasFloorOf,
  networkOf,
  openAccountReader,
  POLL_MS,
  readLiveRails,
  suspectOf,
} from "./open-chains.ts";
import { contractsOf } from "./open-gateway.ts";

const ABOVE_EURO = 50;
const HOURS_MAX = 24;
const HOUR_MS = 3_600_000;
/** A tenth of a coin with 18 decimals. */
const TOP_UPS_DAY_UNITS = "100000000000000000";
const SWEEPS_EVERY_MS = 10_000;

type SweepChoices = NonNullable<EvmChoices["sweeps"]>;
type SweepDeps = Pick<Deps, "catalogue" | "log">;

/**
 * Opens the sweepers of the live networks with a hot wallet. Without the member `sweeps` nothing new is swept, and what
 * was begun is taken to its end. Only a worker may.
 */
export function openSweeps(config: ChainConfig, deps: SweepDeps): SweepOptions {
  const { chains = {}, signer } = readLiveRails(config, deps);
  const networks = Object.entries(chains).flatMap(([code, choices]) =>
    signer && choices.kind === "evm"
      ? openSweep(deps, code, { choices, signerSocket: signer.socket })
      : [],
  );
  const polls = Object.values(chains).map(({ scan }) => scan?.pollMs ?? POLL_MS);
  return { networks, everyMs: Math.min(SWEEPS_EVERY_MS, ...polls.map((pollMs) => pollMs * 2)) };
}

function openSweep(
  { catalogue, log }: SweepDeps,
  code: string,
  { choices, signerSocket }: { readonly choices: EvmChoices; readonly signerSocket: string },
): readonly SweptNetwork[] {
  const { sweeps, hot, gasTank, deposits } = choices;
  if (!hot) return [];
  const suspect = suspectOf(log, code);
  const limits = feeLimitsOf(choices);
  const { wallet: name, address } = gasTank ?? hot;
  const sweeper = makeEvmSweeper({
    endpoints: networkOf(catalogue(), code, { choices, suspect }),
    reader: openAccountReader(catalogue(), code, choices, suspect),
    hot: { name: hot.wallet, address: hot.address },
    funder: { name, address },
    depositsWallet: deposits.wallet,
    assetOf: (assetId) => ({
      assetId,
      contract: catalogue().requireCurrency(assetId).contractAddress,
    }),
    contractOf: contractsOf({ catalogue }),
    signerSocket,
    limits,
    pollMs: choices.scan?.pollMs ?? POLL_MS,
  });
  const topUps = { dayMax: topUpsDayMaxOf(choices), keep: gasTank ? 0n : gasFloorOf(choices) };
  return [{ sweeper, rules: sweeps && rulesOf(sweeps, limits), topUps }];
}

/** Returns the most that top-ups of a day may bring to deposit addresses. */
export const topUpsDayMaxOf = ({ gasTank, sweeps }: EvmChoices): bigint =>
  BigInt(gasTank?.capPerDayUnits ?? sweeps?.topUpsDayUnits ?? TOP_UPS_DAY_UNITS);

function rulesOf(
  { aboveEuro = ABOVE_EURO, maxHours = HOURS_MAX, leftUnits = "0" }: SweepChoices,
  { feeMax }: FeeLimits,
): SweepRules {
  return {
    aboveCents: BigInt(aboveEuro) * 100n,
    ageMaxMs: maxHours * HOUR_MS,
    leftUnits: BigInt(leftUnits),
    feeMax,
  };
}
