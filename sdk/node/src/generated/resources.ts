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
   * Creates the public access token of one session, for the browser SDK. While the session has
   * no order, another call for it returns a new token, and the older one stops working.
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
   * An indicative quote, valid for 30 seconds.
   *
   * `POST /exchange/quotes`
   */
  create(request: QuoteRequest, options?: CallOptions): Promise<QuoteData>;
}

export interface OrdersResource {
  /**
   * The webhook's fields, the customer, the refunds, your metadata and the full timeline of the
   * order. Read it again before you release goods.
   *
   * `GET /orders/{orderId}`
   */
  read(orderId: number, options?: CallOptions): Promise<OrderData>;

  /**
   * Your orders, newest first, each as `GET /orders/{orderId}` returns it. Follow `nextCursor`
   * until it is null. New orders do not disturb the pages.
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
   * The page at `customerUrl` stops working at once, and `customerUrl` becomes null. The order
   * itself goes on, and so does the session's public token. Repeating the call has no further
   * effect.
   *
   * `POST /orders/{orderId}/revoke_customer_url`
   */
  revokeCustomerUrl(orderId: number, options?: CallOptions): Promise<OrderData>;

  /**
   * Returns the received money to its sender: all of it, or `amount` of it. This works while the
   * money is held and not exchanged; later, and while the order is held for `compliance`, an
   * operator decides. Coins go to the refund address of the order; this request may set one
   * where the order has none.
   *
   * `POST /orders/{orderId}/refunds`
   */
  refund(orderId: number, request?: RefundRequest, options?: CallOptions): Promise<OrderData>;
}

export interface LimitsResource {
  /**
   * The minimum and maximum amount of an exchange, and the rule that sets each: the same figures
   * as in quotes and errors. Name each currency by its id, or by its code or reference. `ways`
   * lists every payment and delivery method that fits your query; `min` and `max` beside it are
   * the widest of them.
   *
   * `GET /exchange/limits`
   */
  read(query: ReadExchangeLimitsQuery, options?: CallOptions): Promise<ExchangeLimits>;
}

export interface CountriesResource {
  /**
   * The supported countries, with the operations that customers there can use.
   *
   * `GET /exchange/countries`
   */
  list(options?: CallOptions): Promise<readonly CountryItem[]>;
}

export interface SessionsResource {
  /**
   * The terms that you locked when you created its token, and its order, or null before one.
   *
   * `GET /sessions/{sessionId}`
   */
  read(sessionId: SessionId, options?: CallOptions): Promise<SessionData>;

  /**
   * The session's public token stops working at once, and so does the page of its order
   * (`customerUrl`). The order itself goes on. While the session has no order, you may create a
   * new token for it. Repeating the call has no further effect.
   *
   * `POST /sessions/{sessionId}/revoke_token`
   */
  revokeToken(sessionId: SessionId, options?: CallOptions): Promise<SessionData>;
}

export interface WalletsResource {
  /**
   * Saves an address of the currency. The same address on the same network returns the same
   * wallet with the latest names. An address that exists on several networks needs
   * `networkCode`.
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
   * Deletes a wallet you saved. Orders to its address are not changed.
   *
   * `DELETE /wallets/{walletId}`
   */
  remove(walletId: number, options?: CallOptions): Promise<void>;
}

export interface EventsResource {
  /**
   * Every event of your orders by `sequence`, whether or not a webhook was sent. Store the
   * `sequence` of the last event you handled and ask for those `after` it: you get each event
   * exactly once. `payload` is the webhook's body. `nextCursor` is the next `after` while there
   * are more. `after=now` skips the past, and `eventType` selects one type.
   *
   * `GET /events`
   */
  list(query?: ListEventsQuery, options?: CallOptions): Paged<EventItem>;
}

export interface SandboxResource {
  /**
   * Moves the business clock of the whole sandbox forward, for every merchant in it: payment
   * windows end, quotes expire and webhook retries become due at once. Token times and webhook
   * timestamps stay real. Where the operator keeps the clock, as staging does by default, the
   * answer is NOT_FOUND. Prod does not have this endpoint.
   *
   * In the sandboxes only. `POST /sandbox/clock`
   */
  advanceClock(request: AdvanceClockRequest, options?: CallOptions): Promise<SandboxClock>;

