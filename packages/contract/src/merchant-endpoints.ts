import { Type } from "@sinclair/typebox";
import { CountryItem } from "./catalogue.ts";
import type { Endpoint } from "./endpoint.ts";
import { createdEnvelope, listEnvelope, okEnvelope } from "./envelopes.ts";
import { EventItem, EventsQuery } from "./events.ts";
import { ExchangeLimits, LimitsQuery } from "./exchange-limits.ts";
import { OrderData, OrderIdParams, OrdersQuery, RefundRequest } from "./orders.ts";
import { SANDBOX_ENDPOINTS } from "./sandbox-endpoints.ts";
import { SessionData, SessionIdParams } from "./sessions.ts";
import {
  Wallet,
  WalletIdParams,
  WalletLookupQuery,
  WalletLookupResult,
  WalletRequest,
  WalletsQuery,
} from "./wallets.ts";
import { WEBHOOK_ENDPOINTS } from "./webhook-endpoints.ts";

/** The endpoints of a merchant's server besides the documented ones. */
export const MERCHANT_ENDPOINTS = {
  readExchangeLimits: {
    operationId: "readExchangeLimits",
    method: "GET",
    path: "/exchange/limits",
    tag: "Catalogue",
    summary: "Read the limits of an exchange",
    description:
      "The minimum and maximum amount of an exchange, and the rule that sets each: the same figures as in quotes and errors. Name each currency by its id, or by its code or reference. `ways` lists every payment and delivery method that fits your query; `min` and `max` beside it are the widest of them.",
    caller: "merchant",
    query: LimitsQuery,
    success: { status: 200, schema: okEnvelope(ExchangeLimits) },
    errors: [400, 401, 403, 429, 500, 503],
  },
  listCountries: {
    operationId: "listCountries",
    method: "GET",
    path: "/exchange/countries",
    tag: "Catalogue",
    summary: "List countries",
    description: "The supported countries, with the operations that customers there can use.",
    caller: "merchant",
    success: { status: 200, schema: okEnvelope(Type.Array(CountryItem)) },
    errors: [400, 401, 403, 429, 500, 503],
  },
  listOrders: {
    operationId: "listOrders",
    method: "GET",
    path: "/orders",
    tag: "Orders",
    summary: "List orders",
    description:
      "Your orders, newest first, each as `GET /orders/{orderId}` returns it. Follow `nextCursor` until it is null. New orders do not disturb the pages.",
    caller: "merchant",
    query: OrdersQuery,
    success: { status: 200, schema: listEnvelope(OrderData) },
    errors: [400, 401, 403, 429, 500, 503],
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
    keyScope: "orders.write",
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: [400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
  },
  refundOrder: {
    operationId: "refundOrder",
    method: "POST",
    path: "/orders/{orderId}/refunds",
    tag: "Orders",
    summary: "Refund an order",
    description:
      "Returns the received money to its sender: all of it, or `amount` of it. This works while the money is held and not exchanged; later, and while the order is held for `compliance`, an operator decides. Coins go to the refund address of the order; this request may set one where the order has none.",
    caller: "merchant",
    keyScope: "refunds.write",
    params: OrderIdParams,
    body: RefundRequest,
    success: { status: 201, schema: okEnvelope(OrderData) },
    errors: [400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
  },
  readSession: {
    operationId: "readSession",
    method: "GET",
    path: "/sessions/{sessionId}",
    tag: "Sessions",
    summary: "Read a session",
    description:
      "The terms that you locked when you created its token, and its order, or null before one.",
    caller: "merchant",
    params: SessionIdParams,
    success: { status: 200, schema: okEnvelope(SessionData) },
    errors: [400, 401, 403, 404, 429, 500, 503],
  },
  revokeSessionToken: {
    operationId: "revokeSessionToken",
    method: "POST",
    path: "/sessions/{sessionId}/revoke_token",
    tag: "Sessions",
    summary: "Revoke a session's public token",
    description:
      "The session's public token stops working at once, also after its order was placed. The order itself goes on. While the session has no order, you may create a new token for it. Repeating the call has no further effect.",
    caller: "merchant",
    keyScope: "orders.write",
    params: SessionIdParams,
    success: { status: 200, schema: okEnvelope(SessionData) },
    errors: [400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
  },
  saveWallet: {
    operationId: "saveWallet",
    method: "POST",
    path: "/wallets",
    tag: "Wallets",
    summary: "Save a wallet",
    description:
      "Saves an address of the currency. The same address on the same network returns the same wallet with the latest names. An address that exists on several networks needs `networkCode`.",
    caller: "merchant",
    keyScope: "orders.write",
    body: WalletRequest,
    success: { status: 201, schema: createdEnvelope(Wallet) },
    errors: [400, 401, 403, 409, 413, 415, 429, 500, 503],
  },
  listWallets: {
    operationId: "listWallets",
    method: "GET",
    path: "/wallets",
    tag: "Wallets",
    summary: "List wallets",
    description: "The wallets you saved, newest first.",
    caller: "merchant",
    query: WalletsQuery,
    success: { status: 200, schema: listEnvelope(Wallet) },
    errors: [400, 401, 403, 429, 500, 503],
  },
  lookUpWallet: {
    operationId: "lookUpWallet",
    method: "GET",
    path: "/wallets/lookup",
    tag: "Wallets",
    summary: "Check a wallet address",
    description:
      "Whether an address belongs to a coin, and on which networks; with the wallet you saved for it, or null.",
    caller: "merchant",
    query: WalletLookupQuery,
    success: { status: 200, schema: WalletLookupResult },
    errors: [400, 401, 403, 429, 500, 503],
  },
  readWallet: {
    operationId: "readWallet",
    method: "GET",
    path: "/wallets/{walletId}",
    tag: "Wallets",
    summary: "Read a wallet",
    description: "One wallet you saved.",
    caller: "merchant",
    params: WalletIdParams,
    success: { status: 200, schema: okEnvelope(Wallet) },
    errors: [400, 401, 403, 404, 429, 500, 503],
  },
  removeWallet: {
    operationId: "removeWallet",
    method: "DELETE",
    path: "/wallets/{walletId}",
    tag: "Wallets",
    summary: "Remove a wallet",
    description: "Deletes a wallet you saved. Orders to its address are not changed.",
    caller: "merchant",
    keyScope: "orders.write",
    params: WalletIdParams,
    success: { status: 204, schema: Type.Null() },
    errors: [400, 401, 403, 404, 415, 429, 500, 503],
  },
  listEvents: {
    operationId: "listEvents",
    method: "GET",
    path: "/events",
    tag: "Events",
    summary: "List events",
    description:
      "Every event of your orders by `sequence`, whether or not a webhook was sent. Store the `sequence` of the last event you handled and ask for those `after` it: you get each event exactly once. `payload` is the webhook's body. `nextCursor` is the next `after` while there are more. `after=now` skips the past, and `eventType` selects one type.",
    caller: "merchant",
    query: EventsQuery,
    success: { status: 200, schema: listEnvelope(EventItem) },
    errors: [400, 401, 403, 429, 500, 503],
  },
  ...SANDBOX_ENDPOINTS,
  ...WEBHOOK_ENDPOINTS,
} as const satisfies Record<string, Endpoint>;
