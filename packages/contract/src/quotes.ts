import { type Static, Type } from "@sinclair/typebox";
import { PaymentMethodItem } from "./catalogue.ts";
import { OperationType } from "./operation-types.ts";
import { literals, named, nullable } from "./schema.ts";

export const QuoteRequest = named(
  "QuoteRequest",
  Type.Object(
    {
      operationType: OperationType,
      baseCurrencyId: Type.Integer(),
      baseAmount: Type.Number({ exclusiveMinimum: 0 }),
      targetCurrencyId: Type.Integer(),
      paymentMethodId: Type.Integer(),
      deliveryMethodId: Type.Optional(Type.Integer()),
    },
    { additionalProperties: false },
  ),
);
export type QuoteRequest = Static<typeof QuoteRequest>;

/** A checkout quote may name the amount to receive instead of the amount to spend, never both. */
export const CheckoutQuoteRequest = named(
  "CheckoutQuoteRequest",
  Type.Object(
    {
      operationType: OperationType,
      baseCurrencyId: Type.Integer(),
      baseAmount: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      targetCurrencyId: Type.Integer(),
      targetAmount: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      paymentMethodId: Type.Integer(),
      deliveryMethodId: Type.Optional(Type.Integer()),
      alternatives: Type.Optional(
        literals(["paymentMethods", "deliveryMethods"], {
          description: "asks what the same exchange brings by each other method of this kind",
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
export type CheckoutQuoteRequest = Static<typeof CheckoutQuoteRequest>;

const NullableString = nullable(Type.String());
const NullableInteger = nullable(Type.Integer());
const FeeAmount = Type.Object({ amount: Type.Number(), currencyCode: Type.String() });
export const MethodSummary = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  reference: Type.String(),
});

export const FeeItem = Type.Object({
  type: Type.Union([Type.Literal("percentage"), Type.Literal("fixed")]),
  amount: Type.Number(),
  currencyCode: Type.String(),
});

export const AmountLimits = Type.Object({
  min: Type.Number(),
  max: Type.Number(),
  currencyCode: Type.String(),
});

/**
 * The cost of a quote in the currency that its customer thinks in. `value + total` is the amount spent, or for a sale the
 * amount spent at the market's price. The service rounds once: each cost to the nearest step of the currency, and `value`
 * takes the rest. A sale's figures are those of the ledger to the unit.
 */
export const QuoteReceipt = named(
  "QuoteReceipt",
  Type.Object({
    currencyCode: Type.String({
      description: "the currency spent; for a sale of coins the currency received",
    }),
    value: Type.Number({ description: "what the amount received is worth at the market's price" }),
    exchangeFee: Type.Number({ description: "`transactionFee` in the receipt's currency" }),
    deliveryFee: Type.Number({ description: "`delivery.fee` in the receipt's currency" }),
    spread: Type.Number({
      description: "the difference between the market's price and the quote's rate",
    }),
    total: Type.Number({ description: "the sum of both fees and the spread" }),
    spreadPercent: Type.Number({
      description: "how far the quote's rate is from the market's, in percent",
    }),
  }),
);
export type QuoteReceipt = Static<typeof QuoteReceipt>;

/**
 * `spend.amount × rate = receive.amount + transactionFee.amount + delivery.fee.amount`, to the
 * scale of the target currency (completion, section 1).
 */
export const QuoteData = named(
  "QuoteData",
  Type.Object({
    spend: Type.Object({
      amount: Type.Number(),
      currencyCode: Type.String(),
      currencyReference: NullableString,
    }),
    transactionFee: FeeAmount,
    receive: Type.Object({
      amount: Type.Number(),
      currencyCode: Type.String(),
      currencyReference: Type.String(),
    }),
    delivery: Type.Object({
      fee: FeeAmount,
      time: Type.Object({ minDays: NullableInteger, maxDays: NullableInteger }),
    }),
    paymentMethod: MethodSummary,
    receivePaymentMethod: MethodSummary,
    rate: Type.Number({ description: "effective exchange rate, target per base" }),
    quoteId: Type.String(),
    expiresAt: Type.Integer({ description: "Unix seconds" }),
    limits: AmountLimits,
    fees: Type.Array(FeeItem, { description: "the parts that sum to transactionFee" }),
    receipt: QuoteReceipt,
  }),
);
export type QuoteData = Static<typeof QuoteData>;

/** Another way to pay for an order: a stored quote, with the time that its payment takes. */
export const MethodOffer = named(
  "MethodOffer",
  Type.Object({ ...QuoteData.properties, time: PaymentMethodItem.properties.time }),
);
export type MethodOffer = Static<typeof MethodOffer>;

/** The same exchange by another method, at the prices of the quote. It is not stored. */
export const QuoteAlternative = named(
  "QuoteAlternative",
  Type.Object({
    paymentMethodId: Type.Integer(),
    deliveryMethodId: Type.Integer(),
    spend: FeeAmount,
    receive: FeeAmount,
    deliveryFee: FeeAmount,
  }),
);
export type QuoteAlternative = Static<typeof QuoteAlternative>;

/** A method of the kind that was asked for, whose limits the amount is outside of. */
export const MethodOutsideLimits = named(
  "MethodOutsideLimits",
  Type.Object({
    methodId: Type.Integer({ description: "the id of the payment method or delivery method" }),
    bound: literals(["min", "max"], {
      description: "whether the amount is below the method's lowest or above its highest",
    }),
    limit: FeeAmount,
  }),
);
export type MethodOutsideLimits = Static<typeof MethodOutsideLimits>;

export const CheckoutQuoteData = named(
  "CheckoutQuoteData",
  Type.Object({
    ...QuoteData.properties,
    alternatives: Type.Optional(
      Type.Array(QuoteAlternative, {
        description:
          "if the request asked for them: each method that can make this exchange, the quote's own among them",
      }),
    ),
    outsideLimits: Type.Optional(
      Type.Array(MethodOutsideLimits, {
        description:
          "if the request asked for alternatives: each method whose limits the amount is outside of",
      }),
    ),
  }),
);
export type CheckoutQuoteData = Static<typeof CheckoutQuoteData>;
