import type { Country } from "./country.ts";
import type { Currency } from "./currency.ts";
import type { DeliveryMethod, PaymentMethod } from "./methods.ts";
import type { Network } from "./network.ts";
import type { PricingRule } from "./pricing-rule.ts";

/** Everything the catalogue holds, each list in the order it is shown. */
export interface CatalogueContents {
  /** Grows with every change; a snapshot of the same version holds the same items. */
  readonly version: bigint;
  readonly currencies: readonly Currency[];
  readonly networks: readonly Network[];
  readonly paymentMethods: readonly PaymentMethod[];
  readonly deliveryMethods: readonly DeliveryMethod[];
  readonly countries: readonly Country[];
  readonly pricingRules: readonly PricingRule[];
}

/**
 * One immutable snapshot with indexed lookups. Lookups find disabled items too, since old orders
 * name them; whether something may be used is for the rules to say.
 */
export interface Catalogue extends CatalogueContents {
  currencyById(id: number): Currency | undefined;
  /** Case-insensitive. A code that several networks share means the coin's default network. */
  currencyByCodeOrReference(text: string): Currency | undefined;
  /** Every network's item of a coin, default first. Case-insensitive. */
  currenciesByCode(code: string): readonly Currency[];
  /** Case-insensitive. */
  network(code: string): Network | undefined;
  paymentMethodById(id: number): PaymentMethod | undefined;
  paymentMethodByReference(reference: string): PaymentMethod | undefined;
  deliveryMethodById(id: number): DeliveryMethod | undefined;
  deliveryMethodByReference(reference: string): DeliveryMethod | undefined;
  /** Case-insensitive. */
  country(code: string): Country | undefined;
  /** The rules that can price a merchant's exchanges, most specific first. */
  pricingRulesFor(merchantId: string): readonly PricingRule[];
}

/** Indexes the contents. References are unique; the loader has checked that. */
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
  const rules = indexRules(contents.pricingRules);
  return {
    ...contents,
    currencyById: (id) => currencyIds.get(id),
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

/** Own rules of a merchant come before the general ones, which are shared by all who have none. */
function indexRules(
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

/** Merchant outweighs payment method, that currency, that operation. Ties keep the file's order. */
const specificity = (rule: PricingRule): number =>
  (rule.merchantId === null ? 0 : 8) +
  (rule.paymentMethodReference === null ? 0 : 4) +
  (rule.currency === null ? 0 : 2) +
  (rule.operation === null ? 0 : 1);
