import type { Endpoint } from "./endpoint.ts";
import { listEnvelope, okEnvelope } from "./envelopes.ts";
import { OrderData, OrderIdParams, OrdersQuery } from "./orders.ts";
import { SessionData, SessionIdParams } from "./sessions.ts";

/** What a merchant's server reads and changes besides the documented endpoints. */
export const MERCHANT_ENDPOINTS = {
  listOrders: {
    operationId: "listOrders",
    method: "GET",
    path: "/orders",
    tag: "Orders",
    summary: "List orders",
    description:
      "Your orders, newest first, each as `GET /orders/{orderId}` shows it. Follow `nextCursor` until it is null; orders placed meanwhile do not disturb the pages.",
    caller: "merchant",
    query: OrdersQuery,
    success: { status: 200, schema: listEnvelope(OrderData) },
    errors: [400, 401, 429, 500],
  },
  cancelOrderByMerchant: {
    operationId: "cancelOrderByMerchant",
    method: "POST",
    path: "/orders/{orderId}/cancel",
    tag: "Orders",
    summary: "Cancel an order",
    description:
      "Ends an order that is not paid yet, with the reason `merchant_cancelled`. An order in any other status is refused with `INVALID_ORDER_STATE`.",
    caller: "merchant",
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: [400, 401, 404, 409, 413, 415, 429, 500],
  },
  readSession: {
    operationId: "readSession",
    method: "GET",
    path: "/sessions/{sessionId}",
    tag: "Sessions",
    summary: "Read a session",
    description: "What you fixed when you created its token, and its order, or null before one.",
    caller: "merchant",
    params: SessionIdParams,
    success: { status: 200, schema: okEnvelope(SessionData) },
    errors: [400, 401, 404, 429, 500],
  },
} as const satisfies Record<string, Endpoint>;
