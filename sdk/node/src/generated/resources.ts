// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

import type { CallOptions } from "../calls/operation.ts";
import type { Paged } from "../pages.ts";
import type {
  AdvanceClockRequest,
  AdvanceOrderRequest,
  ChangeWebhookEndpointRequest,
  CountryItem,
  CreateTokenRequest,
  CreateWebhookEndpointRequest,
  EventItem,
  ExchangeCurrencies,
  ExchangeLimits,
  ListCurrenciesQuery,
  ListEventsQuery,
  ListOrdersQuery,
  ListPaymentMethodsQuery,
  ListWalletsQuery,
  ListWebhookDeliveriesQuery,
  LookUpWalletQuery,
  OrderData,
  PaymentMethodItem,
  PlantWebhookFaultRequest,
  PublicToken,
  QuoteData,
  QuoteRequest,
  ReadExchangeLimitsQuery,
  RefundRequest,
  ReplayWebhookDeliveriesData,
  ReplayWebhookDeliveriesRequest,
  RotateWebhookSecretRequest,
  SandboxClock,
  SandboxDeposit,
  SandboxDepositRequest,
  SessionData,
  SessionId,
  TestWebhookEndpointRequest,
  Wallet,
  WalletLookupResult,
  WalletRequest,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEndpointData,
  WebhookEndpointWithSecret,
  WebhookFault,
} from "./types.ts";

export interface PublicTokensResource {
  /**
   * Creates the public access token of one session, for the browser SDK. The same session again,
   * while no order was placed in it, gives a new token and the older one stops working.
   *
   * `POST /public_token/create`
   */
  create(request: CreateTokenRequest, options?: CallOptions): Promise<PublicToken>;
}

export interface PaymentMethodsResource {
  /**
   * Payment methods of an operation type in a country; with their delivery methods on request.
   *
   * `GET /payment-methods`
   */
  list(
    query: ListPaymentMethodsQuery,
    options?: CallOptions,
  ): Promise<readonly PaymentMethodItem[]>;
}

export interface CurrenciesResource {
  /**
   * Currencies that an operation type can use in a country.
   *
   * `GET /exchange/currencies`
   */
  list(query: ListCurrenciesQuery, options?: CallOptions): Promise<ExchangeCurrencies>;
}

export interface QuotesResource {
  /**
   * An indicative quote, good for 30 seconds.
   *
   * `POST /exchange/quotes`
   */
  create(request: QuoteRequest, options?: CallOptions): Promise<QuoteData>;
}

export interface OrdersResource {
  /**
   * The webhook's fields and the whole story of the order. Re-read before you release goods.
   *
   * `GET /orders/{orderId}`
   */
  read(orderId: number, options?: CallOptions): Promise<OrderData>;

  /**
   * Your orders, newest first, each as `GET /orders/{orderId}` shows it. Follow `nextCursor`
   * until it is null; orders placed meanwhile do not disturb the pages.
   *
   * `GET /orders`
   */
  list(query?: ListOrdersQuery, options?: CallOptions): Paged<OrderData>;

  /**
   * Ends an order that is not paid yet, with the reason `merchant_cancelled`. An order in any
   * other status is refused with `INVALID_ORDER_STATE`.
   *
   * `POST /orders/{orderId}/cancel`
   */
  cancel(orderId: number, options?: CallOptions): Promise<OrderData>;

  /**
   * Returns what was received to where it came from: all of it, or `amount` of it. Possible
   * while the money is held and not exchanged; later an operator decides. Coins need a refund
   * address, here or given with the order.
   *
   * `POST /orders/{orderId}/refunds`
   */
  refund(orderId: number, request?: RefundRequest, options?: CallOptions): Promise<OrderData>;
}

export interface LimitsResource {
  /**
   * Between which amounts an exchange is offered, and which rule sets each end: the figures that
   * quotes and errors have. Name each currency by its id, or by its code or reference. `ways`
   * has every payment and delivery method that fits what you name; `min` and `max` beside it are
   * the outermost of them.
   *
   * `GET /exchange/limits`
   */
  read(query: ReadExchangeLimitsQuery, options?: CallOptions): Promise<ExchangeLimits>;
}

export interface CountriesResource {
  /**
   * The countries that are served, and what customers there can do.
   *
   * `GET /exchange/countries`
   */
  list(options?: CallOptions): Promise<readonly CountryItem[]>;
}

