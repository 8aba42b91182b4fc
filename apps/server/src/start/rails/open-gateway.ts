import { readDepositAccount } from "../../adapters/chains/evm/deposit-addresses.ts";
import { makeEvmSender } from "../../adapters/chains/evm/sender.ts";
import { readTronDepositAccount } from "../../adapters/chains/tron/addresses.ts";
import { makeTronSender } from "../../adapters/chains/tron/sender.ts";
import { readXrpDepositAccount } from "../../adapters/chains/xrp/addresses.ts";
import { withLiveNetworks } from "../../chains/live-chain.ts";
import { makeLiveCoins } from "../../chains/live-coins.ts";
import { makeLiveDeadlines } from "../../chains/live-deadlines.ts";
import { type LiveSends, makeLiveSends } from "../../chains/live-sends.ts";
import type { ChainSend } from "../../domain/ports/chain-gateway.ts";
import type { DepositAccount } from "../../domain/ports/chain-reader.ts";
import type { ChainSender, DeadlineSender } from "../../domain/ports/chain-sender.ts";
import type { CoinSender } from "../../domain/ports/coin-sender.ts";
import type { Deps } from "../../flows/deps.ts";
import type { Database } from "../../storage/postgres/database.ts";
import type { EvmChoices, NetworkChoices } from "./chain-choices.ts";
import { coinAccountOf } from "./coin-choices.ts";
import { listUnmined } from "./list-unmined.ts";
import { listUnread } from "./list-unread.ts";
import {
  type ChainConfig,
  feeLimitsOf,
  gasFloorOf,
  networkOf,
  POLL_MS,
  readChains,
  readLiveRails,
  suspectOf,
} from "./open-chains.ts";
import { openCoinSender } from "./open-coins.ts";
import { openSolanaSender } from "./open-solana.ts";
import { openXrpSender } from "./open-xrp.ts";
import { earlyDepthOf } from "./payout-depths.ts";
import { openReleaseKey, type SignerChoices } from "./signer-choices.ts";
import { solanaAccountOf } from "./solana-choices.ts";
import { type TronChoices, tronFeeMaxOf } from "./tron-choices.ts";

type Place = Pick<Deps, "catalogue"> & { readonly database: Database };

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
  const tanks = new Map<string, LiveSends>();
  if (senders) {
    const { all, coins, deadlines, log, installation, signRelease } = senders;
    const common = { database, log, installation, signRelease };
    for (const sender of all) sends.set(sender.networkCode, makeLiveSends({ ...common, sender }));
    for (const sender of senders.tanks) {
      tanks.set(sender.networkCode, makeLiveSends({ ...common, sender }));
    }
    for (const sender of coins) sends.set(sender.networkCode, makeLiveCoins({ ...common, sender }));
    for (const sender of deadlines) {
      sends.set(sender.networkCode, makeLiveDeadlines({ ...common, sender }));
    }
  }
  const nextPlace = (code: string, payer?: ChainSend["payer"]): Promise<bigint> =>
    askNextPlace(config, { catalogue }, code, payer === "gas_tank" ? "gasTank" : "hot");
  const live = {
    ...{ accounts, paying, sends, tanks },
    listUnmined: () => listUnmined({ database, catalogue }, choices),
    listUnread: () => listUnread({ database, catalogue }, choices),
  };
  return withLiveNetworks({ database, assetReference, nextPlace, base, ...live });
}

