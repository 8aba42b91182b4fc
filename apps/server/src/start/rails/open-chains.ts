import { readFileSync } from "node:fs";
import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { type EvmEndpointsOptions, makeEvmReader } from "../../adapters/chains/evm/reader.ts";
import { makeEvmSender } from "../../adapters/chains/evm/sender.ts";
import { withLiveNetworks } from "../../chains/live-chain.ts";
import { makeLiveSends } from "../../chains/live-sends.ts";
import { type Scanner, startScanner } from "../../chains/scanner.ts";
import type { Config } from "../../config.ts";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { ChainReader, WatchedAsset } from "../../domain/ports/chain-reader.ts";
import type { ChainSender } from "../../domain/ports/chain-sender.ts";
import type { Deps } from "../../flows/deps.ts";
import { withSandboxExplorer } from "../../sandbox/routes/explorer.ts";
import type { Database } from "../../storage/postgres/database.ts";
import { nameLiveNetworks } from "../../storage/treasury/stock.ts";
import { StartError } from "../start-error.ts";
import { type ChainChoices, type EvmChoices, isUsableUrl, quorumOf } from "./chain-choices.ts";
import { processesOf } from "./open-rates.ts";
import { type RailsFile, readRailsFile } from "./rails-file.ts";
import { openReleaseKey, type SignerChoices } from "./signer-choices.ts";

export const POLL_MS = 4_000;
/** The default limit of a payout's fee, which is also that of a new signer's policy: 0.02 of an 18-decimal coin. */
export const FEE_MAX_UNITS = "20000000000000000";

type Place = Pick<Deps, "catalogue"> & { readonly database: Database };

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
  const accounts = new Map(
    choices.map(([code, { deposits }]) => [code, readDepositAccount(deposits.xpub)]),
  );
  const paying = new Set(choices.flatMap(([code, { hot }]) => (hot ? [code] : [])));
  const assetReference = (assetId: number): string =>
    catalogue().requireCurrency(assetId).reference;
  const sends = new Map(
    senders?.all.map((sender) => [
      sender.networkCode,
      makeLiveSends({ ...senders, database, sender }),
    ]),
  );
  const nextPlace = (code: string): Promise<bigint> => askNextPlace(config, { catalogue }, code);
  return withLiveNetworks({ database, accounts, assetReference, paying, sends, nextPlace, base });
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
  readonly installation: string;
  readonly signRelease: (text: string) => string;
}

/** Returns a function that returns the contract of a token, and null for a network's own coin. */
export const contractsOf =
  ({ catalogue }: Pick<Deps, "catalogue">) =>
  (reference: string): string | null => {
    const currency = catalogue().currencies.find((one) => one.reference === reference);
    if (!currency) throw new Error(`the catalogue has no coin ${reference}`);
    return currency.contractAddress;
  };

/** Opens the release key and a sender for each live network with a hot wallet. Only a worker may. */
export function openSenders(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue" | "log">,
): Senders | undefined {
  const { chains = {}, signer } = readLiveRails(config, deps);
  if (signer === undefined) return undefined;
  const all = Object.entries(chains).flatMap(
    ([code, choices]) => openSender(deps, code, { choices, signer }) ?? [],
  );
  const { installation, releaseKeyFile } = signer;
  return { all, log: deps.log, installation, signRelease: openReleaseKey(releaseKeyFile) };
}

function openSender(
  { catalogue, log }: Pick<Deps, "catalogue"> & { readonly log?: Deps["log"] },
  code: string,
  { choices, signer }: { readonly choices: EvmChoices; readonly signer: SignerChoices },
): ChainSender | undefined {
  const { hot, payouts = {} } = choices;
  if (!hot) return undefined;
  const { feeMaxUnits = FEE_MAX_UNITS, tipMinUnits = "0" } = payouts;
  const suspect = (endpoint: string, what: string): void =>
    log?.warn({ network: code, endpoint, what }, "an endpoint does not agree with the others");
  return makeEvmSender({
    endpoints: networkOf(catalogue(), code, { choices, suspect }),
    wallet: { name: hot.wallet, address: hot.address },
    contractOf: contractsOf({ catalogue }),
    signerSocket: signer.socket,
    limits: { feeMax: BigInt(feeMaxUnits), tipMin: BigInt(tipMinUnits) },
    pollMs: choices.scan?.pollMs ?? POLL_MS,
  });
}

/** Asks for a hot wallet's next place without a release key, as `exchange payouts reconcile` does. */
async function askNextPlace(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue">,
  code: string,
): Promise<bigint> {
  const { chains = {}, signer } = readLiveRails(config, deps);
  const choices = chains[code];
  const sender = choices && signer && openSender(deps, code, { choices, signer });
  if (!sender) return 0n;
  try {
    return (await sender.places()).next;
  } finally {
    await sender.close();
  }
}

/**
 * Starts a scanner for each live network. Of all processes, one at a time follows a network. The stock of the
 * networks' coins is bounded from then on.
 */
export async function startScanners(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue" | "database" | "log" | "ids">,
): Promise<Scanner> {
  const networks = Object.entries(readChains(config, deps));
  const codes = networks.map(([code]) => code);
  await deps.database.transaction((tx) => nameLiveNetworks(tx, codes));
  const scanners = networks.map(([code, choices]) => startScannerOf(deps, code, choices));
  return {
    stop: async () => {
      await Promise.all(scanners.map((scanner) => scanner.stop()));
    },
  };
}

/** Payouts are settled by blocks that a scanner reads a moment later. */
const BOOKED_WITHIN_SECONDS = 600;

function startScannerOf(
  { catalogue, database, log, ids }: Pick<Deps, "catalogue" | "database" | "log" | "ids">,
  code: string,
  choices: EvmChoices,
): Scanner {
  const { scan = {} } = choices;
  const suspect = (endpoint: string, what: string): void =>
    log.warn({ network: code, endpoint, what }, "an endpoint does not agree with the others");
  return startScanner({
    database,
    log,
    networkCode: code,
    reader: openReader(catalogue(), code, choices, suspect),
    settings: {
      pollMs: scan.pollMs ?? POLL_MS,
      spanMax: scan.spanMax ?? 500,
      keepBlocks: scan.keepBlocks ?? 512,
      balancesEveryMs: (scan.balancesSeconds ?? 60) * 1_000,
      bookedWithinSeconds: BOOKED_WITHIN_SECONDS,
    },
    assets: () => assetsOf(catalogue(), code),
    token: ids.uuid(),
  });
}

/** Opens a reader of a network. Close it at the end. */
export function openReader(
  catalogue: Catalogue,
  code: string,
  choices: EvmChoices,
  suspect: (endpoint: string, what: string) => void = () => {},
): ChainReader {
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
  const { chainId, genesis, endpoints, timeoutMs = 4_000 } = choices;
  return {
    chainId,
    genesis,
    endpoints: endpoints.map((one) => ({
      name: one.name,
      url: one.url ?? readUrl(one.urlFile ?? "", `chains.${code}`),
      isOwn: one.trust === "own",
    })),
    quorum: quorumOf(choices),
    timeoutMs,
  };
}

/** Without a choice the network's own word decides, and the confirmations of the catalogue are the least. */
const finalityOf = (network: Network, { tag, atLeast }: NonNullable<EvmChoices["finality"]>) => ({
  tag: tag ?? ("finalized" as const),
  atLeast: atLeast ?? network.confirmations,
});

/** Disabled assets too, because an order may still wait for them. */
const assetsOf = (catalogue: Catalogue, code: string): readonly WatchedAsset[] =>
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
