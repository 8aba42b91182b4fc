import { type Static, Type } from "@sinclair/typebox";
import { CountryCode } from "./catalogue.ts";
import { OperationType } from "./operation-types.ts";
import { MethodSummary } from "./quotes.ts";
import { named } from "./schema.ts";

const CurrencyName = (side: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `code or reference of the currency ${side}, in place of its id`,
  });

/** The request names each currency once: by its id, or by its code or reference. */
export const LimitsQuery = Type.Object({
  operationType: OperationType,
  countryCode: Type.Optional(CountryCode),
  baseCurrencyId: Type.Optional(Type.Integer()),
  baseCurrency: Type.Optional(CurrencyName("to spend")),
  targetCurrencyId: Type.Optional(Type.Integer()),
  targetCurrency: Type.Optional(CurrencyName("to receive")),
  paymentMethodId: Type.Optional(Type.Integer()),
  deliveryMethodId: Type.Optional(Type.Integer()),
});
export type LimitsQuery = Static<typeof LimitsQuery>;

const Bounds = {
  min: Type.Number(),
  max: Type.Number(),
  boundBy: Type.Object(
    { min: Type.String(), max: Type.String() },
    {
      description:
        "the rule that sets each limit: merchant, currency, payment_method, delivery_method, country or fees",
    },
  ),
};

export const ExchangeLimits = named(
  "ExchangeLimits",
  Type.Object({
    ...Bounds,
    currencyCode: Type.String({
      description: "currency of every amount here: the one the customer spends",
    }),
    ways: Type.Array(
      Type.Object({ paymentMethod: MethodSummary, deliveryMethod: MethodSummary, ...Bounds }),
      { description: "each way to pay and be paid, with the limits of its quotes" },
    ),
  }),
);
export type ExchangeLimits = Static<typeof ExchangeLimits>;
