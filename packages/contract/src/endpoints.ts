import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import {
  CurrenciesQuery,
  ExchangeCurrencies,
  PaymentMethodItem,
  PaymentMethodsQuery,
} from "./catalogue.ts";
import { CheckoutSession } from "./checkout.ts";
import { createdEnvelope, okEnvelope } from "./envelopes.ts";
import { CardPaymentRequest, OrderData, PlaceOrderRequest } from "./orders.ts";
import { CheckoutQuoteRequest, QuoteData, QuoteRequest } from "./quotes.ts";
import type { Scope } from "./scopes.ts";
import { CreateTokenRequest, PublicToken } from "./tokens.ts";
import { WalletLookupQuery, WalletLookupResult } from "./wallets.ts";

/**
 * One endpoint of the service. The same object validates requests, types handlers and is printed in
 * the OpenAPI document. `path` is relative to `/v1`, parameters in braces.
 */
export interface Endpoint {
  readonly operationId: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Who may call: a merchant's server, a browser with a public token, or anybody. */
  readonly caller: "merchant" | "browser" | "anybody";
  /** The scope a browser's token needs. */
  readonly scope?: Scope;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly success: { readonly status: 200 | 201; readonly schema: TSchema };
  /** Error statuses it may answer with, besides success. */
  readonly errors: readonly number[];
}

const OrderIdParams = Type.Object({
  orderId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

const BROWSER_ERRORS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;

export const ENDPOINTS = {
  createPublicToken: {
    operationId: "createPublicToken",
    method: "POST",
    path: "/public_token/create",
    tag: "Tokens",
    summary: "Create a public token",
    description:
      "Creates the public access token of one session, for the browser SDK. The same session again, while no order was placed in it, gives a new token and the older one stops working.",
    caller: "merchant",
    body: CreateTokenRequest,
    success: { status: 201, schema: createdEnvelope(PublicToken) },
    errors: [400, 401, 429, 500],
  },
  listPaymentMethods: {
    operationId: "listPaymentMethods",
    method: "GET",
    path: "/payment-methods",
    tag: "Catalogue",
    summary: "List payment methods",
    description:
      "Payment methods of an operation type in a country; with their delivery methods on request.",
    caller: "merchant",
    query: PaymentMethodsQuery,
    success: { status: 200, schema: okEnvelope(Type.Array(PaymentMethodItem)) },
    errors: [400, 401, 429, 500],
  },
  listCurrencies: {
    operationId: "listCurrencies",
    method: "GET",
    path: "/exchange/currencies",
    tag: "Catalogue",
    summary: "List currencies",
    description: "Currencies that an operation type can use in a country.",
    caller: "merchant",
    query: CurrenciesQuery,
    success: { status: 200, schema: okEnvelope(ExchangeCurrencies) },
    errors: [400, 401, 429, 500],
  },
  createQuote: {
    operationId: "createQuote",
    method: "POST",
    path: "/exchange/quotes",
    tag: "Quotes",
    summary: "Calculate a quote",
    description: "An indicative quote, good for 30 seconds.",
    caller: "merchant",
    body: QuoteRequest,
    success: { status: 200, schema: okEnvelope(QuoteData) },
    errors: [400, 401, 409, 413, 415, 429, 500, 503],
  },
  readCheckoutSession: {
    operationId: "readCheckoutSession",
    method: "GET",
    path: "/checkout/session",
    tag: "Checkout",
    summary: "Read the session",
    description: "What the popup needs to know when it opens.",
    caller: "browser",
    scope: "merchant.read",
    success: { status: 200, schema: okEnvelope(CheckoutSession) },
    errors: BROWSER_ERRORS,
  },
  listCheckoutCurrencies: {
    operationId: "listCheckoutCurrencies",
    method: "GET",
    path: "/checkout/currencies",
    tag: "Checkout",
    summary: "List currencies",
    description: "Currencies that an operation type can use in a country.",
    caller: "browser",
    scope: "currency.read",
    query: CurrenciesQuery,
    success: { status: 200, schema: okEnvelope(ExchangeCurrencies) },
    errors: BROWSER_ERRORS,
  },
  listCheckoutPaymentMethods: {
    operationId: "listCheckoutPaymentMethods",
    method: "GET",
    path: "/checkout/payment-methods",
    tag: "Checkout",
    summary: "List payment methods",
    description: "Payment methods of an operation type in a country.",
    caller: "browser",
    scope: "payment_method.read",
    query: PaymentMethodsQuery,
    success: { status: 200, schema: okEnvelope(Type.Array(PaymentMethodItem)) },
    errors: BROWSER_ERRORS,
  },
  createCheckoutQuote: {
    operationId: "createCheckoutQuote",
    method: "POST",
    path: "/checkout/quotes",
    tag: "Checkout",
    summary: "Create a quote for this session",
    description: "A stored quote; an order names it and is priced from the stored row.",
    caller: "browser",
    scope: "quote.create",
    body: CheckoutQuoteRequest,
    success: { status: 200, schema: okEnvelope(QuoteData) },
    errors: BROWSER_ERRORS,
  },
  lookUpCheckoutWallet: {
    operationId: "lookUpCheckoutWallet",
    method: "GET",
    path: "/checkout/wallets/lookup",
    tag: "Checkout",
    summary: "Check a wallet address",
    description: "Whether an address belongs to a coin, and on which networks.",
    caller: "browser",
    scope: "wallet.read",
    query: WalletLookupQuery,
    success: { status: 200, schema: okEnvelope(WalletLookupResult) },
    errors: BROWSER_ERRORS,
  },
  placeOrder: {
    operationId: "placeOrder",
    method: "POST",
    path: "/checkout/orders",
    tag: "Checkout",
    summary: "Place the session's order",
    description: "Consumes the quote and expires the session. One session has one order.",
    caller: "browser",
    scope: "order.create",
    body: PlaceOrderRequest,
    success: { status: 201, schema: okEnvelope(OrderData) },
    errors: BROWSER_ERRORS,
  },
  payOrder: {
    operationId: "payOrder",
    method: "POST",
    path: "/checkout/orders/{orderId}/payments",
    tag: "Checkout",
    summary: "Pay the order",
    description: "Starts a card payment. A declined card leaves the order payable, five times.",
    caller: "browser",
    scope: "order.create",
    params: OrderIdParams,
    body: CardPaymentRequest,
    success: { status: 201, schema: okEnvelope(OrderData) },
    errors: BROWSER_ERRORS,
  },
  cancelOrder: {
    operationId: "cancelOrder",
    method: "POST",
    path: "/checkout/orders/{orderId}/cancel",
    tag: "Checkout",
    summary: "Cancel the order",
    description: "Ends an order that is not paid yet.",
    caller: "browser",
    scope: "order.cancel",
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: BROWSER_ERRORS,
  },
  readCheckoutOrder: {
    operationId: "readCheckoutOrder",
    method: "GET",
    path: "/checkout/orders/{orderId}",
    tag: "Checkout",
    summary: "Read the order",
    description: "The order of this session.",
    caller: "browser",
    scope: "order.read",
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: BROWSER_ERRORS,
  },
  readOrder: {
    operationId: "readOrder",
    method: "GET",
    path: "/orders/{orderId}",
    tag: "Orders",
    summary: "Read an order",
    description:
      "The webhook's fields and the whole story of the order. Re-read before you release goods.",
    caller: "merchant",
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(OrderData) },
    errors: [400, 401, 404, 429, 500],
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;
