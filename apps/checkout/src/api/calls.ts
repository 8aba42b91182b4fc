import type {
  CardToken,
  CardTokenRequest,
  CheckoutQuoteRequest,
  CheckoutSession,
  CurrenciesQuery,
  ExchangeCurrencies,
  OrderData,
  PaymentMethodItem,
  PaymentMethodsQuery,
  PaymentRequest,
  PlaceOrderRequest,
  QuoteData,
  RefundAddressRequest,
  WalletLookupQuery,
  WalletLookupResult,
} from "@exchange/contract";
import type { Answer, Caller, Problem } from "./client.ts";
import type { Streamer } from "./stream.ts";

/** Who follows an order, and until when. */
export interface OrderFollower {
  readonly signal: AbortSignal;
  /** The stream is alive, whether or not there is news. */
  readonly onAlive: () => void;
  readonly onOrder: (order: OrderData) => void;
}

/** The endpoints the checkout uses, by name. */
export interface CheckoutApi {
  readSession(): Promise<Answer<CheckoutSession>>;
  listCurrencies(query: CurrenciesQuery): Promise<Answer<ExchangeCurrencies>>;
  listPaymentMethods(query: PaymentMethodsQuery): Promise<Answer<PaymentMethodItem[]>>;
  createQuote(request: CheckoutQuoteRequest, signal: AbortSignal): Promise<Answer<QuoteData>>;
  lookUpWallet(query: WalletLookupQuery, signal: AbortSignal): Promise<Answer<WalletLookupResult>>;
  placeOrder(request: PlaceOrderRequest): Promise<Answer<OrderData>>;
  payOrder(orderId: number, request: PaymentRequest): Promise<Answer<OrderData>>;
  readOrder(orderId: number): Promise<Answer<OrderData>>;
  /** Tells of the order at once and after each change; undefined once the service ended the stream. */
  followOrder(orderId: number, follower: OrderFollower): Promise<Problem | undefined>;
  cancelOrder(orderId: number): Promise<Answer<OrderData>>;
  keepRefundAddress(orderId: number, request: RefundAddressRequest): Promise<Answer<OrderData>>;
  /** Gives a card's number to the processor, which answers with a token for it. */
  keepCard(request: CardTokenRequest): Promise<Answer<CardToken>>;
}

export function checkoutApi(call: Caller, stream: Streamer): CheckoutApi {
  return {
    readSession: () => call({ method: "GET", path: "/session" }),
    listCurrencies: (query) => call({ method: "GET", path: `/currencies?${parameters(query)}` }),
    listPaymentMethods: (query) =>
      call({ method: "GET", path: `/payment-methods?${parameters(query)}` }),
    createQuote: (body, signal) => call({ method: "POST", path: "/quotes", body, signal }),
    lookUpWallet: (query, signal) =>
      call({ method: "GET", path: `/wallets/lookup?${parameters(query)}`, signal }),
    placeOrder: (body) => call({ method: "POST", path: "/orders", body }),
    payOrder: (orderId, body) =>
      call({ method: "POST", path: `/orders/${orderId}/payments`, body }),
    readOrder: (orderId) => call({ method: "GET", path: `/orders/${orderId}` }),
    cancelOrder: (orderId) => call({ method: "POST", path: `/orders/${orderId}/cancel` }),
    keepRefundAddress: (orderId, body) =>
      call({ method: "POST", path: `/orders/${orderId}/refund_address`, body }),
    followOrder: (orderId, { onOrder, ...follower }) =>
      stream({
        path: `/orders/${orderId}/events`,
        ...follower,
        onEvent({ type, data }) {
          if (type === "order") onOrder(JSON.parse(data) as OrderData);
        },
      }),
    keepCard: (body) => call({ method: "POST", path: "/cards", body }),
  };
}

const parameters = (query: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
