import type { FeeLimits } from "../../adapters/chains/evm/fees.ts";
import { makeEvmSweeper } from "../../adapters/chains/evm/sweeper.ts";
import { makeTronSweeper } from "../../adapters/chains/tron/sweeper.ts";
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
import { contractsOf, tronLimitsOf } from "./open-gateway.ts";
import { openSolanaSweeper } from "./open-solana.ts";
import type { SolanaChoices } from "./solana-choices.ts";
import type { TronChoices } from "./tron-choices.ts";

const ABOVE_EURO = 50;
const HOURS_MAX = 24;
const HOUR_MS = 3_600_000;
/** A tenth of a coin with 18 decimals, and 1,000 TRX. */
const TOP_UPS_DAY_UNITS = { evm: "100000000000000000", tron: "1000000000" } as const;
const SWEEPS_EVERY_MS = 10_000;

type SweepChoices = NonNullable<EvmChoices["sweeps"]>;
type SweepDeps = Pick<Deps, "catalogue" | "log">;

/**
 * Opens the sweepers of the live networks with a hot wallet. Without the member `sweeps` nothing new is swept, and what
 * was begun is taken to its end. Only a worker may.
 */
export function openSweeps(config: ChainConfig, deps: SweepDeps): SweepOptions {
  const { chains = {}, signer } = readLiveRails(config, deps);
  const networks = Object.entries(chains).flatMap(([code, choices]) => {
    if (!signer) return [];
    const signerSocket = signer.socket;
    if (choices.kind === "evm") return openSweep(deps, code, { choices, signerSocket });
    if (choices.kind === "tron") return openTronSweep(deps, code, { choices, signerSocket });
    return choices.kind === "solana" ? openSolanaSweep(deps, code, { choices, signerSocket }) : [];
  });
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

function openTronSweep(
  { catalogue, log }: SweepDeps,
  code: string,
  { choices, signerSocket }: { readonly choices: TronChoices; readonly signerSocket: string },
): readonly SweptNetwork[] {
  const { sweeps, hot, deposits, scan } = choices;
  if (!hot) return [];
  const limits = tronLimitsOf(choices);
  const sweeper = makeTronSweeper({
    endpoints: networkOf(catalogue(), code, { choices, suspect: suspectOf(log, code) }),
    hot: { name: hot.wallet, address: hot.address },
    depositsWallet: deposits.wallet,
    contractOf: contractsOf({ catalogue }),
    contractOfId: (assetId) => catalogue().requireCurrency(assetId).contractAddress,
    signerSocket,
    ...limits,
    pollMs: scan?.pollMs ?? POLL_MS,
  });
  const topUps = { dayMax: topUpsDayMaxOf(choices), keep: gasFloorOf(choices) };
  return [{ sweeper, rules: sweeps && rulesOf(sweeps, limits), topUps }];
}

/** No address needs a top-up: the hot wallet pays the fees. */
const NO_TOP_UPS = { dayMax: 0n, keep: 0n } as const;

function openSolanaSweep(
  { catalogue, log }: SweepDeps,
  code: string,
  { choices, signerSocket }: { readonly choices: SolanaChoices; readonly signerSocket: string },
): readonly SweptNetwork[] {
  const { sweeps } = choices;
  const opening = { choices, suspect: suspectOf(log, code), signerSocket };
  return openSolanaSweeper(catalogue(), code, opening).map(({ sweeper, feeMax }) => ({
    sweeper,
    rules: sweeps && rulesOf(sweeps, { feeMax }),
    topUps: NO_TOP_UPS,
  }));
}

/** Returns the most that top-ups of a day may bring to deposit addresses. */
export const topUpsDayMaxOf = (choices: EvmChoices | TronChoices): bigint => {
  const { kind, sweeps } = choices;
  const tank = kind === "evm" ? choices.gasTank?.capPerDayUnits : undefined;
  return BigInt(tank ?? sweeps?.topUpsDayUnits ?? TOP_UPS_DAY_UNITS[kind]);
};

function rulesOf(
  { aboveEuro = ABOVE_EURO, maxHours = HOURS_MAX, leftUnits = "0" }: SweepChoices,
  { feeMax }: Pick<FeeLimits, "feeMax">,
): SweepRules {
  return {
    aboveCents: BigInt(aboveEuro) * 100n,
    ageMaxMs: maxHours * HOUR_MS,
    leftUnits: BigInt(leftUnits),
    feeMax,
  };
}