/** Returns the account of a network's deposit addresses. */
export function accountOf(choices: NetworkChoices): DepositAccount {
  if (choices.kind === "solana") return solanaAccountOf(choices);
  if (choices.kind === "xrp") return readXrpDepositAccount(choices.hot.address);
  const { xpub } = choices.deposits;
  if (choices.kind === "utxo") return coinAccountOf(choices, xpub);
  return choices.kind === "tron" ? readTronDepositAccount(xpub) : readDepositAccount(xpub);
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
  /** The senders of gas tanks, which fill places that a top-up gave up. */
  readonly tanks: readonly ChainSender[];
  /** The senders of networks of the Bitcoin family. */
  readonly coins: readonly CoinSender[];
  /** The senders of networks where transactions have deadlines. */
  readonly deadlines: readonly DeadlineSender[];
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

/** The member of a network that names a wallet of one address. */
type OwnWallet = "hot" | "gasTank";

/** Opens the release key and a sender for each live network with a hot wallet. Only a worker may. */
export function openSenders(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue" | "log">,
): Senders | undefined {
  const { chains = {}, signer } = readLiveRails(config, deps);
  if (signer === undefined) return undefined;
  const { log, catalogue } = deps;
  const networks = Object.entries(chains);
  const open = (member: OwnWallet): readonly ChainSender[] =>
    networks.flatMap(
      ([code, choices]) => openSender(deps, code, { choices, signer, member }) ?? [],
    );
  const coins = networks.flatMap(([code, choices]) => {
    if (choices.kind !== "utxo") return [];
    const suspect = suspectOf(log, code);
    return openCoinSender(catalogue(), code, { choices, suspect, signerSocket: signer.socket });
  });
  const deadlines = networks.flatMap(([code, choices]) => {
    if (choices.kind === "tron") return openTronSender(deps, code, { choices, signer });
    if (choices.kind !== "solana") return [];
    const suspect = suspectOf(log, code);
    return openSolanaSender(catalogue(), code, { choices, suspect, signerSocket: signer.socket });
  });
  const { installation, releaseKeyFile } = signer;
  const signRelease = openReleaseKey(releaseKeyFile);
  const sending = { all: open("hot"), tanks: open("gasTank"), coins, deadlines };
  return { ...sending, log, installation, signRelease };
}

/** Returns nothing for a network that spends coins or does not have the wallet. */
function openSender(
  { catalogue, log }: Pick<Deps, "catalogue"> & { readonly log?: Deps["log"] },
  code: string,
  {
    choices,
    signer,
    member,
  }: {
    readonly choices: NetworkChoices;
    readonly signer: SignerChoices;
    readonly member: OwnWallet;
  },
): ChainSender | undefined {
  if (choices.kind === "xrp") {
    const parts = { choices, suspect: suspectOf(log, code), signerSocket: signer.socket };
    return member === "hot" ? openXrpSender(code, parts) : undefined;
  }
  const own = choices.kind === "evm" ? choices[member] : undefined;
  const network = catalogue().network(code);
  if (choices.kind !== "evm" || !own || !network) return undefined;
  return makeEvmSender({
    ...sendingFrom(own, { catalogue, log, code, choices, signer }),
    limits: feeLimitsOf(choices),
    ...earlyDepthOf(choices, network, { hasWord: true }),
  });
}

/** Returns the parts of a sender that every network with accounts has. */
const sendingFrom = (
  { wallet: name, address }: { readonly wallet: string; readonly address: string },
  {
    catalogue,
    log,
    code,
    choices,
    signer,
  }: Pick<Deps, "catalogue"> & {
    readonly log: Deps["log"] | undefined;
    readonly code: string;
    readonly choices: EvmChoices | TronChoices;
    readonly signer: SignerChoices;
  },
) => ({
  endpoints: networkOf(catalogue(), code, { choices, suspect: suspectOf(log, code) }),
  wallet: { name, address },
  contractOf: contractsOf({ catalogue }),
  signerSocket: signer.socket,
  gasFloor: gasFloorOf(choices),
  pollMs: choices.scan?.pollMs ?? POLL_MS,
});

/** The defaults of payouts on Tron, in seconds. */
const TRON_PAYOUTS = { expirationSeconds: 60, graceSeconds: 60 } as const;

/** Returns nothing for a network without a hot wallet. */
function openTronSender(
  { catalogue, log }: Pick<Deps, "catalogue" | "log">,
  code: string,
  { choices, signer }: { readonly choices: TronChoices; readonly signer: SignerChoices },
): readonly DeadlineSender[] {
  const { hot } = choices;
  if (!hot) return [];
  const from = sendingFrom(hot, { catalogue, log, code, choices, signer });
  return [makeTronSender({ ...from, ...tronLimitsOf(choices) })];
}

/** Returns what a transaction of Tron may cost, and how long it may take. */
export function tronLimitsOf(choices: TronChoices) {
  const {
    expirationSeconds = TRON_PAYOUTS.expirationSeconds,
    graceSeconds = TRON_PAYOUTS.graceSeconds,
  } = choices.payouts ?? {};
  return { feeMax: tronFeeMaxOf(choices), expirationSeconds, graceMs: graceSeconds * 1_000 };
}

/** Asks for a wallet's next place without a release key, as `exchange payouts reconcile` does. */
async function askNextPlace(
  config: ChainConfig,
  deps: Pick<Deps, "catalogue">,
  code: string,
  member: OwnWallet,
): Promise<bigint> {
  const { chains = {}, signer } = readLiveRails(config, deps);
  const choices = chains[code];
  const sender = choices && signer && openSender(deps, code, { choices, signer, member });
  if (!sender) return 0n;
  try {
    return (await sender.places()).next;
  } finally {
    await sender.close();
  }
}
