import { Type } from "@sinclair/typebox";
import { BROWSER_ERRORS, type Endpoint } from "./endpoint.ts";
import { okEnvelope } from "./envelopes.ts";
import { AcceptPriceRequest, CheckoutOrderData, OrderIdParams } from "./orders.ts";
import { MethodOffer, QuoteData } from "./quotes.ts";

/** The customer's answers to a price that moved before the money was final, and to a card that was refused. */
export const PRICE_ENDPOINTS = {
  offerPrice: {
    operationId: "offerPrice",
    method: "POST",
    path: "/checkout/orders/{orderId}/price_offer",
    tag: "Checkout",
    summary: "Offer a new price for the order",
    description:
      "For an order that is `in_review` with the reason `rate_moved`: a stored quote at the present price for the same exchange. It lives as long as any quote; ask again for a newer one.",
    caller: "browser",
    scope: "quote.create",
    onOrderPage: true,
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(QuoteData) },
    errors: BROWSER_ERRORS,
  },
  acceptPrice: {
    operationId: "acceptPrice",
    method: "POST",
    path: "/checkout/orders/{orderId}/accept_price",
    tag: "Checkout",
    summary: "Accept the new price",
    description:
      "The customer's yes to an offered price: the order takes the quote and goes on. An expired one is refused with `QUOTE_EXPIRED` and a fresh one in `quote`.",
    caller: "browser",
    scope: "order.create",
    onOrderPage: true,
    params: OrderIdParams,
    body: AcceptPriceRequest,
    success: { status: 200, schema: okEnvelope(CheckoutOrderData) },
    errors: BROWSER_ERRORS,
  },
  offerMethods: {
    operationId: "offerMethods",
    method: "POST",
    path: "/checkout/orders/{orderId}/method_offers",
    tag: "Checkout",
    summary: "Offer other ways to pay the order",
    description:
      "For an order whose card was refused: a stored quote for each bank transfer that can pay for the same exchange. None if there is no such way.",
    caller: "browser",
    scope: "quote.create",
    onOrderPage: true,
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(Type.Array(MethodOffer)) },
    errors: BROWSER_ERRORS,
  },
  changeMethod: {
    operationId: "changeMethod",
    method: "POST",
    path: "/checkout/orders/{orderId}/change_method",
    tag: "Checkout",
    summary: "Pay the order in another way",
    description:
      "The order takes the quote of an offer: its payment method, price and payment window. A used or expired quote is refused with `QUOTE_EXPIRED`.",
    caller: "browser",
    scope: "order.create",
    onOrderPage: true,
    params: OrderIdParams,
    body: AcceptPriceRequest,
    success: { status: 200, schema: okEnvelope(CheckoutOrderData) },
    errors: BROWSER_ERRORS,
  },
  declinePrice: {
    operationId: "declinePrice",
    method: "POST",
    path: "/checkout/orders/{orderId}/decline_price",
    tag: "Checkout",
    summary: "Decline the new price",
    description:
      "The customer's no to a new price: all of the money received is returned to its sender. Coins need a refund address.",
    caller: "browser",
    scope: "order.cancel",
    onOrderPage: true,
    params: OrderIdParams,
    success: { status: 200, schema: okEnvelope(CheckoutOrderData) },
    errors: BROWSER_ERRORS,
  },
} as const satisfies Record<string, Endpoint>;
