import { parseDecimal } from "@exchange/money";
import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { type EvmEndpointsOptions, makeEvmReader } from "../../adapters/chains/evm/reader.ts";
import { makeEvmSender } from "../../adapters/chains/evm/sender.ts";
import { withLiveNetworks } from "../../chains/live-chain.ts";
import { makeLiveCoins } from "../../chains/live-coins.ts";
import { type LiveSends, makeLiveSends } from "../../chains/live-sends.ts";
import { BOOKED_WITHIN_SECONDS, type ScanSettings } from "../../chains/scan.ts";
import { type Scanner, startScanner } from "../../chains/scanner.ts";
import type { Config } from "../../config.ts";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { ChainReader, DepositAccount, WatchedAsset } from "../../domain/ports/chain-reader.ts";
import type { ChainSender } from "../../domain/ports/chain-sender.ts";
import type { CoinSender } from "../../domain/ports/coin-sender.ts";
import type { Deps } from "../../flows/deps.ts";
import { withSandboxExplorer } from "../../sandbox/routes/explorer.ts";
import type { Database } from "../../storage/postgres/database.ts";
import type { ChainChoices, EvmChoices } from "./chain-choices.ts";
import { type CoinChoices, coinAccountOf, liveChainOf } from "./coin-choices.ts";
import { openEndpoints } from "./endpoint-choices.ts";
import { coinScanSettings, openCoinReader, openCoinSender } from "./open-coins.ts";
import { processesOf } from "./open-rates.ts";
import { type RailsFile, readRailsFile } from "./rails-file.ts";
import { openReleaseKey } from "./signer-choices.ts";

const POLL_MS = 4_000;
/** The default limit of a payout's fee, which is also that of a new signer's policy: 0.02 of an 18-decimal coin. */
export const FEE_MAX_UNITS = "20000000000000000";

type NetworkChoices = EvmChoices | CoinChoices;
type Place = Pick<Deps, "catalogue"> & { readonly database: Database };

type ChainConfig = Pick<Config, "apiProcesses" | "environment" | "railsFile">;

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

interface ExplorerChoices {
  readonly chains: ChainChoices;
  /** The public address of the sandbox. Undefined in `prod`. */
  readonly sandboxUrl: string | undefined;
}

/**
 * Returns the catalogue with links to the explorers of its networks: the rails file's choice or the catalogue's own
 * for a live network, and the sandbox's for any other.
 */
export function withExplorers(
  catalogue: Catalogue,
  { chains, sandboxUrl }: ExplorerChoices,
): Catalogue {
  const others = sandboxUrl === undefined ? catalogue : withSandboxExplorer(catalogue, sandboxUrl);
  const networks = catalogue.networks.map((network) => {
    const choices = chains[network.code];
    if (choices === undefined) return others.network(network.code) ?? network;
    const { explorer = network.explorerTransactionUrl } = choices;
    return { ...network, explorerTransactionUrl: explorer };
  });
  return buildCatalogue({ ...catalogue, networks });
}

/**
 * Returns the gateway of all networks: live ones where the rails file names any. Without senders, which only a
 * worker has, nothing is sent on live networks.
 */
export function openChain(
  config: ChainConfig,
  { database, catalogue }: Place,
  { base, senders }: { readonly base: Deps["chain"]; readonly senders?: Senders | undefined },
): Deps["chain"] {
  const choices = Object.entries(readChains(config, { catalogue }));
  if (choices.length === 0) return base;
  const accounts = new Map(choices.map(([code, one]) => [code, accountOf(one)]));
  const paying = new Set(choices.flatMap(([code, one]) => (one.hot ? [code] : [])));
  const assetReference = (assetId: number): string =>
    catalogue().requireCurrency(assetId).reference;
  const sends = new Map<string, LiveSends>();
  if (senders) {
    const { all, coins, log, installation, signRelease } = senders;
    const common = { database, log, installation, signRelease };
    for (const sender of all) sends.set(sender.networkCode, makeLiveSends({ ...common, sender }));
    for (const sender of coins) sends.set(sender.networkCode, makeLiveCoins({ ...common, sender }));
  }
  return withLiveNetworks({ database, accounts, assetReference, paying, sends, base });
}

const accountOf = (choices: NetworkChoices): DepositAccount =>
  choices.kind === "evm"
    ? readDepositAccount(choices.deposits.xpub)
    : coinAccountOf(choices, choices.deposits.xpub);

/** Returns the catalogue with the chains that the live networks follow, for links to wallets and for addresses. */
export function withLiveChains(catalogue: Catalogue, live: ChainChoices): Catalogue {
  if (Object.keys(live).length === 0) return catalogue;
  const networks = catalogue.networks.map((network): Network => {
    const choices = live[network.code];
    if (choices === undefined) return network;
    return choices.kind === "utxo"
      ? { ...network, addressChain: liveChainOf(choices).addresses }
      : { ...network, chainId: choices.chainId };
  });
  return buildCatalogue({ ...catalogue, networks });
}

/** Returns the names of the installation and of the network's hot wallet in the signer's policy. */
export function payingWalletOf(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue">,
  networkCode: string,
): { readonly installation: string; readonly wallet: string } | undefined {
  const { chains = {}, signer } = readLiveRails(config, deps);
  const hot = chains[networkCode]?.hot;
  return hot && signer && { installation: signer.installation, wallet: hot.wallet };
}

