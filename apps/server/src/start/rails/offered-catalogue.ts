import { parseDecimal } from "@exchange/money";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { PaymentMethodType } from "../../domain/catalogue/methods.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import type { ExchangeControls } from "../../domain/payouts/controls.ts";
import type { MerchantDirectory } from "../../domain/ports/merchant-directory.ts";
import type { Deps } from "../../flows/deps.ts";
import { withSandboxExplorer } from "../../sandbox/routes/explorer.ts";
import { readCatalogue } from "../../storage/catalogue/catalogue.ts";
import { readMerchantDirectory } from "../../storage/merchants/directory.ts";
import { readExchangeControls } from "../../storage/payouts/exchange-controls.ts";
import type { Database } from "../../storage/postgres/database.ts";
import type { ChainChoices, NetworkChoices } from "./chain-choices.ts";
import { liveChainOf } from "./coin-choices.ts";
import { withLiveStock } from "./open-chains.ts";

/** The rails outside the rails file: those of the sandbox, or none. */
type BuiltRails = Pick<Deps, "cardProcessor" | "chain" | "bank">;

/** The configuration that a process decides by. */
export interface Snapshot {
  readonly catalogue: Catalogue;
  readonly directory: MerchantDirectory;
  readonly controls: ExchangeControls;
}

export interface Offer extends ExplorerChoices {
  readonly rails: BuiltRails;
}

/** Reads the configuration as it is stored. */
export async function readStored(database: Database): Promise<Snapshot> {
  const [catalogue, directory, controls] = await Promise.all([
    readCatalogue(database),
    readMerchantDirectory(database),
    readExchangeControls(database),
  ]);
  return { catalogue, directory, controls };
}

/**
 * Returns the stored configuration as this installation offers it. The service and the command line both decide by it,
 * so that a command explains the orders that the service takes.
 */
export function snapshotOf({ catalogue, directory, controls }: Snapshot, offer: Offer): Snapshot {
  return {
    catalogue: withExplorers(withRails(catalogue, offer), offer),
    directory,
    controls: withLiveStock(controls, { catalogue, chains: offer.chains }),
  };
}

/**
 * Returns the catalogue with the blocks and the chains of the rails file, and without the methods and the networks that
 * no rail serves. They are disabled and not removed, because an order may still wait for them.
 */
export function withRails(
  stored: Catalogue,
  { chains, rails }: Pick<Offer, "chains" | "rails">,
): Catalogue {
  const catalogue = withLiveChains(withFinality(stored, chains), chains);
  const isServed = {
    card: rails.cardProcessor !== undefined,
    chain: rails.chain !== undefined || Object.keys(chains).length > 0,
    bank: rails.bank !== undefined,
  };
  return buildCatalogue({
    ...catalogue,
    networks: catalogue.networks.map((network) => ({
      ...network,
      enabled:
        network.enabled && (rails.chain !== undefined || Object.hasOwn(chains, network.code)),
    })),
    paymentMethods: catalogue.paymentMethods.map((method) => ({
      ...method,
      enabled: method.enabled && isServed[PAYMENT_RAILS[method.type]],
    })),
    deliveryMethods: catalogue.deliveryMethods.map((method) => ({
      ...method,
      enabled: method.enabled && isServed[method.type === "on_chain" ? "chain" : "bank"],
    })),
  });
}

/** The rail that takes or pays the money of a method. Payouts in cash and mobile money are a bank's. */
const PAYMENT_RAILS: Readonly<Record<PaymentMethodType, "card" | "chain" | "bank">> = {
  card: "card",
  crypto: "chain",
  bank_transfer: "bank",
  cash: "bank",
  mobile_money: "bank",
};

/**
 * Adds the confirmations that the rails file chooses for its networks. The number that is shown to a customer and the
 * number that decides are then the same.
 */
function withFinality(catalogue: Catalogue, choices: ChainChoices): Catalogue {
  const networks = catalogue.networks.map((network): Network => {
    const { atLeast = network.confirmations, large } = finalityOf(choices[network.code]);
    const aboveEuro = large && parseDecimal(large.aboveEuro);
    const chosen = aboveEuro && { aboveEuro, confirmations: large.atLeast };
    return { ...network, confirmations: atLeast, large: chosen ?? network.large };
  });
  return buildCatalogue({ ...catalogue, networks });
}

/** A validated ledger of the XRP Ledger is final, so there is nothing to choose. */
const finalityOf = (choices: NetworkChoices | undefined) =>
  choices === undefined || choices.kind === "xrp" ? {} : (choices.finality ?? {});

/** Adds the chains that the live networks follow, for links to wallets and for addresses. */
function withLiveChains(catalogue: Catalogue, live: ChainChoices): Catalogue {
  const networks = catalogue.networks.map((network): Network => {
    const choices = live[network.code];
    if (choices === undefined) return network;
    if (choices.kind !== "evm" && choices.kind !== "utxo") return network;
    return choices.kind === "utxo"
      ? { ...network, addressChain: liveChainOf(choices).addresses }
      : { ...network, chainId: choices.chainId };
  });
  // Tokens of Solana are not read at deposit addresses, so nobody may pay with one on the real chain.
  const currencies = catalogue.currencies.map((currency): Currency => {
    const choices = live[currency.networkCode ?? ""];
    if (choices?.kind !== "solana" || currency.contractAddress === null) return currency;
    const isListed = choices.tokens?.includes(currency.reference) ?? false;
    return { ...currency, enabled: currency.enabled && isListed, isPaidOutOnly: true };
  });
  return buildCatalogue({ ...catalogue, networks, currencies });
}

interface ExplorerChoices {
  readonly chains: ChainChoices;
  /** The public address of the sandbox. Undefined in `prod`, and where it is not known. */
  readonly sandboxUrl: string | undefined;
}

/**
 * Returns the catalogue with links to the explorers of its networks. A live network has the explorer of the rails
 * file, or else of the catalogue. Any other network has the sandbox's.
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
