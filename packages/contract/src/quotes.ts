import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { named, nullable } from "./schema.ts";

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
  }),
);
export type QuoteData = Static<typeof QuoteData>;