/** The senders of a worker on live networks, and its name and key for releases. */
export interface Senders {
  readonly log: Deps["log"];
  readonly all: readonly ChainSender[];
  /** The senders of networks of the Bitcoin family. */
  readonly coins: readonly CoinSender[];
  readonly installation: string;
  readonly signRelease: (text: string) => string;
}

/** Opens the release key and a sender for each live network with a hot wallet. Only a worker may. */
export function openSenders(
  config: ChainConfig,
  { catalogue, log }: Pick<Deps, "catalogue" | "log">,
): Senders | undefined {
  const { chains = {}, signer } = readLiveRails(config, { catalogue });
  if (signer === undefined) return undefined;
  const contractOf = (reference: string): string | null => {
    const currency = catalogue().currencies.find((one) => one.reference === reference);
    if (!currency) throw new Error(`the catalogue has no coin ${reference}`);
    return currency.contractAddress;
  };
  const all = Object.entries(chains).flatMap(([code, choices]) => {
    if (choices.kind !== "evm" || !choices.hot) return [];
    const { hot } = choices;
    const { feeMaxUnits = FEE_MAX_UNITS, tipMinUnits = "0" } = choices.payouts ?? {};
    const suspect = suspectOf(log, code);
    return makeEvmSender({
      endpoints: networkOf(catalogue(), code, { choices, suspect }),
      wallet: { name: hot.wallet, address: hot.address },
      contractOf,
      signerSocket: signer.socket,
      limits: { feeMax: BigInt(feeMaxUnits), tipMin: BigInt(tipMinUnits) },
      pollMs: choices.scan?.pollMs ?? POLL_MS,
    });
  });
  const coins = Object.entries(chains).flatMap(([code, choices]) => {
    if (choices.kind !== "utxo" || !choices.hot) return [];
    const suspect = suspectOf(log, code);
    return openCoinSender(catalogue(), code, { choices, suspect, signerSocket: signer.socket });
  });
  const { installation, releaseKeyFile } = signer;
  return { all, coins, log, installation, signRelease: openReleaseKey(releaseKeyFile) };
}

const suspectOf =
  (log: Pick<Deps["log"], "warn">, network: string) =>
  (endpoint: string, what: string): void =>
    log.warn({ network, endpoint, what }, "an endpoint does not agree with the others");

/** Starts a scanner for each live network. Of all processes, one at a time follows a network. */
export function startScanners(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue" | "database" | "log" | "ids">,
): Scanner {
  const scanners = Object.entries(readChains(config, deps)).map(([code, choices]) =>
    startScannerOf(deps, code, choices),
  );
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
    settings: choices.kind === "utxo" ? coinScanSettings(choices) : scanSettingsOf(choices),
    assets: () => assetsOf(catalogue(), code),
    token: ids.uuid(),
  });
}

const scanSettingsOf = ({ scan = {} }: EvmChoices): ScanSettings => ({
  pollMs: scan.pollMs ?? POLL_MS,
  spanMax: scan.spanMax ?? 500,
  keepBlocks: scan.keepBlocks ?? 512,
  balancesEveryMs: (scan.balancesSeconds ?? 60) * 1_000,
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
    readonly choices: EvmChoices;
    readonly suspect: (endpoint: string, what: string) => void;
  },
): EvmEndpointsOptions {
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  const { finality = {} } = choices;
  return {
    ...endpointsOf(code, choices),
    networkCode: code,
    finality: finalityOf(network, finality),
    suspect,
  };
}

/** Returns the endpoints of a network, and how many must agree. */
function endpointsOf(code: string, choices: EvmChoices) {
  const { chainId, genesis, timeoutMs = 4_000 } = choices;
  return {
    chainId,
    genesis,
    ...openEndpoints(choices, code),
    timeoutMs,
  };
}

/** Without a choice the network's own word decides, and the confirmations of the catalogue are the least. */
const finalityOf = (network: Network, { tag, atLeast }: NonNullable<EvmChoices["finality"]>) => ({
  tag: tag ?? ("finalized" as const),
  atLeast: atLeast ?? network.confirmations,
});

/**
 * Returns the catalogue with the confirmations that the rails file chooses for its networks. The number that is shown
 * to a customer and the number that decides are then the same.
 */
export function withFinality(catalogue: Catalogue, choices: ChainChoices): Catalogue {
  if (Object.keys(choices).length === 0) return catalogue;
  const networks = catalogue.networks.map((network): Network => {
    const { atLeast = network.confirmations, large } = choices[network.code]?.finality ?? {};
    const aboveEuro = large && parseDecimal(large.aboveEuro);
    const chosen = aboveEuro && { aboveEuro, confirmations: large.atLeast };
    return { ...network, confirmations: atLeast, large: chosen ?? network.large };
  });
  return buildCatalogue({ ...catalogue, networks });
}

/** Disabled assets too, because an order may still wait for them. */
export const assetsOf = (catalogue: Catalogue, code: string): readonly WatchedAsset[] =>
  catalogue.currencies
    .filter(({ networkCode }) => networkCode === code)
    .map(({ id, contractAddress }) => ({ assetId: id, contract: contractAddress }));
