import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Country } from "../catalogue/country.ts";
import type { Currency } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import { OPERATION_SIDES, type Operation } from "../catalogue/operation.ts";
import { type Check, failing } from "./checks.ts";

/** Returns whether new orders may use the currency: it and its network are enabled. */
export function isOffered(catalogue: Catalogue, currency: Currency): boolean {
  if (!currency.enabled) return false;
  return currency.networkCode === null || catalogue.network(currency.networkCode)?.enabled === true;
}

/** Returns why nobody can pay with the currency, and undefined if customers can. */
export const spendFaultOf = ({ isPaidOutOnly, reference }: Currency): string | undefined =>
  isPaidOutOnly
    ? `${reference} is only paid out, and nobody can pay with it. Use a currency that GET /v1/exchange/currencies lists without paidOutOnly.`
    : undefined;

/** A use of a payment method. Without a country, country rules do not apply. */
export interface PaymentUse {
  readonly operation: Operation;
  readonly spend?: Currency;
  readonly country?: Country | undefined;
}

export const PAYMENT_CHECKS: readonly Check<PaymentMethod, PaymentUse>[] = [
  { fault: "is disabled", holds: (method) => method.enabled },
  {
    fault: "is not for this operation",
    holds: (method, { operation }) => method.operations.has(operation),
  },
  { fault: "its country is not served", holds: (_, { country }) => !country || country.enabled },
  {
    fault: "is not offered in this country",
    holds: (method, { country }) => includes(method.countryCodes, country),
  },
  {
    fault: "does not take the currency spent",
    holds: (method, { spend }) => !spend || handles(method.currencyCodes, spend),
  },
  {
    fault: "does not take a coin that is only paid out",
    holds: (_, { spend }) => !spend?.isPaidOutOnly,
  },
];

export const canPayWith = (method: PaymentMethod, use: PaymentUse): boolean =>
  failing(PAYMENT_CHECKS, method, use) === undefined;

export interface DeliveryUse {
  readonly operation: Operation;
  readonly receive?: Currency;
  readonly country?: Country | undefined;
}

/**
 * Decides whether a delivery method can pay the customer out. A fiat-to-fiat transfer may go to any country:
 * its currency decides. In every other operation the customer is paid, so the customer's country decides.
 */
export const DELIVERY_CHECKS: readonly Check<DeliveryMethod, DeliveryUse>[] = [
  { fault: "is disabled", holds: (method) => method.enabled },
  {
    fault: "is not for this operation",
    holds: (method, { operation }) => method.operations.has(operation),
  },
  {
    fault: "is not offered in this country",
    holds: (method, { operation, country }) =>
      operation === "fiat_to_fiat" || includes(method.countryCodes, country),
  },
  { fault: "its country is not served", holds: (_, { country }) => !country || country.enabled },
  {
    fault: "does not pay out the currency received",
    holds: (method, { receive }) => !receive || handles(method.currencyCodes, receive),
  },
];

export const canDeliverBy = (method: DeliveryMethod, use: DeliveryUse): boolean =>
  failing(DELIVERY_CHECKS, method, use) === undefined;

const includes = (
  countryCodes: ReadonlySet<string> | null,
  country: Country | undefined,
): boolean => !country || countryCodes === null || countryCodes.has(country.code);

/** A list of currencies holds fiat codes. Methods without a list handle coins. */
const handles = (currencyCodes: ReadonlySet<string> | null, currency: Currency): boolean =>
  currencyCodes === null || (currency.kind === "fiat" && currencyCodes.has(currency.code));

export interface ListingQuestion {
  readonly operation: Operation;
  readonly country: Country;
}

export interface CurrencyListing {
  readonly crypto: readonly Currency[];
  readonly fiat: readonly Currency[];
}

export interface ListedSides {
  readonly spend: readonly Currency[];
  readonly receive: readonly Currency[];
}

/** Returns the currencies that a customer in the country can spend in the operation, and those to receive. */
export function listSides(catalogue: Catalogue, question: ListingQuestion): ListedSides {
  const { operation } = question;
  const kinds = OPERATION_SIDES[operation];
  const payments = catalogue.paymentMethods.filter((method) => canPayWith(method, question));
  const deliveries = catalogue.deliveryMethods.filter((method) => canDeliverBy(method, question));
  const offered = catalogue.currencies.filter((currency) => isOffered(catalogue, currency));
  return {
    spend: offered.filter(
      (spend) =>
        spend.kind === kinds.spend &&
        payments.some((method) => canPayWith(method, { operation, spend })),
    ),
    receive: offered.filter(
      (receive) =>
        receive.kind === kinds.receive &&
        deliveries.some((method) => canDeliverBy(method, { operation, receive })),
    ),
  };
}

/** Returns the currencies that a customer in the country can spend or receive in the operation. */
export function listCurrencies(catalogue: Catalogue, question: ListingQuestion): CurrencyListing {
  const { spend, receive } = listSides(catalogue, question);
  const listed = new Set([...spend, ...receive]);
  const usable = catalogue.currencies.filter((currency) => listed.has(currency));
  return {
    crypto: usable.filter(({ kind }) => kind === "crypto"),
    fiat: usable.filter(({ kind }) => kind === "fiat"),
  };
}

export interface PaymentMethodListing {
  readonly paymentMethod: PaymentMethod;
  /** The delivery methods that combine with this payment method. */
  readonly deliveryMethods: readonly DeliveryMethod[];
}

/** Returns the payment methods, with their delivery methods, for a customer in the country. */
export function listPaymentMethods(
  catalogue: Catalogue,
  question: ListingQuestion,
): readonly PaymentMethodListing[] {
  const deliveryMethods = catalogue.deliveryMethods.filter((method) =>
    canDeliverBy(method, question),
  );
  if (deliveryMethods.length === 0) return [];
  return catalogue.paymentMethods
    .filter((method) => canPayWith(method, question))
    .map((paymentMethod) => ({ paymentMethod, deliveryMethods }));
}
