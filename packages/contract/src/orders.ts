import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { PAGE_QUERY } from "./pages.ts";
import { QuoteData } from "./quotes.ts";
import { literals, nullable } from "./schema.ts";
import { Customer, SessionId } from "./tokens.ts";

/** Order statuses (completion, section 6); the same words are used inside. */
export const ORDER_STATUSES = [
  "awaiting_payment",
  "payment_pending",
  "in_review",
  "processing",
  "sending",
  "completed",
  "failed",
  "expired",
  "cancelled",
  "refund_pending",
  "refunded",
] as const;

export const STATUS_REASONS = [
  "card_declined",
  "three_ds_failed",
  "bank_rejected",
  "payment_timeout",
  "underpaid",
  "overpaid",
  "late_payment",
  "wrong_asset",
  "screening_hit",
  "limit_exceeded",
  "no_liquidity",
  "delivery_rejected",
  "chain_reorg",
  "user_cancelled",
  "merchant_cancelled",
  "operator_cancelled",
  "provider_error",
] as const;

export const OrderStatus = literals(ORDER_STATUSES);
export const StatusReason = literals(STATUS_REASONS);

export const OrderIdParams = Type.Object({
  orderId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** Body of `POST /checkout/orders`: names a quote, never a price. */
export const PlaceOrderRequest = Type.Object(
  {
    quoteId: Type.String({ minLength: 1, maxLength: 64 }),
    walletAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    networkCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    memo: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    refundAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    payout: Type.Optional(
      Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 256 }), {
        maxProperties: 20,
      }),
    ),
    customer: Type.Optional(Customer),
  },
  { additionalProperties: false },
);
export type PlaceOrderRequest = Static<typeof PlaceOrderRequest>;

export const BillingAddress = Type.Object(
  {
    line1: Type.String({ minLength: 1, maxLength: 200 }),
    city: Type.String({ minLength: 1, maxLength: 100 }),
    postalCode: Type.String({ minLength: 1, maxLength: 20 }),
    countryCode: Type.String({ pattern: "^[A-Za-z]{2}$" }),
  },
  { additionalProperties: false },
);

export const CardPaymentRequest = Type.Object(
  {
    type: Type.Literal("card"),
    card: Type.Object(
      {
        number: Type.String({ minLength: 12, maxLength: 32, pattern: "^[0-9 -]+$" }),
        expiryMonth: Type.Integer({ minimum: 1, maximum: 12 }),
        expiryYear: Type.Integer({ minimum: 2000, maximum: 2099 }),
        cvv: Type.String({ pattern: "^[0-9]{3,4}$" }),
        holderName: Type.String({ minLength: 1, maxLength: 100 }),
      },
      { additionalProperties: false },
    ),
    billingAddress: BillingAddress,
    frequency: Type.Literal("one_time"),
  },
  { additionalProperties: false },
);
export type CardPaymentRequest = Static<typeof CardPaymentRequest>;

/** EMV 3-D Secure result as the directory server reports it (EMVCo 3DS 2.2). */
export const ThreeDSecure = Type.Object({
  version: Type.String(),
  transStatus: literals(["Y", "A", "N", "U", "R", "C"]),
  flow: literals(["frictionless", "challenge"]),
  eci: nullable(Type.String({ description: "electronic commerce indicator of the card network" })),
  authenticationValue: nullable(Type.String({ description: "CAVV, AAV or AEVV, base64" })),
  dsTransId: Type.String(),
  threeDSServerTransId: Type.String(),
  acsTransId: Type.String(),
});

export const PaymentAttempt = Type.Object({
  number: Type.Integer(),
  status: literals([
    "processing",
    "challenge",
    "authorized",
    "captured",
    "declined",
    "authentication_failed",
    "failed",
    "voided",
  ]),
  brand: Type.String(),
  lastFour: Type.String(),
  declineReason: nullable(Type.String()),
  challengeUrl: nullable(Type.String({ description: "page of the issuer, while it asks" })),
  threeDSecure: nullable(ThreeDSecure),
});
export type PaymentAttempt = Static<typeof PaymentAttempt>;

export const OrderExchangeDetails = Type.Object({
  baseCurrency: Type.String(),
  amountReceived: Type.Number(),
  targetCurrency: Type.String(),
  amountToSend: Type.Number(),
  operationType: OperationType,
});

export const TimelineItem = Type.Object({
  status: OrderStatus,
  statusReason: nullable(StatusReason),
  actor: literals(["customer", "merchant", "operator", "system"]),
  note: Type.String({ description: "why, in words" }),
  at: Type.Integer({ description: "Unix seconds" }),
});

export const OrderDelivery = Type.Object({
  type: Type.String(),
  walletAddress: nullable(Type.String()),
  networkCode: nullable(Type.String()),
  memo: nullable(Type.String()),
  transactionHash: nullable(Type.String()),
  explorerUrl: nullable(Type.String()),
  confirmations: Type.Integer(),
  confirmationsRequired: Type.Integer(),
});

/** The webhook's fields and the whole story of the order. */
export const OrderData = Type.Object({
  orderId: Type.Integer(),
  sessionId: SessionId,
  status: OrderStatus,
  statusReason: nullable(StatusReason),
  fulfilled: Type.Boolean(),
  operationType: OperationType,
  paymentMethod: Type.String({ description: "display name" }),
  totalPrice: Type.Number(),
  totalPriceCurrency: Type.String(),
  exchangeDetails: OrderExchangeDetails,
  quote: QuoteData,
  payment: Type.Object({
    type: Type.String(),
    attemptsLeft: Type.Integer(),
    expiresAt: Type.Integer({ description: "Unix seconds; end of the payment window" }),
    attempt: nullable(PaymentAttempt),
  }),
  delivery: OrderDelivery,
  metadata: Type.Record(Type.String(), Type.String()),
  timeline: Type.Array(TimelineItem),
  createdAt: Type.Integer({ description: "Unix seconds" }),
  updatedAt: Type.Integer({ description: "Unix seconds" }),
});
export type OrderData = Static<typeof OrderData>;

/** The end of the year 9999: later times cannot be stored. */
const UNIX_SECONDS_MAX = 253_402_300_799;

export const OrdersQuery = Type.Object({
  ...PAGE_QUERY,
  status: Type.Optional(OrderStatus),
  operationType: Type.Optional(OperationType),
  sessionId: Type.Optional(SessionId),
  createdFrom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: UNIX_SECONDS_MAX,
      description: "Unix seconds; orders created then or later",
    }),
  ),
  createdTo: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: UNIX_SECONDS_MAX,
      description: "Unix seconds; orders created before then",
    }),
  ),
});
export type OrdersQuery = Static<typeof OrdersQuery>;
