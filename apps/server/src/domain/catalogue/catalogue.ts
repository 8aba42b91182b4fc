import {
  type PriceChange,
  type PricedRules,
  rulesAt,
  timesOfEffect,
} from "../prices/price-change.ts";
import type { Country } from "./country.ts";
import type { Currency } from "./currency.ts";
import type { DeliveryMethod, PaymentMethod } from "./methods.ts";
import type { Network } from "./network.ts";
import type { PricingRule } from "./pricing-rule.ts";

/** The contents of the catalogue. Every list is in display order. */
export interface CatalogueContents {
  /** Grows with every change. Snapshots of one version hold the same items. */
  readonly version: bigint;
  readonly currencies: readonly Currency[];
  readonly networks: readonly Network[];
  readonly paymentMethods: readonly PaymentMethod[];
  readonly deliveryMethods: readonly DeliveryMethod[];
  readonly countries: readonly Country[];
  /** The rules of the files. `pricingRulesFor` returns those in force. */
  readonly pricingRules: readonly PricingRule[];
  /** Approved changes of rules: the ones in force and those that will take effect. */
  readonly priceChanges: readonly PriceChange[];
}

/**
 * One immutable snapshot with indexed look-ups. They find disabled items too, because old orders name them.
 * The rules decide whether an item may be used.
 */
export interface Catalogue extends CatalogueContents {
  currencyById(id: number): Currency | undefined;
  /** A stored currency is never deleted, so the lookup finds it; throws when it does not. */
  requireCurrency(id: number): Currency;
  /** Case-insensitive. A code shared by several networks means the coin on its default network. */
  currencyByCodeOrReference(text: string): Currency | undefined;
  /** Returns the coin's item on each network, the default first. Case-insensitive. */
  currenciesByCode(code: string): readonly Currency[];
  /** Case-insensitive. */
  network(code: string): Network | undefined;
  paymentMethodById(id: number): PaymentMethod | undefined;
  paymentMethodByReference(reference: string): PaymentMethod | undefined;
  deliveryMethodById(id: number): DeliveryMethod | undefined;
  deliveryMethodByReference(reference: string): DeliveryMethod | undefined;
  /** Case-insensitive. */
  country(code: string): Country | undefined;
  /** Returns the rules in force at a time that can price a merchant's exchanges, most specific first. */
  pricingRulesFor(merchantId: string, at: Date): readonly PricingRule[];
}

/** Indexes the contents. The loader has checked that references are unique. */
export function buildCatalogue(contents: CatalogueContents): Catalogue {
  const currencyIds = indexBy(contents.currencies, (currency) => currency.id);
  const references = indexBy(contents.currencies, (currency) => currency.reference);
  const codes = groupByCode(contents.currencies);
  const networks = indexBy(contents.networks, (network) => network.code);
  const paymentIds = indexBy(contents.paymentMethods, (method) => method.id);
  const paymentReferences = indexBy(contents.paymentMethods, (method) => method.reference);
  const deliveryIds = indexBy(contents.deliveryMethods, (method) => method.id);
  const deliveryReferences = indexBy(contents.deliveryMethods, (method) => method.reference);
  const countries = indexBy(contents.countries, (country) => country.code);
  const rules = indexRules(contents);
  return {
    ...contents,
    currencyById: (id) => currencyIds.get(id),
    requireCurrency: (id) => {
      const currency = currencyIds.get(id);
      if (!currency) throw new Error(`currency ${id} is not in the catalogue`);
      return currency;
    },
    currencyByCodeOrReference: (text) =>
      references.get(text.toLowerCase()) ?? codes.get(text.toUpperCase())?.[0],
    currenciesByCode: (code) => codes.get(code.toUpperCase()) ?? [],
    network: (code) => networks.get(code.toLowerCase()),
    paymentMethodById: (id) => paymentIds.get(id),
    paymentMethodByReference: (reference) => paymentReferences.get(reference.toLowerCase()),
    deliveryMethodById: (id) => deliveryIds.get(id),
    deliveryMethodByReference: (reference) => deliveryReferences.get(reference.toLowerCase()),
    country: (code) => countries.get(code.toUpperCase()),
    pricingRulesFor: rules,
  };
}

function indexBy<Key, Item>(items: readonly Item[], key: (item: Item) => Key): Map<Key, Item> {
  return new Map(items.map((item) => [key(item), item]));
}

/** Enabled items before disabled ones, the default network before the others. */
function groupByCode(currencies: readonly Currency[]): Map<string, readonly Currency[]> {
  const groups = new Map<string, Currency[]>();
  for (const currency of currencies) {
    const group = groups.get(currency.code);
    if (group) group.push(currency);
    else groups.set(currency.code, [currency]);
  }
  const rank = (currency: Currency): number =>
    (currency.enabled ? 0 : 2) + (currency.isDefaultNetwork ? 0 : 1);
  for (const group of groups.values()) group.sort((a, b) => rank(a) - rank(b));
  return groups;
}

/** Indexes the rules of each period between two changes, so that a quote only finds its period. */
function indexRules(rules: PricedRules): Catalogue["pricingRulesFor"] {
  const ofFiles = indexPeriod(rules.pricingRules);
  const periods = timesOfEffect(rules.priceChanges).map((from) => ({
    from,
    rulesFor: indexPeriod(rulesAt(rules, from)),
  }));
  return (merchantId, at) => {
    const period = periods.find(({ from }) => from <= at);
    return (period?.rulesFor ?? ofFiles)(merchantId);
  };
}

/** A merchant's own rules come before the general ones. Merchants without rules share one list. */
function indexPeriod(
  pricingRules: readonly PricingRule[],
): (merchantId: string) => readonly PricingRule[] {
  const enabled = pricingRules.filter((rule) => rule.enabled);
  const inOrder = enabled.toSorted((a, b) => specificity(b) - specificity(a));
  const general = inOrder.filter((rule) => rule.merchantId === null);
  const merchantIds = new Set(enabled.flatMap((rule) => rule.merchantId ?? []));
  const own = new Map(
    [...merchantIds].map((id) => [
      id,
      inOrder.filter((rule) => rule.merchantId === id || rule.merchantId === null),
    ]),
  );
  return (merchantId) => own.get(merchantId) ?? general;
}

/**
 * A merchant outweighs a payment method, which outweighs a currency, then an operation. Ties keep the
 * file's order.
 */
const specificity = (rule: PricingRule): number =>
  (rule.merchantId === null ? 0 : 8) +
  (rule.paymentMethodReference === null ? 0 : 4) +
  (rule.currency === null ? 0 : 2) +
  (rule.operation === null ? 0 : 1);