export interface SessionsResource {
  /**
   * What you fixed when you created its token, and its order, or null before one.
   *
   * `GET /sessions/{sessionId}`
   */
  read(sessionId: SessionId, options?: CallOptions): Promise<SessionData>;
}

export interface WalletsResource {
  /**
   * Keeps an address that belongs to the currency. The same address on the same network again
   * gives the same wallet, with the names told last. An address that exists on several networks
   * needs `networkCode`.
   *
   * `POST /wallets`
   */
  save(request: WalletRequest, options?: CallOptions): Promise<Wallet>;

  /**
   * The wallets you saved, newest first.
   *
   * `GET /wallets`
   */
  list(query?: ListWalletsQuery, options?: CallOptions): Paged<Wallet>;

  /**
   * Whether an address belongs to a coin, and on which networks; with the wallet you saved for
   * it, or null.
   *
   * `GET /wallets/lookup`
   */
  lookUp(query: LookUpWalletQuery, options?: CallOptions): Promise<WalletLookupResult>;

  /**
   * One wallet you saved.
   *
   * `GET /wallets/{walletId}`
   */
  read(walletId: number, options?: CallOptions): Promise<Wallet>;

  /**
   * Forgets a wallet you saved. Orders sent to its address stay as they are.
   *
   * `DELETE /wallets/{walletId}`
   */
  remove(walletId: number, options?: CallOptions): Promise<void>;
}

export interface EventsResource {
  /**
   * Every event of your orders in the order of `sequence`, whether or not a webhook was sent.
   * Remember the `sequence` of the last one you handled and ask for those `after` it: none is
   * skipped, none comes twice. `payload` is the webhook's body. `nextCursor` is the next `after`
   * while there are more.
   *
   * `GET /events`
   */
  list(query?: ListEventsQuery, options?: CallOptions): Paged<EventItem>;
}

export interface SandboxResource {
  /**
   * Moves the business clock of the whole sandbox forward, for every merchant in it: payment
   * windows end, quotes expire and webhook retries come due at once. Token times and webhook
   * timestamps stay the real ones. There is no such endpoint in prod.
   *
   * In the sandboxes only. `POST /sandbox/clock`
   */
  advanceClock(request: AdvanceClockRequest, options?: CallOptions): Promise<SandboxClock>;

  /**
   * Sends coins to the deposit address of an order, or a transfer to its bank account: exact and
   * final when `amount` and `confirmations` are left out. With `confirmations` 0 it is under
   * way; the same call with its `depositId` moves it on, or drops it. There is no such endpoint
   * in prod.
   *
   * In the sandboxes only. `POST /sandbox/deposits`
   */
  payDeposit(request: SandboxDepositRequest, options?: CallOptions): Promise<SandboxDeposit>;

  /**
   * Plays what customers, banks, chains and operators do until the order reached the status, and
   * answers with it; where it went on by itself the timeline shows that it was there. Any other
   * status than a legal next one is refused, and the message names those. `expired` moves the
   * clock of the whole sandbox. There is no such endpoint in prod.
   *
   * In the sandboxes only. `POST /sandbox/orders/{orderId}/advance`
   */
  advanceOrder(
    orderId: number,
    request: AdvanceOrderRequest,
    options?: CallOptions,
  ): Promise<OrderData>;

  /**
   * Makes the next webhooks of yours go wrong on purpose, so that you see what your receiver
   * does. There is no such endpoint in prod.
   *
   * In the sandboxes only. `POST /sandbox/webhooks/faults`
   */
  plantWebhookFault(
    request: PlantWebhookFaultRequest,
    options?: CallOptions,
  ): Promise<WebhookFault>;

  /**
   * The faults you planted that have something left to hit, oldest first.
   *
   * In the sandboxes only. `GET /sandbox/webhooks/faults`
   */
  listWebhookFaults(options?: CallOptions): Promise<readonly WebhookFault[]>;

  /**
   * Webhooks go right again from now on.
   *
   * In the sandboxes only. `DELETE /sandbox/webhooks/faults`
   */
  clearWebhookFaults(options?: CallOptions): Promise<void>;
}

