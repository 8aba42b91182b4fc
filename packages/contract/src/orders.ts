import { type Static, Type } from "@sinclair/typebox";
import { OperationType } from "./operation-types.ts";
import { PAGE_QUERY } from "./pages.ts";
import { Deposit, PAYMENT_OUTCOMES, PaymentAttempt, PaymentInstructions } from "./payments.ts";
import { QuoteData } from "./quotes.ts";
import { literals, named, nullable, TimeInput } from "./schema.ts";
import { Customer, SessionId } from "./tokens.ts";

/** Order statuses (completion, section 6). The service uses the same words internally. */
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
  "compliance",
  "rate_moved",
  "limit_exceeded",
  "no_liquidity",
  "delivery_rejected",
  "chain_reorg",
  "user_cancelled",
  "merchant_cancelled",
  "operator_cancelled",
  "provider_error",
] as const;

export const OrderStatus = named("OrderStatus", literals(ORDER_STATUSES));
export const StatusReason = named("StatusReason", literals(STATUS_REASONS));

export const OrderIdParams = Type.Object({
  orderId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

const Memo = Type.String({ minLength: 1, maxLength: 128 });
const WithoutMemo = Type.Literal(true, {
  description:
    "the customer's word that the address needs no memo or tag; required without a memo where the network has memos",
});
const RefundAddress = Type.String({ minLength: 1, maxLength: 128 });

/** Body of `POST /checkout/orders`. It names a quote, never a price. */
export const PlaceOrderRequest = named(
  "PlaceOrderRequest",
  Type.Object(
    {
      quoteId: Type.String({ minLength: 1, maxLength: 64 }),
      walletAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      networkCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      memo: Type.Optional(Memo),
      withoutMemo: Type.Optional(WithoutMemo),
      refundAddress: Type.Optional(RefundAddress),
      refundMemo: Type.Optional(Memo),
      refundWithoutMemo: Type.Optional(WithoutMemo),
      payout: Type.Optional(
        Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 256 }), {
          maxProperties: 20,
        }),
      ),
      customer: Type.Optional(Customer),
    },
    { additionalProperties: false },
  ),
);
export type PlaceOrderRequest = Static<typeof PlaceOrderRequest>;

/** Body of `POST /checkout/orders/{orderId}/accept_price`. */
export const AcceptPriceRequest = named(
  "AcceptPriceRequest",
  Type.Object(
    { quoteId: Type.String({ minLength: 1, maxLength: 64 }) },
    { additionalProperties: false },
  ),
);
export type AcceptPriceRequest = Static<typeof AcceptPriceRequest>;

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
  note: Type.String({ description: "the reason in words" }),
  at: Type.Integer({ description: "Unix seconds" }),
});

/** A field of a delivery method, such as an IBAN, in a form that people recognise. */
export const PayoutField = Type.Object({
  name: Type.String(),
  label: Type.String(),
  value: Type.String({ description: "masked except for its last characters" }),
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
  reference: nullable(
    Type.String({
      description: "the reference of the bank or pickup counter, once the payout was sent",
    }),
  ),
  fields: Type.Array(PayoutField, {
    description: "the fields of the delivery method, masked except for their last characters",
  }),
});

const REFUND_REASONS = [...STATUS_REASONS, "requested"] as const;

/** Money that goes back to the customer, or has gone back. */
export const OrderRefund = named(
  "OrderRefund",
  Type.Object({
    id: Type.String({ description: "unique; the same in every answer" }),
    amount: Type.Number(),
    currencyCode: Type.String(),
    status: literals(["pending", "refunded", "failed"]),
    reason: literals(REFUND_REASONS, {
      description:
        "the order's statusReason when it was refunded, or `requested` where it had none",
    }),
    transactionHash: nullable(Type.String()),
    explorerUrl: nullable(Type.String()),
    createdAt: Type.Integer({ description: "Unix seconds" }),
    refundedAt: nullable(Type.Integer({ description: "Unix seconds; null until it is refunded" })),
  }),
);

/** The webhook's fields and the whole story of the order, as the customer may see it. */
const ORDER_MEMBERS = {
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
    outcome: literals(PAYMENT_OUTCOMES, {
      description:
        "unpaid: not paid yet, or the card is being charged; pending: waits for money or a person; paid: the money is certain; declined: a card was refused and another may be tried; failed: ended without the money, or it is returned",
    }),
    attemptsLeft: Type.Integer(),
    expiresAt: Type.Integer({ description: "Unix seconds; end of the payment window" }),
    attempt: nullable(PaymentAttempt),
    instructions: nullable(PaymentInstructions),
    received: Type.Number({
      description: "the final part of the payment, in the base currency",
    }),
    deposits: Type.Array(Deposit, {
      description: "bank transfers or coins that arrived, oldest first",
    }),
  }),
  delivery: OrderDelivery,
  refunds: Type.Array(OrderRefund),
  refundAddress: nullable(
    Type.String({ description: "address for a refund of the customer's coins" }),
  ),
  requestedRefundAddress: nullable(
    Type.String({
      description:
        "another refund address that the customer asked for; two of the operator's people decide about it",
    }),
  ),
  timeline: Type.Array(TimelineItem),
  customerUrl: nullable(
    Type.String({
      description:
        "the order's own page, where its customer reads, pays or cancels it on any device; null once it was revoked or the customer was erased, and for an API key without both scopes `read` and `orders.write`. Anyone who has the address can do so: give it to the customer only",
    }),
  ),
  createdAt: Type.Integer({ description: "Unix seconds" }),
  updatedAt: Type.Integer({ description: "Unix seconds" }),
};

/** An order for its customer's browser. The merchant's own data stays with the merchant's server. */
export const CheckoutOrderData = named("CheckoutOrderData", Type.Object(ORDER_MEMBERS));
export type CheckoutOrderData = Static<typeof CheckoutOrderData>;

/** An order for its merchant. */
export const OrderData = named(
  "OrderData",
  Type.Object({
    ...ORDER_MEMBERS,
    customer: Customer,
    metadata: Type.Record(Type.String(), Type.String()),
  }),
);
export type OrderData = Static<typeof OrderData>;

/** Body of `POST /checkout/orders/{orderId}/refund_address`. */
export const RefundAddressRequest = named(
  "RefundAddressRequest",
  Type.Object(
    {
      refundAddress: RefundAddress,
      refundMemo: Type.Optional(Memo),
      refundWithoutMemo: Type.Optional(WithoutMemo),
    },
    { additionalProperties: false },
  ),
);
export type RefundAddressRequest = Static<typeof RefundAddressRequest>;

/** Body of `POST /orders/{orderId}/refunds`. */
export const RefundRequest = named(
  "RefundRequest",
  Type.Object(
    {
      amount: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          description: "in the base currency; by default everything that is held",
        }),
      ),
      refundAddress: Type.Optional(RefundAddress),
      refundMemo: Type.Optional(Memo),
      refundWithoutMemo: Type.Optional(WithoutMemo),
    },
    { additionalProperties: false },
  ),
);
export type RefundRequest = Static<typeof RefundRequest>;

export const OrdersQuery = Type.Object({
  ...PAGE_QUERY,
  status: Type.Optional(OrderStatus),
  operationType: Type.Optional(OperationType),
  sessionId: Type.Optional(SessionId),
  createdFrom: Type.Optional(TimeInput("orders created then or later")),
  createdTo: Type.Optional(TimeInput("orders created before then")),
});
export type OrdersQuery = Static<typeof OrdersQuery>;
