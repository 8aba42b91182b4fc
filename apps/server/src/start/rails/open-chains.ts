import { readFileSync } from "node:fs";
import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { makeEvmReader } from "../../adapters/chains/evm/reader.ts";
import { makeCoinReader } from "../../adapters/chains/utxo/reader.ts";
import { withLiveNetworks } from "../../chains/live-chain.ts";
import type { ScanSettings } from "../../chains/scan.ts";
import { type Scanner, startScanner } from "../../chains/scanner.ts";
import type { Config } from "../../config.ts";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { ChainReader, DepositAccount, WatchedAsset } from "../../domain/ports/chain-reader.ts";
import type { Deps } from "../../flows/deps.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { StartError } from "../start-error.ts";
import type { ChainChoices, EvmChoices } from "./chain-choices.ts";
import { type CoinChoices, coinAccountOf, liveChainOf } from "./coin-choices.ts";
import { isUsableUrl, quorumOf } from "./endpoint-choices.ts";
import { processesOf } from "./open-rates.ts";
import { readRailsFile } from "./rails-file.ts";

type NetworkChoices = EvmChoices | CoinChoices;
type Place = Pick<Deps, "catalogue"> & { readonly database: Database };

type ChainConfig = Pick<Config, "apiProcesses" | "environment" | "railsFile">;

/** Reads the live networks of the rails file. Throws a `StartError` that lists every problem of the file. */
export function readChains(
  config: ChainConfig,
  { catalogue }: Pick<Deps, "catalogue">,
): ChainChoices {
  const { environment, railsFile } = config;
  if (railsFile === undefined) return {};
  const place = { environment, processes: processesOf(config), catalogue: catalogue() };
  return readRailsFile(railsFile, place).chains ?? {};
}

/** Returns the gateway of all networks: live ones where the rails file names any. */
export function openChain(
  config: ChainConfig,
  { database, catalogue }: Place,
  base: Deps["chain"],
): Deps["chain"] {
  const choices = Object.entries(readChains(config, { catalogue }));
  if (choices.length === 0) return base;
  const accounts = new Map(choices.map(([code, one]) => [code, accountOf(one)]));
  const assetReference = (assetId: number): string =>
    catalogue().requireCurrency(assetId).reference;
  return withLiveNetworks({ database, accounts, assetReference, base });
}

const accountOf = (choices: NetworkChoices): DepositAccount =>
  choices.kind === "evm" ? readDepositAccount(choices.deposits.xpub) : coinAccountOf(choices);

/** Returns the catalogue with the chains of the live networks, so that addresses of a test chain are taken. */
export function withAddressChains(live: ChainChoices, catalogue: Catalogue): Catalogue {
  if (Object.keys(live).length === 0) return catalogue;
  const networks = catalogue.networks.map((network): Network => {
    const choices = live[network.code];
    return choices?.kind === "utxo"
      ? { ...network, addressChain: liveChainOf(choices).addresses }
      : network;
  });
  return buildCatalogue({ ...catalogue, networks });
}

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
  const suspect = (endpoint: string, what: string): void =>
    log.warn({ network: code, endpoint, what }, "an endpoint does not agree with the others");
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

const settingsOf = (choices: NetworkChoices): ScanSettings => {
  if (choices.kind === "utxo") {
    const { pollMs = 5_000, spanMax = 20, keepBlocks = 1_000 } = choices.scan ?? {};
    return { pollMs, spanMax, keepBlocks, balancesEveryMs: 0 };
  }
  const {
    pollMs = 4_000,
    spanMax = 500,
    keepBlocks = 512,
    balancesSeconds = 60,
  } = choices.scan ?? {};
  return { pollMs, spanMax, keepBlocks, balancesEveryMs: balancesSeconds * 1_000 };
};

/** Opens a reader of a network. Close it at the end. */
export function openReader(
  catalogue: Catalogue,
  code: string,
  choices: NetworkChoices,
  suspect: (endpoint: string, what: string) => void = () => {},
): ChainReader {
  const network = catalogue.network(code);
  if (!network) throw new Error(`the catalogue has no network ${code}`);
  const shared = {
    networkCode: code,
    endpoints: choices.endpoints.map((one) => ({
      name: one.name,
      url: one.url ?? readUrl(one.urlFile ?? "", `chains.${code}`),
      isOwn: one.trust === "own",
    })),
    quorum: quorumOf(choices),
    suspect,
  };
  if (choices.kind === "utxo") {
    const { timeoutMs = 20_000, finality = {} } = choices;
    const confirmations = finality.atLeast ?? network.confirmations;
    return makeCoinReader({ ...shared, chain: liveChainOf(choices), timeoutMs, confirmations });
  }
  const { chainId, genesis, timeoutMs = 4_000, finality = {}, scan = {} } = choices;
  return makeEvmReader({
    ...shared,
    chainId,
    genesis,
    timeoutMs,
    finality: finalityOf(network, finality),
    addressesAtOnce: scan.addressesAtOnce ?? 500,
  });
}

/** Without a choice the network's own word decides, and the confirmations of the catalogue are the least. */
const finalityOf = (network: Network, { tag, atLeast }: NonNullable<EvmChoices["finality"]>) => ({
  tag: tag ?? ("finalized" as const),
  atLeast: atLeast ?? network.confirmations,
});

/** Disabled assets too, because an order may still wait for them. */
export const assetsOf = (catalogue: Catalogue, code: string): readonly WatchedAsset[] =>
  catalogue.currencies
    .filter(({ networkCode }) => networkCode === code)
    .map(({ id, contractAddress }) => ({ assetId: id, contract: contractAddress }));

function readUrl(path: string, member: string): string {
  let url: string;
  try {
    url = readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`${member} names the file ${path}, which cannot be read (${code}).`);
  }
  if (isUsableUrl(url)) return url;
  throw new StartError(
    `${member} names the file ${path}, which must hold one address such as https://rpc.example.com/key.`,
  );
}