export interface WebhookEndpointsResource {
  /**
   * Adds a URL for your webhooks, 20 at most. Its `secret` is in this answer and nowhere else.
   * Without `eventTypes` it gets the two documented events.
   *
   * `POST /webhook_endpoints`
   */
  create(
    request: CreateWebhookEndpointRequest,
    options?: CallOptions,
  ): Promise<WebhookEndpointWithSecret>;

  /**
   * All of yours, oldest first, in one page.
   *
   * `GET /webhook_endpoints`
   */
  list(options?: CallOptions): Paged<WebhookEndpointData>;

  /**
   * Where it is, what it gets, and how it does.
   *
   * `GET /webhook_endpoints/{endpointId}`
   */
  read(endpointId: string, options?: CallOptions): Promise<WebhookEndpointData>;

  /**
   * Changes what you name and nothing else. With `enabled` false its events wait; with `enabled`
   * true they are sent, oldest first, whoever disabled it. `previousSecretUntil` null ends the
   * overlap of a rotation now.
   *
   * `PATCH /webhook_endpoints/{endpointId}`
   */
  change(
    endpointId: string,
    request?: ChangeWebhookEndpointRequest,
    options?: CallOptions,
  ): Promise<WebhookEndpointData>;

  /**
   * Forgets its secret; what it was still to get is dropped.
   *
   * `DELETE /webhook_endpoints/{endpointId}`
   */
  remove(endpointId: string, options?: CallOptions): Promise<void>;

  /**
   * Gives the endpoint a new secret, shown in this answer only. For a day, or as long as
   * `overlapSeconds` says, `webhook-signature` has one signature of each secret, and
   * `X-Webhook-Signature`, which has room for one, is made with the secret so far. It changes to
   * the new one when the overlap ends, or when you end it by setting `previousSecretUntil` to
   * null. Rotating again within the overlap replaces the newer secret only.
   *
   * `POST /webhook_endpoints/{endpointId}/rotate_secret`
   */
  rotateSecret(
    endpointId: string,
    request?: RotateWebhookSecretRequest,
    options?: CallOptions,
  ): Promise<WebhookEndpointWithSecret>;

  /**
   * Sends a webhook about no order, rightly signed, once and without retries: `orderId` is 0,
   * `sessionId` begins with `exchange-test-`, and the header `X-Webhook-Test` is `true`. Read
   * the delivery to see how it went.
   *
   * `POST /webhook_endpoints/{endpointId}/test`
   */
  test(
    endpointId: string,
    request?: TestWebhookEndpointRequest,
    options?: CallOptions,
  ): Promise<WebhookDelivery>;
}

export interface WebhookDeliveriesResource {
  /**
   * What was sent or is to be sent, newest first, each with its attempts.
   *
   * `GET /webhook_deliveries`
   */
  list(query?: ListWebhookDeliveriesQuery, options?: CallOptions): Paged<WebhookDelivery>;

  /**
   * One delivery with its attempts and its body.
   *
   * `GET /webhook_deliveries/{deliveryId}`
   */
  read(deliveryId: string, options?: CallOptions): Promise<WebhookDeliveryDetail>;

  /**
   * Sends it now, and begins its schedule anew: the same `X-Webhook-Id` and body, a new
   * signature. What was delivered is sent again; what waits is sent at once.
   *
   * `POST /webhook_deliveries/{deliveryId}/replay`
   */
  replay(deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;

  /**
   * Sends one endpoint what happened in a range of time, oldest first, 10,000 events at most:
   * what it did not take, and what happened before it was registered or subscribed. Use `dryRun`
   * first.
   *
   * `POST /webhook_deliveries/replay`
   */
  replayRange(
    request: ReplayWebhookDeliveriesRequest,
    options?: CallOptions,
  ): Promise<ReplayWebhookDeliveriesData>;
}

/** Every endpoint a merchant may call. */
export interface Resources {
  readonly publicTokens: PublicTokensResource;
  readonly paymentMethods: PaymentMethodsResource;
  readonly currencies: CurrenciesResource;
  readonly quotes: QuotesResource;
  readonly orders: OrdersResource;
  readonly limits: LimitsResource;
  readonly countries: CountriesResource;
  readonly sessions: SessionsResource;
  readonly wallets: WalletsResource;
  readonly events: EventsResource;
  readonly sandbox: SandboxResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly webhookDeliveries: WebhookDeliveriesResource;
}
