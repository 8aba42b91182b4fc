import type { EvmEndpointsOptions } from "../../adapters/chains/evm/endpoints.ts";
import type { FeeLimits } from "../../adapters/chains/evm/fees.ts";
import { makeEvmReader } from "../../adapters/chains/evm/reader.ts";
import { makeSolanaReader } from "../../adapters/chains/solana/reader.ts";
import { makeTronReader } from "../../adapters/chains/tron/reader.ts";
import { makeXrpReader } from "../../adapters/chains/xrp/reader.ts";
import { BOOKED_WITHIN_SECONDS, type ScanSettings } from "../../chains/scan.ts";
import { type Scanner, startScanner } from "../../chains/scanner.ts";
import type { Config } from "../../config.ts";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import type { AccountReader, ChainReader, WatchedAsset } from "../../domain/ports/chain-reader.ts";
import { checkAddress } from "../../domain/wallets/check-address.ts";
import type { Deps } from "../../flows/deps.ts";
import { nameLiveNetworks } from "../../storage/treasury/stock.ts";
import type { ChainChoices, EvmChoices, NetworkChoices } from "./chain-choices.ts";
import { openEndpoints } from "./endpoint-choices.ts";
import { coinScanSettings, openCoinReader } from "./open-coins.ts";
import { processesOf } from "./open-rates.ts";
import { solanaEndpointsOf, solanaScanSettings } from "./open-solana.ts";
import { xrpEndpointsOf, xrpScanSettings } from "./open-xrp.ts";
import { type RailsFile, readRailsFile } from "./rails-file.ts";
import type { TronChoices } from "./tron-choices.ts";

export const POLL_MS = 4_000;
/** The choices of a network that is read by the logs and receipts of its transactions. */
export type LogChoices = EvmChoices | TronChoices;

/** Only networks that are read by logs have tokens. */
export const hasLogs = (choices: NetworkChoices): choices is LogChoices =>
  choices.kind === "evm" || choices.kind === "tron";

export type ChainConfig = Pick<Config, "apiProcesses" | "environment" | "railsFile">;

/** Reads the live networks of the rails file. Throws a `StartError` that lists every problem of the file. */
export const readChains = (config: ChainConfig, deps: Pick<Deps, "catalogue">): ChainChoices =>
  readLiveRails(config, deps).chains ?? {};

/** Reads the live networks of the rails file and the signer. Throws a `StartError` that lists every problem. */
export function readLiveRails(
  config: ChainConfig,
  { catalogue }: Pick<Deps, "catalogue">,
): Pick<RailsFile, "chains" | "signer"> {
  const { environment, railsFile } = config;
  if (railsFile === undefined) return {};
  const place = { environment, processes: processesOf(config), catalogue: catalogue() };
  return readRailsFile(railsFile, place);
}

/** The default limit of a payout's fee, which is also that of a new signer's policy: 0.02 of an 18-decimal coin. */
const FEE_MAX_UNITS = "20000000000000000";

export const feeLimitsOf = ({ payouts = {} }: Pick<EvmChoices, "payouts">): FeeLimits => ({
  feeMax: BigInt(payouts.feeMaxUnits ?? FEE_MAX_UNITS),
  tipMin: BigInt(payouts.tipMinUnits ?? 0),
});

/** The coins of the network that stay in the hot wallet for the fees of tokens. */
export const gasFloorOf = ({
  payouts = {},
}: {
  readonly payouts?: { readonly gasFloorUnits?: string };
}): bigint => BigInt(payouts.gasFloorUnits ?? 0);

export const suspectOf =
  (log: Pick<Deps["log"], "warn"> | undefined, network: string) =>
  (endpoint: string, what: string): void =>
    log?.warn({ network, endpoint, what }, "an endpoint does not agree with the others");

/** Bounds the stock of the live networks' coins. It comes before any job that may promise them. */
export async function nameNetworks(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue" | "database">,
): Promise<void> {
  const codes = Object.keys(readChains(config, deps));
  await deps.database.transaction((tx) => nameLiveNetworks(tx, codes));
}

/**
 * Adds the coins of live networks that no worker has named yet, as those of which there are none. The stock of a named
 * network is always in the controls.
 */
export function withLiveStock(
  controls: ExchangeControls,
  {
    catalogue,
    chains = {},
  }: { readonly catalogue: Catalogue; readonly chains: ChainChoices | undefined },
): ExchangeControls {
  const unnamed = catalogue.currencies.filter(
    ({ id, networkCode }) =>
      networkCode !== null && Object.hasOwn(chains, networkCode) && !controls.stock.has(id),
  );
  if (unnamed.length === 0) return controls;
  const none = unnamed.map(({ id }) => [id, 0n] as const);
  return { ...controls, stock: new Map([...controls.stock, ...none]) };
}

/** Starts a scanner for each live network. Of all processes, one at a time follows a network. */
export async function startScanners(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue" | "database" | "log" | "ids">,
): Promise<Scanner> {
  const networks = Object.entries(readChains(config, deps));
  const scanners = networks.map(([code, choices]) => startScannerOf(deps, code, choices));
  return {
    stop: async () => {
      await Promise.all(scanners.map((scanner) => scanner.stop()));
    },
  };
}

