import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { Network } from "../catalogue/network.ts";
import { isOffered } from "../rules/availability.ts";
import { isAddressOn } from "./check-address.ts";
import { destinationFault } from "./destination-fault.ts";

export interface WalletQuestion {
  /** Surrounding spaces are removed. Nothing else changes. */
  readonly walletAddress: string;
  /** A coin's code, which means all its networks, or one item's reference. Any letter case. */
  readonly currency: string;
  readonly networkCode?: string | undefined;
}

/** The result of a wallet look-up (completion, section 7). `address` has no surrounding spaces. */
export type WalletAnswer =
  | { readonly kind: "unknown_currency" }
  | { readonly kind: "unknown_network" }
  /** The address fits no network of the coin. `belongsTo` lists other networks that it fits. */
  | {
      readonly kind: "invalid";
      readonly belongsTo: readonly Network[];
      /** The network that an address was expected on: the given one, or the coin's default. */
      readonly expected: Network;
    }
  /** The address does not fit the given network, but these other networks of the coin. */
  | {
      readonly kind: "mismatch";
      readonly givenNetwork: Network;
      readonly networks: readonly Network[];
    }
  /** The address fits each of these networks, so the customer must choose one. */
  | { readonly kind: "needs_network"; readonly networks: readonly Network[] }
  | {
      readonly kind: "valid";
      readonly address: string;
      readonly currency: Currency;
      readonly network: Network;
    };

/** The text for `unknown_currency`. */
export const NO_SUCH_COIN =
  "There is no such cryptocurrency. GET /v1/exchange/currencies lists them.";

/** Decides whether the address belongs to the coin, and on which of its networks. */
export function lookUpWallet(catalogue: Catalogue, question: WalletQuestion): WalletAnswer {
  const address = question.walletAddress.trim();
  const items = itemsOf(catalogue, question.currency);
  const fitting = items.filter((item) => destinationFault(catalogue, item, address) === undefined);
  const [usual] = items;
  if (!usual) return { kind: "unknown_currency" };
  const { networkCode } = question;
  if (networkCode !== undefined)
    return onNetwork(catalogue, { address, networkCode, items, fitting });
  const [first, ...others] = fitting;
  if (!first) {
    const belongsTo = otherNetworksOf(catalogue, address, items);
    return { kind: "invalid", belongsTo, expected: usual.network };
  }
  if (others.length > 0) return { kind: "needs_network", networks: fitting.map(networkOf) };
  return { kind: "valid", address, ...first };
}

/** A coin on one network. */
interface Item {
  readonly currency: Currency;
  readonly network: Network;
}

const networkOf = (item: Item): Network => item.network;

/** A reference names one item. A code names the coin on every network. */
function itemsOf(catalogue: Catalogue, text: string): readonly Item[] {
  const byCode = catalogue.currenciesByCode(text);
  const single = byCode.length > 0 ? undefined : catalogue.currencyByCodeOrReference(text);
  return (single ? [single] : byCode).flatMap((currency) => {
    const network =
      currency.networkCode === null ? undefined : catalogue.network(currency.networkCode);
    return network && isOffered(catalogue, currency) ? [{ currency, network }] : [];
  });
}

function onNetwork(
  catalogue: Catalogue,
  look: {
    readonly address: string;
    readonly networkCode: string;
    readonly items: readonly Item[];
    readonly fitting: readonly Item[];
  },
): WalletAnswer {
  const { address, items, fitting } = look;
  const givenNetwork = catalogue.network(look.networkCode);
  if (!givenNetwork || !items.some(({ network }) => network === givenNetwork))
    return { kind: "unknown_network" };
  const item = fitting.find(({ network }) => network === givenNetwork);
  if (item) return { kind: "valid", address, ...item };
  if (fitting.length > 0)
    return { kind: "mismatch", givenNetwork, networks: fitting.map(networkOf) };
  return {
    kind: "invalid",
    belongsTo: otherNetworksOf(catalogue, address, items),
    expected: givenNetwork,
  };
}

/** On a network of the coin itself such an address is a contract or a token account. */
const otherNetworksOf = (
  catalogue: Catalogue,
  address: string,
  items: readonly Item[],
): readonly Network[] =>
  catalogue.networks.filter(
    (network) =>
      network.enabled &&
      items.every((item) => item.network.code !== network.code) &&
      isAddressOn(network, address),
  );
