import type {
  AcceptPriceRequest,
  CardToken,
  CardTokenRequest,
  CheckoutOrderData,
  CheckoutQuoteData,
  CheckoutQuoteRequest,
  CheckoutSession,
  CurrenciesQuery,
  ExchangeCurrencies,
  MailRequest,
  MethodOffer,
  PaymentMethodItem,
  PaymentMethodsQuery,
  PaymentRequest,
  PlaceOrderRequest,
  QuoteData,
  RefundAddressRequest,
  SimulatePaymentRequest,
  WalletLookupQuery,
  WalletLookupResult,
} from "@exchange/contract";
import type { ApiResult, Caller, Problem } from "./client.ts";
import type { Streamer } from "./stream.ts";

/** Receives the news of an order until its signal aborts. */
export interface OrderFollower {
  readonly signal: AbortSignal;
  /** Called whenever the stream delivers anything, even without news. */
  readonly onAlive: () => void;
  readonly onOrder: (order: CheckoutOrderData) => void;
}

/** The endpoints the checkout uses, by name. */
export interface CheckoutApi {
  readSession(): Promise<ApiResult<CheckoutSession>>;
  listCurrencies(query: CurrenciesQuery): Promise<ApiResult<ExchangeCurrencies>>;
  listPaymentMethods(query: PaymentMethodsQuery): Promise<ApiResult<PaymentMethodItem[]>>;
  createQuote(
    request: CheckoutQuoteRequest,
    signal: AbortSignal,
  ): Promise<ApiResult<CheckoutQuoteData>>;
  lookUpWallet(
    query: WalletLookupQuery,
    signal: AbortSignal,
  ): Promise<ApiResult<WalletLookupResult>>;
  placeOrder(request: PlaceOrderRequest): Promise<ApiResult<CheckoutOrderData>>;
  payOrder(orderId: number, request: PaymentRequest): Promise<ApiResult<CheckoutOrderData>>;
  readOrder(orderId: number): Promise<ApiResult<CheckoutOrderData>>;
  /** Delivers the order at once and after each change. Resolves with undefined if the service ends it. */
  followOrder(orderId: number, follower: OrderFollower): Promise<Problem | undefined>;
  cancelOrder(orderId: number): Promise<ApiResult<CheckoutOrderData>>;
  /** Returns other ways to pay an order whose card was refused. */
  offerMethods(orderId: number): Promise<ApiResult<MethodOffer[]>>;
  changeMethod(orderId: number, offer: AcceptPriceRequest): Promise<ApiResult<CheckoutOrderData>>;
  /** Asks for mails, which are sent later. */
  mailOrder(orderId: number, request: MailRequest): Promise<ApiResult<unknown>>;
  /** Pays the order in a sandbox. */
  simulatePayment(
    orderId: number,
    request: SimulatePaymentRequest,
  ): Promise<ApiResult<CheckoutOrderData>>;
  /** Returns a new price for an order whose price moved. */
  offerPrice(orderId: number): Promise<ApiResult<QuoteData>>;
  /** Accepts the price of the offer, or declines a new price if there is no offer. */
  answerPrice(orderId: number, offer?: AcceptPriceRequest): Promise<ApiResult<CheckoutOrderData>>;
  saveRefundAddress(
    orderId: number,
    request: RefundAddressRequest,
  ): Promise<ApiResult<CheckoutOrderData>>;
  /** Sends a card's number to the processor, which answers with a token for it. */
  tokenizeCard(request: CardTokenRequest): Promise<ApiResult<CardToken>>;
}

export function checkoutApi(call: Caller, stream: Streamer): CheckoutApi {
  return {
    readSession: () => call({ method: "GET", path: "/session" }),
    listCurrencies: (query) => call({ method: "GET", path: `/currencies?${parameters(query)}` }),
    listPaymentMethods: (query) =>
      call({ method: "GET", path: `/payment-methods?${parameters(query)}` }),
    createQuote: (body, signal) => call({ method: "POST", path: "/quotes", body, signal }),
    lookUpWallet: (query, signal) =>
      call({
        method: "GET",
        path: `/wallets/lookup?${parameters(query)}`,
        signal,
        unwrapped: true,
      }),
    placeOrder: (body) => call({ method: "POST", path: "/orders", body }),
    payOrder: (orderId, body) =>
      call({ method: "POST", path: `/orders/${orderId}/payments`, body }),
    readOrder: (orderId) => call({ method: "GET", path: `/orders/${orderId}` }),
    cancelOrder: (orderId) => call({ method: "POST", path: `/orders/${orderId}/cancel` }),
    offerMethods: (orderId) => call({ method: "POST", path: `/orders/${orderId}/method_offers` }),
    changeMethod: (orderId, body) =>
      call({ method: "POST", path: `/orders/${orderId}/change_method`, body }),
    mailOrder: (orderId, body) => call({ method: "POST", path: `/orders/${orderId}/mails`, body }),
    simulatePayment: (orderId, body) =>
      call({ method: "POST", path: `/orders/${orderId}/simulate_payment`, body }),
    offerPrice: (orderId) => call({ method: "POST", path: `/orders/${orderId}/price_offer` }),
    answerPrice: (orderId, body) =>
      call({
        method: "POST",
        path: `/orders/${orderId}/${body ? "accept" : "decline"}_price`,
        body,
      }),
    saveRefundAddress: (orderId, body) =>
      call({ method: "POST", path: `/orders/${orderId}/refund_address`, body }),
    followOrder: (orderId, { onOrder, ...follower }) =>
      stream({
        path: `/orders/${orderId}/events`,
        ...follower,
        onEvent({ type, data }) {
          if (type === "order") onOrder(JSON.parse(data) as CheckoutOrderData);
        },
      }),
    tokenizeCard: (body) => call({ method: "POST", path: "/cards", body }),
  };
}

const parameters = (query: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