function startScannerOf(
  { catalogue, database, log, ids }: Pick<Deps, "catalogue" | "database" | "log" | "ids">,
  code: string,
  choices: NetworkChoices,
): Scanner {
  const suspect = suspectOf(log, code);
  return startScanner({
    database,
    log,
    networkCode: code,
    reader: openReader(catalogue(), code, choices, suspect),
    settings: settingsOf(choices),
    assets: () => assetsOf(catalogue(), code),
    token: ids.uuid(),
  });
}

function settingsOf(choices: NetworkChoices): ScanSettings {
  if (choices.kind === "utxo") return coinScanSettings(choices);
  if (choices.kind === "solana") return solanaScanSettings(choices);
  return choices.kind === "xrp" ? xrpScanSettings(choices) : scanSettingsOf(choices);
}

/** A Tron node returns one balance for each request, and most providers limit requests. */
const BALANCES_SECONDS = { evm: 60, tron: 600 } as const;

/** The addresses of one step. A node of Tron takes about two seconds for them, at a rate that providers allow. */
const TRON_BALANCES_AT_ONCE = 20;

const scanSettingsOf = ({ kind, scan = {} }: LogChoices): ScanSettings => ({
  ...(kind === "tron" && { balancesAtOnce: TRON_BALANCES_AT_ONCE }),
  pollMs: scan.pollMs ?? POLL_MS,
  spanMax: scan.spanMax ?? 500,
  keepBlocks: scan.keepBlocks ?? 512,
  balancesEveryMs: (scan.balancesSeconds ?? BALANCES_SECONDS[kind]) * 1_000,
  bookedWithinSeconds: BOOKED_WITHIN_SECONDS,
});

/** Opens a reader of a network. Close it at the end. */
export function openReader(
  catalogue: Catalogue,
  code: string,
  choices: NetworkChoices,
  suspect: (endpoint: string, what: string) => void = () => {},
): ChainReader {
  if (choices.kind === "utxo") return openCoinReader(catalogue, code, { choices, suspect });
  if (choices.kind === "evm") return openAccountReader(catalogue, code, choices, suspect);
  if (choices.kind === "solana") {
    const endpoints = solanaEndpointsOf(catalogue, code, { choices, suspect });
    return makeSolanaReader({ ...endpoints, depositsAccount: choices.deposits.account });
  }
  if (choices.kind === "xrp") return makeXrpReader(xrpEndpointsOf(code, { choices, suspect }));
  const { addressesAtOnce = 500 } = choices.scan ?? {};
  return makeTronReader({ ...networkOf(catalogue, code, { choices, suspect }), addressesAtOnce });
}

/** Opens a reader of an EVM network. Close it at the end. */
export function openAccountReader(
  catalogue: Catalogue,
  code: string,
  choices: EvmChoices,
  suspect: (endpoint: string, what: string) => void,
): AccountReader {
  const { addressesAtOnce = 500 } = choices.scan ?? {};
  return makeEvmReader({ ...networkOf(catalogue, code, { choices, suspect }), addressesAtOnce });
}

/** Returns the endpoints of a network, the rules by which they agree, and its finality. */
export function networkOf(
  catalogue: Catalogue,
  code: string,
  {
    choices,
    suspect,
  }: {
    readonly choices: LogChoices;
    readonly suspect: (endpoint: string, what: string) => void;
  },
): EvmEndpointsOptions {
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  return {
    ...endpointsOf(code, choices),
    networkCode: code,
    finality: finalityOf(network, choices.finality),
    suspect,
  };
}

/** A node of Tron answers whole blocks, which are larger. */
const TIMEOUT_MS = { evm: 4_000, tron: 10_000 } as const;

/** Returns the endpoints of a network, and how many must agree. */
function endpointsOf(code: string, choices: LogChoices) {
  const { kind, chainId, genesis, timeoutMs = TIMEOUT_MS[kind] } = choices;
  return {
    chainId,
    genesis,
    ...openEndpoints(choices, code),
    timeoutMs,
  };
}

/** By default the network's own finality decides, with the catalogue's confirmations as the minimum. */
const finalityOf = (
  network: Network,
  { tag, atLeast }: NonNullable<EvmChoices["finality"]> = {},
) => ({
  tag: tag ?? ("finalized" as const),
  atLeast: atLeast ?? network.confirmations,
});

/** The coins of a live network that are read. A token of Solana has an account at the address that its mint determines. */
export function coinsReadOn(catalogue: Catalogue, code: string): readonly Currency[] {
  const isSolana = isOfSolana(catalogue, code);
  return catalogue.currencies.filter(
    ({ networkCode, contractAddress: mint }) =>
      networkCode === code && (!isSolana || mint === null || checkAddress("solana", mint)),
  );
}

const isOfSolana = (catalogue: Catalogue, code: string): boolean =>
  catalogue.network(code)?.addressFormat === "solana";

/** Disabled assets too, because an order may still wait for them. */
export const assetsOf = (catalogue: Catalogue, code: string): readonly WatchedAsset[] =>
  coinsReadOn(catalogue, code).map(({ id, contractAddress }) => ({
    assetId: id,
    contract: contractAddress,
    ...(contractAddress !== null &&
      isOfSolana(catalogue, code) && { isPaidOutOnly: true as const }),
  }));
