import { parseDecimal } from "@exchange/money";
import { buildCatalogue, type Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { Network } from "../../domain/catalogue/network.ts";
import { withSandboxExplorer } from "../../sandbox/routes/explorer.ts";
import type { ChainChoices, NetworkChoices } from "./chain-choices.ts";
import { liveChainOf } from "./coin-choices.ts";

/**
 * Returns the catalogue as this installation offers it: with the blocks and the chains of its rails file, and, where
 * there are no sandbox rails, without the methods and the networks that nobody serves. They are disabled and not
 * removed, because an order may still wait for them.
 */
export function withRailsFile(
  stored: Catalogue,
  { chains, hasSandbox }: { readonly chains: ChainChoices; readonly hasSandbox: boolean },
): Catalogue {
  const catalogue = withLiveChains(withFinality(stored, chains), chains);
  return hasSandbox ? catalogue : withoutUnserved(catalogue, chains);
}

/** The only live providers are those of coins, so nobody takes or pays money of a bank or a card. */
function withoutUnserved(catalogue: Catalogue, chains: ChainChoices): Catalogue {
  const hasChain = Object.keys(chains).length > 0;
  return buildCatalogue({
    ...catalogue,
    networks: catalogue.networks.map((network) => ({
      ...network,
      enabled: network.enabled && chains[network.code] !== undefined,
    })),
    paymentMethods: catalogue.paymentMethods.map((method) => ({
      ...method,
      enabled: method.enabled && hasChain && method.type === "crypto",
    })),
    deliveryMethods: catalogue.deliveryMethods.map((method) => ({
      ...method,
      enabled: method.enabled && hasChain && method.type === "on_chain",
    })),
  });
}

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
