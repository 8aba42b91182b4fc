import {
  type CountryItem,
  type CurrencyItem,
  type DeliveryMethodItem,
  jsonNumber,
  type Outgoing,
  type PaymentMethodItem,
} from "@exchange/contract";
import type { Catalogue } from "../../domain/catalogue/catalogue.ts";
import type { Currency } from "../../domain/catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../../domain/catalogue/methods.ts";
import { paymentWindowSeconds } from "../../domain/payments/payment-window.ts";
import type { ServedCountry } from "../../domain/rules/list-ways.ts";
import { toOperationType } from "../wire.ts";

export function presentCurrency(currency: Currency, catalogue: Catalogue): Outgoing<CurrencyItem> {
  const network =
    currency.networkCode === null ? undefined : catalogue.network(currency.networkCode);
  return {
    id: currency.id,
    code: currency.code,
    description: currency.name,
    shortName: currency.kind === "crypto" ? null : currency.shortName,
    symbol: currency.symbol,
    type: currency.kind === "crypto" ? "C" : "F",
    reference: currency.reference,
    decimals: currency.publishedDecimals,
    networkCode: currency.networkCode,
    networkName: network?.name ?? null,
    memo: network?.memo ?? "none",
    ...(currency.isPaidOutOnly && { paidOutOnly: true }),
  };
}

/** `live` distinguishes real money from test money. It follows from the environment. */
export function presentPaymentMethod(
  method: PaymentMethod,
  shown: {
    readonly isLive: boolean;
    readonly deliveryMethods?: readonly Outgoing<DeliveryMethodItem>[] | undefined;
  },
): Outgoing<PaymentMethodItem> {
  const { deliveryMethods } = shown;
  return {
    id: method.id,
    live: shown.isLive,
    name: method.name,
    reference: method.reference,
    type: method.type,
    currencyCodes: method.currencyCodes && [...method.currencyCodes],
    time: { minDays: method.days.min, maxDays: method.days.max },
    paymentWindowSeconds: paymentWindowSeconds(method),
    ...(deliveryMethods ? { deliveryMethods } : {}),
  };
}

export function presentDeliveryMethod(
  method: DeliveryMethod,
  shown: { readonly isLive: boolean },
): Outgoing<DeliveryMethodItem> {
  return {
    id: method.id,
    live: shown.isLive,
    name: method.name,
    reference: method.reference,
    type: method.type,
    currencyCodes: method.currencyCodes && [...method.currencyCodes],
    fee: {
      percent: jsonNumber({ units: BigInt(method.feeBasisPoints), scale: 2 }),
      fixed: jsonNumber(method.fixedFeeEuro),
      currencyCode: "EUR",
    },
    time: { minDays: method.days.min, maxDays: method.days.max },
    requiredFields: method.requiredFields.map(({ name, label, pattern }) => ({
      name,
      label,
      pattern,
    })),
  };
}

export const presentCountry = ({ country, operations }: ServedCountry): Outgoing<CountryItem> => ({
  code: country.code,
  name: country.name,
  currencyCode: country.currencyCode,
  operationTypes: operations.map(toOperationType),
});
