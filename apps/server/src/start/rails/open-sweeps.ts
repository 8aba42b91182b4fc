import { makeEvmSweeper } from "../../adapters/chains/evm/sweeper.ts";
import type { Deps } from "../../flows/deps.ts";
import type { SweepOptions, SweptNetwork } from "../../jobs/sweep.ts";
import type { EvmChoices } from "./chain-choices.ts";
import {
  type ChainConfig,
  feeLimitsOf,
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

type SweepDeps = Pick<Deps, "catalogue" | "log">;

/** Opens the sweepers of the live networks whose deposit addresses are swept. Only a worker may. */
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
  const { sweeps, hot, deposits } = choices;
  if (!sweeps || !hot || deposits.wallet === undefined) return [];
  const suspect = suspectOf(log, code);
  const limits = feeLimitsOf(choices);
  const { aboveEuro = ABOVE_EURO, maxHours = HOURS_MAX, leftUnits = "0" } = sweeps;
  const sweeper = makeEvmSweeper({
    endpoints: networkOf(catalogue(), code, { choices, suspect }),
    reader: openAccountReader(catalogue(), code, choices, suspect),
    hot: { name: hot.wallet, address: hot.address },
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
  const rules = {
    aboveCents: BigInt(aboveEuro) * 100n,
    ageMaxMs: maxHours * HOUR_MS,
    leftUnits: BigInt(leftUnits),
    feeMax: limits.feeMax,
  };
  const topUpsDayMax = BigInt(sweeps.topUpsDayUnits ?? TOP_UPS_DAY_UNITS);
  return [{ sweeper, rules, topUpsDayMax }];
}
