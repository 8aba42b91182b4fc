import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { named, nullable } from "./schema.ts";

export const CountryCode = Type.String({ description: "ISO 3166-1 alpha-2 code" });

export const CurrencyItem = named(
  "CurrencyItem",
  Type.Object({
    id: Type.Integer(),
    code: Type.String(),
    description: Type.String(),
    shortName: nullable(Type.String()),
    symbol: Type.String(),
    type: Type.Union([Type.Literal("C"), Type.Literal("F")], { description: "C crypto, F fiat" }),
    reference: nullable(Type.String()),
    decimals: Type.Integer({ description: "decimals of amounts of this currency, at most 8" }),
    networkCode: nullable(Type.String()),
    networkName: nullable(Type.String()),
    memo: Type.Union([Type.Literal("none"), Type.Literal("optional"), Type.Literal("required")], {
      description: "whether an address on this network takes a memo or tag",
    }),
    paidOutOnly: Type.Optional(
      Type.Literal(true, {
        description: "present if customers can receive the currency and not pay with it",
      }),
    ),
  }),
);
export type CurrencyItem = Static<typeof CurrencyItem>;

export const ExchangeCurrencies = named(
  "ExchangeCurrencies",
  Type.Object({
    cryptoCurrencies: Type.Array(CurrencyItem),
    fiatCurrencies: Type.Array(CurrencyItem),
  }),
);
export type ExchangeCurrencies = Static<typeof ExchangeCurrencies>;

export const RequiredField = Type.Object({
  name: Type.String(),
  label: Type.String(),
  pattern: Type.String(),
});

export const DeliveryMethodItem = named(
  "DeliveryMethodItem",
  Type.Object({
    id: Type.Integer(),
    live: Type.Boolean(),
    name: Type.String(),
    reference: Type.String(),
    type: Type.String({
      description: "on_chain, bank_transfer, card_push, cash_pickup, mobile_money",
    }),
    currencyCodes: nullable(Type.Array(Type.String())),
    fee: Type.Object({
      percent: Type.Number(),
      fixed: Type.Number(),
      currencyCode: Type.String({ description: "currency of the fixed part" }),
    }),
    time: Type.Object({
      minDays: nullable(Type.Integer()),
      maxDays: nullable(Type.Integer()),
    }),
    requiredFields: Type.Array(RequiredField),
  }),
);
export type DeliveryMethodItem = Static<typeof DeliveryMethodItem>;

export const PaymentMethodItem = named(
  "PaymentMethodItem",
  Type.Object({
    id: Type.Integer(),
    live: Type.Boolean(),
    name: Type.String(),
    reference: Type.String(),
    type: Type.Optional(Type.String({ description: "card, bank_transfer or crypto" })),
    currencyCodes: Type.Optional(nullable(Type.Array(Type.String()))),
    time: Type.Optional(
      Type.Object(
        { minDays: nullable(Type.Integer()), maxDays: nullable(Type.Integer()) },
        { description: "the time that a payment takes to arrive" },
      ),
    ),
    paymentWindowSeconds: Type.Integer(),
    deliveryMethods: Type.Optional(Type.Array(DeliveryMethodItem)),
  }),
);
export type PaymentMethodItem = Static<typeof PaymentMethodItem>;

export const CountryItem = named(
  "CountryItem",
  Type.Object({
    code: CountryCode,
    name: Type.String(),
    currencyCode: Type.String({ description: "the country's own currency" }),
    operationTypes: Type.Array(OperationType, {
      description: "operations that customers there can use",
    }),
  }),
);
export type CountryItem = Static<typeof CountryItem>;

export const CurrenciesQuery = Type.Object({
  operationType: OperationType,
  countryCode: CountryCode,
});
export type CurrenciesQuery = Static<typeof CurrenciesQuery>;

export const PaymentMethodsQuery = Type.Object({
  operationType: OperationType,
  countryCode: CountryCode,
  includeDeliveryMethods: Type.Optional(Type.Union([Type.Literal("true"), Type.Literal("false")])),
});
export type PaymentMethodsQuery = Static<typeof PaymentMethodsQuery>;
