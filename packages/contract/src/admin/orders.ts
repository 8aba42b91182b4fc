import { Type } from "@sinclair/typebox";
import { listEnvelope, okEnvelope } from "../envelopes.ts";
import { ORDER_STATUSES, OrderIdParams } from "../orders.ts";
import { PAGE_QUERY } from "../pages.ts";
import { literals, nullable, TimeInput } from "../schema.ts";
import { type AdminEndpoint, CSV_FILE, EXPORT_WORDS, PERSON_ERRORS } from "./endpoint.ts";
import {
  FoundOrder,
  ListedOrder,
  OPERATION_NAMES,
  OrderStory,
  ReviewedOrder,
} from "./order-story.ts";
import { ADMIN_REASONS } from "./words.ts";

const Reason = Type.String({
  minLength: 3,
  maxLength: 500,
  description: "for the log: why this is right",
});

const StatusReasonSeen = Type.Optional(
  nullable(
    literals(ADMIN_REASONS, {
      description: "the reason as you read it. The call is refused if the order has another by now",
    }),
  ),
);

const ORDER_FILTERS = {
  status: Type.Optional(literals(ORDER_STATUSES)),
  reason: Type.Optional(literals(ADMIN_REASONS)),
  operation: Type.Optional(literals(OPERATION_NAMES)),
  merchantId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  from: Type.Optional(TimeInput("placed then or later")),
  before: Type.Optional(TimeInput("placed earlier")),
  unchangedSince: Type.Optional(TimeInput("not changed since")),
};

const REVIEW_FILTERS = {
  which: Type.Optional(literals(["all", "free", "mine"])),
  reason: ORDER_FILTERS.reason,
};

const read = {
  caller: "person",
  tag: "Orders",
  permission: "orders.read",
  errors: PERSON_ERRORS,
} as const;
const decided = { ...read, method: "POST", params: OrderIdParams } as const;