  /**
   * Sends coins to the deposit address of an order, or a transfer to its bank account. Without
   * `amount` and `confirmations` the payment is exact and final. With `confirmations` 0 it is in
   * flight; the same call with its `depositId` advances it, or drops it. Prod does not have this
   * endpoint.
   *
   * In the sandboxes only. `POST /sandbox/deposits`
   */
  payDeposit(request: SandboxDepositRequest, options?: CallOptions): Promise<SandboxDeposit>;

  /**
   * Simulates customers, banks, chains and operators until the order has reached the status, and
   * returns the order. If the order has already moved on, its timeline shows the status. A
   * status that the timeline shows after the one of your last call is reached already: the order
   * is returned as it is. Otherwise only a legal next status is accepted; the error message
   * names them. `expired` moves the clock of the whole sandbox, where merchants may. Prod does
   * not have this endpoint.
   *
   * In the sandboxes only. `POST /sandbox/orders/{orderId}/advance`
   */
  advanceOrder(
    orderId: number,
    request: AdvanceOrderRequest,
    options?: CallOptions,
  ): Promise<OrderData>;

  /**
   * Makes your next webhooks fail on purpose, so that you can test your receiver. Prod does not
   * have this endpoint.
   *
   * In the sandboxes only. `POST /sandbox/webhooks/faults`
   */
  plantWebhookFault(
    request: PlantWebhookFaultRequest,
    options?: CallOptions,
  ): Promise<WebhookFault>;

  /**
   * The faults you planted that will still hit a webhook, oldest first.
   *
   * In the sandboxes only. `GET /sandbox/webhooks/faults`
   */
  listWebhookFaults(options?: CallOptions): Promise<readonly WebhookFault[]>;

  /**
   * Webhooks are sent normally from now on.
   *
   * In the sandboxes only. `DELETE /sandbox/webhooks/faults`
   */
  clearWebhookFaults(options?: CallOptions): Promise<void>;
}

export interface WebhookEndpointsResource {
  /**
   * Adds a URL for your webhooks, at most 20. Only this answer contains its `secret`. Without
   * `eventTypes` it gets the two documented events. Two endpoints may have the same URL, and
   * each is sent every event of its types.
   *
   * `POST /webhook_endpoints`
   */
  create(
    request: CreateWebhookEndpointRequest,
    options?: CallOptions,
  ): Promise<WebhookEndpointWithSecret>;

  /**
   * All your webhook endpoints, oldest first, in one page.
   *
   * `GET /webhook_endpoints`
   */
  list(options?: CallOptions): Paged<WebhookEndpointData>;

  /**
   * Its address, its event types and its health.
   *
   * `GET /webhook_endpoints/{endpointId}`
   */
  read(endpointId: string, options?: CallOptions): Promise<WebhookEndpointData>;

  /**
   * Changes only the members you send. With `enabled` false its events wait; with `enabled` true
   * they are sent, oldest first, even if the service disabled it. Only the operator can enable
   * an endpoint, or allow a URL, that the operator disabled. `previousSecretUntil` null ends the
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
   * Deletes its secret. Its pending deliveries are dropped.
   *
   * `DELETE /webhook_endpoints/{endpointId}`
   */
  remove(endpointId: string, options?: CallOptions): Promise<void>;

  /**
   * Creates a new secret for the endpoint, which only this answer contains. For a day, or for
   * `overlapSeconds`, `webhook-signature` has one signature of each secret.
   * `X-Webhook-Signature`, which has room for one, uses the previous secret. It uses the new one
   * when the overlap ends, or when you end it by setting `previousSecretUntil` to null. Rotating
   * again within the overlap replaces the newer secret only.
   *
   * `POST /webhook_endpoints/{endpointId}/rotate_secret`
   */
  rotateSecret(
    endpointId: string,
    request?: RotateWebhookSecretRequest,
    options?: CallOptions,
  ): Promise<WebhookEndpointWithSecret>;

  /**
   * Sends a validly signed webhook that is not about an order, once and without retries:
   * `orderId` is 0, `sessionId` begins with `exchange-test-`, and the header `X-Webhook-Test` is
   * `true`. Read the delivery for its result.
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
   * Sent and pending deliveries, newest first, each with its attempts.
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
   * Sends it now and restarts its schedule: the same `X-Webhook-Id` and body, a new signature. A
   * delivered webhook is sent again; a waiting one is sent at once.
   *
   * `POST /webhook_deliveries/{deliveryId}/replay`
   */
  replay(deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;

  /**
   * Sends one endpoint the events of a period, oldest first, at most 10,000: those it did not
   * accept, and those from before it was registered or subscribed. Use `dryRun` first.
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