export const ADMIN_ORDER_ENDPOINTS = {
  listAllOrders: {
    ...read,
    operationId: "listAllOrders",
    method: "GET",
    path: "/admin/orders",
    summary: "List orders",
    description:
      "The newest first. A merchant's people see orders of their merchant alone. Follow `nextCursor` until it is null.",
    query: Type.Object({ ...ORDER_FILTERS, ...PAGE_QUERY }),
    success: { status: 200, schema: listEnvelope(ListedOrder) },
  },
  exportOrders: {
    ...read,
    operationId: "exportOrders",
    method: "GET",
    path: "/admin/orders/export",
    summary: "Download the list of orders as CSV",
    description: EXPORT_WORDS,
    query: Type.Object(ORDER_FILTERS),
    ...CSV_FILE,
  },
  searchOrders: {
    ...read,
    operationId: "searchOrders",
    method: "GET",
    path: "/admin/orders/search",
    summary: "Find orders by anything that somebody may name",
    description:
      "The id of an order, quote, payment, payout or deposit, a session, the customer's e-mail address or reference (with the right `customers.read`), a bank reference, an address, a transaction, or the last four digits of a card. Of an address, a card and a customer, the newest 50 are returned.",
    query: Type.Object({ text: Type.String({ minLength: 1, maxLength: 200 }) }),
    success: { status: 200, schema: okEnvelope(Type.Array(FoundOrder)) },
  },
  readOrderStory: {
    ...read,
    operationId: "readOrderStory",
    method: "GET",
    path: "/admin/orders/{orderId}",
    summary: "Read the story of an order",
    description:
      "Everything that happened, and the actions that are possible now. Data of the customer needs the right `customers.read`.",
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  listReviews: {
    ...read,
    operationId: "listReviews",
    method: "GET",
    path: "/admin/reviews",
    kind: "operator",
    summary: "List orders in review",
    description:
      "The one that was placed first at the top, each with the person who has taken it. Follow `nextCursor` until it is null.",
    query: Type.Object({ ...REVIEW_FILTERS, ...PAGE_QUERY }),
    success: { status: 200, schema: listEnvelope(ReviewedOrder) },
  },
  exportReviews: {
    ...read,
    operationId: "exportReviews",
    method: "GET",
    path: "/admin/reviews/export",
    kind: "operator",
    summary: "Download the list of orders in review as CSV",
    description: EXPORT_WORDS,
    query: Type.Object(REVIEW_FILTERS),
    ...CSV_FILE,
  },
  takeOrder: {
    ...decided,
    operationId: "takeOrder",
    path: "/admin/orders/{orderId}/take",
    permission: "orders.review",
    kind: "operator",
    summary: "Take an order in review",
    description:
      "Others then see that you have it. One person has an order at a time. It is free again when it leaves review.",
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  freeOrder: {
    ...decided,
    operationId: "freeOrder",
    path: "/admin/orders/{orderId}/free",
    permission: "orders.review",
    kind: "operator",
    summary: "Free an order that somebody has taken",
    description: "Your own, or that of a colleague, whom the call names. The log says who did.",
    body: Type.Object(
      {
        reviewer: Type.String({
          minLength: 1,
          maxLength: 254,
          description: "the person who has it, as the order shows",
          examples: ["ada@example.com"],
        }),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  noteOrder: {
    ...decided,
    operationId: "noteOrder",
    path: "/admin/orders/{orderId}/notes",
    permission: "orders.note",
    summary: "Write a note on an order",
    description:
      "It stays in the log of changes as it is, with your name. Write nothing about the customer that has to be erased one day.",
    body: Type.Object(
      { note: Type.String({ minLength: 1, maxLength: 2_000 }) },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  releaseHeldOrder: {
    ...decided,
    operationId: "releaseHeldOrder",
    path: "/admin/orders/{orderId}/release",
    permission: "orders.decide",
    kind: "operator",
    stepUp: true,
    summary: "Release an order from review",
    description: "The money received is accepted as it is, and the order goes on.",
    body: Type.Object(
      { reason: Reason, statusReason: StatusReasonSeen },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  refundHeldOrder: {
    ...decided,
    operationId: "refundHeldOrder",
    path: "/admin/orders/{orderId}/refund",
    permission: "orders.decide",
    stepUp: true,
    summary: "Refund an order",
    description:
      "Returns the money received to its payer: all of it, or `amount`. Coins go to the refund address of the order; `refundAddress` sets one where there is none.",
    body: Type.Object(
      {
        reason: Reason,
        statusReason: StatusReasonSeen,
        amount: Type.Optional(
          Type.String({
            pattern: "^[0-9]{1,15}(\\.[0-9]{1,18})?$",
            description: "whole coins",
            examples: ["0.0015"],
          }),
        ),
        refundAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
        refundMemo: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
        refundWithoutMemo: Type.Optional(Type.Literal(true)),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  approveRefundAddress: {
    ...decided,
    operationId: "approveRefundAddress",
    path: "/admin/orders/{orderId}/approve_refund_address",
    permission: "orders.decide",
    kind: "operator",
    stepUp: true,
    summary: "Approve another refund address",
    description:
      "The customer asked for it. Confirm it with the customer first. The second person's approval makes it the order's address; nobody approves twice.",
    body: Type.Object(
      {
        reason: Reason,
        refundAddress: Type.String({
          minLength: 1,
          maxLength: 128,
          description: "the address that the order's story shows as requested",
        }),
        refundMemo: Type.Optional(
          Type.String({ minLength: 1, maxLength: 128, description: "its memo or tag" }),
        ),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  cancelUnpaidOrder: {
    ...decided,
    operationId: "cancelUnpaidOrder",
    path: "/admin/orders/{orderId}/cancel",
    permission: "orders.hold",
    summary: "Cancel an order that is not paid",
    description: "An order whose money may have arrived cannot be cancelled.",
    body: Type.Object({ reason: Reason }, { additionalProperties: false }),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
  holdOrderForReview: {
    ...decided,
    operationId: "holdOrderForReview",
    path: "/admin/orders/{orderId}/hold",
    permission: "orders.hold",
    kind: "operator",
    summary: "Hold an order for review",
    description: "Before its payout is sent. Afterwards nothing can be held.",
    body: Type.Object(
      {
        reason: Reason,
        hold: literals(["screening_hit", "limit_exceeded", "no_liquidity", "provider_error"]),
      },
      { additionalProperties: false },
    ),
    success: { status: 200, schema: okEnvelope(OrderStory) },
  },
} as const satisfies Record<string, AdminEndpoint>;
