// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

export interface AdvanceClockRequest {
  /** how far the clock jumps; it never goes back */
  readonly advanceSeconds: number;
}

export interface AdvanceOrderRequest {
  readonly status: OrderStatus;
  /** `screening_hit` is the operator's word for `compliance` */
  readonly statusReason?:
    | "card_declined"
    | "three_ds_failed"
    | "bank_rejected"
    | "payment_timeout"
    | "underpaid"
    | "overpaid"
    | "late_payment"
    | "wrong_asset"
    | "compliance"
    | "rate_moved"
    | "limit_exceeded"
    | "no_liquidity"
    | "delivery_rejected"
    | "chain_reorg"
    | "user_cancelled"
    | "merchant_cancelled"
    | "operator_cancelled"
    | "provider_error"
    | "screening_hit"
    | undefined;
}

export interface CountryItem {
  /** ISO 3166-1 alpha-2 code */
  readonly code: string;
  readonly name: string;
  /** the country's own currency */
  readonly currencyCode: string;
  /** operations that customers there can use */
  readonly operationTypes: readonly OperationType[];
}

export interface CreateTokenRequest {
  readonly sessionId: SessionId;
  readonly scope?: readonly string[] | undefined;
  /** lifetime in seconds */
  readonly expiresIn?: number | undefined;
  readonly lock?: SessionLock | undefined;
  readonly customer?: Customer | undefined;
  readonly returnUrl?: string | undefined;
  readonly locale?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface CurrencyItem {
  readonly id: number;
  readonly code: string;
  readonly description: string;
  readonly shortName: string | null;
  readonly symbol: string;
  /** C crypto, F fiat */
  readonly type: "C" | "F";
  readonly reference: string | null;
  /** decimals of amounts of this currency, at most 8 */
  readonly decimals: number;
  readonly networkCode: string | null;
  readonly networkName: string | null;
  /** whether an address on this network takes a memo or tag */
  readonly memo: "none" | "optional" | "required";
}

export interface Customer {
  readonly reference?: string | undefined;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly countryCode?: string | undefined;
}

export interface DeliveryAttempt {
  /** its X-Webhook-Attempt */
  readonly number: number;
  /** Unix seconds; when it was begun */
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly status: number | null;
  readonly fault: string | null;
  readonly plantedFault: string | null;
  readonly responseExcerpt: string | null;
}

export interface DeliveryMethodItem {
  readonly id: number;
  readonly live: boolean;
  readonly name: string;
  readonly reference: string;
  /** on_chain, bank_transfer, card_push, cash_pickup, mobile_money */
  readonly type: string;
  readonly currencyCodes: readonly string[] | null;
  readonly fee: {
    readonly percent: number;
    readonly fixed: number;
    /** currency of the fixed part */
    readonly currencyCode: string;
  };
  readonly time: {
    readonly minDays: number | null;
    readonly maxDays: number | null;
  };
  readonly requiredFields: readonly {
    readonly name: string;
    readonly label: string;
    readonly pattern: string;
  }[];
}

export interface Deposit {
  readonly amount: number;
  readonly currencyCode: string;
  readonly status: "seen" | "final" | "lost";
  readonly confirmations: number;
  readonly transactionHash: string | null;
  /** Unix seconds */
  readonly at: number;
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly details?:
    | readonly {
        /** where in the request, e.g. body.baseAmount */
        readonly path?: string | undefined;
        readonly issue?: string | undefined;
        readonly min?: number | undefined;
        readonly max?: number | undefined;
        readonly currencyCode?: string | undefined;
        /** the rule that sets the limit, e.g. payment_method */
        readonly boundBy?: string | undefined;
      }[]
    | undefined;
}

export interface EventItem {
  /** UUID of the event, the same for all endpoints */
  readonly id: string;
  /** counts your events, from 1 */
  readonly sequence: number;
  readonly eventType: WebhookEventType;
  /** Unix seconds */
  readonly createdAt: number;
  readonly payload: WebhookPayload;
}

export interface ExchangeCurrencies {
  readonly cryptoCurrencies: readonly CurrencyItem[];
  readonly fiatCurrencies: readonly CurrencyItem[];
}

export interface ExchangeLimits {
  readonly min: number;
  readonly max: number;
  /**
   * the rule that sets each limit: merchant, currency, payment_method, delivery_method, country
   * or fees
   */
  readonly boundBy: {
    readonly min: string;
    readonly max: string;
  };
  /** currency of every amount here: the one the customer spends */
  readonly currencyCode: string;
  /** each way to pay and be paid, with the limits of its quotes */
  readonly ways: readonly {
    readonly paymentMethod: {
      readonly id: number;
      readonly name: string;
      readonly reference: string;
    };
    readonly deliveryMethod: {
      readonly id: number;
      readonly name: string;
      readonly reference: string;
    };
    readonly min: number;
    readonly max: number;
    /**
     * the rule that sets each limit: merchant, currency, payment_method, delivery_method, country
     * or fees
     */
    readonly boundBy: {
      readonly min: string;
      readonly max: string;
    };
  }[];
}

/** S sell, B buy, FF fiat to fiat, CC crypto to crypto */
export type OperationType = "S" | "B" | "FF" | "CC";

export interface OrderData {
  readonly orderId: number;
  readonly sessionId: SessionId;
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly fulfilled: boolean;
  readonly operationType: OperationType;
  /** display name */
  readonly paymentMethod: string;
  readonly totalPrice: number;
  readonly totalPriceCurrency: string;
  readonly exchangeDetails: {
    readonly baseCurrency: string;
    readonly amountReceived: number;
    readonly targetCurrency: string;
    readonly amountToSend: number;
    readonly operationType: OperationType;
  };
  readonly quote: QuoteData;
  readonly payment: {
    readonly type: string;
    /**
     * unpaid: not paid yet, or the card is being charged; pending: waits for money or a person;
     * paid: the money is certain; declined: a card was refused and another may be tried; failed:
     * ended without the money, or it is returned
     */
    readonly outcome: "unpaid" | "pending" | "paid" | "declined" | "failed";
    readonly attemptsLeft: number;
    /** Unix seconds; end of the payment window */
    readonly expiresAt: number;
    readonly attempt: PaymentAttempt | null;
    readonly instructions: PaymentInstructions | null;
    /** the final part of the payment, in the base currency */
    readonly received: number;
    /** bank transfers or coins that arrived, oldest first */
    readonly deposits: readonly Deposit[];
  };
  readonly delivery: {
    readonly type: string;
    readonly walletAddress: string | null;
    readonly networkCode: string | null;
    readonly memo: string | null;
    readonly transactionHash: string | null;
    readonly explorerUrl: string | null;
    readonly confirmations: number;
    readonly confirmationsRequired: number;
    readonly reference: string | null;
    /** the fields of the delivery method, masked except for their last characters */
    readonly fields: readonly {
      readonly name: string;
      readonly label: string;
      /** masked except for its last characters */
      readonly value: string;
    }[];
  };
  readonly refunds: readonly OrderRefund[];
  readonly refundAddress: string | null;
  readonly requestedRefundAddress: string | null;
  readonly timeline: readonly {
    readonly status: OrderStatus;
    readonly statusReason: StatusReason | null;
    readonly actor: "customer" | "merchant" | "operator" | "system";
    /** the reason in words */
    readonly note: string;
    /** Unix seconds */
    readonly at: number;
  }[];
  readonly customerUrl: string | null;
  /** Unix seconds */
  readonly createdAt: number;
  /** Unix seconds */
  readonly updatedAt: number;
  readonly customer: Customer;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface OrderRefund {
  /** unique; the same in every answer */
  readonly id: string;
  readonly amount: number;
  readonly currencyCode: string;
  readonly status: "pending" | "refunded" | "failed";
  /** the order's statusReason when it was refunded, or `requested` where it had none */
  readonly reason:
    | "card_declined"
    | "three_ds_failed"
    | "bank_rejected"
    | "payment_timeout"
    | "underpaid"
    | "overpaid"
    | "late_payment"
    | "wrong_asset"
    | "compliance"
    | "rate_moved"
    | "limit_exceeded"
    | "no_liquidity"
    | "delivery_rejected"
    | "chain_reorg"
    | "user_cancelled"
    | "merchant_cancelled"
    | "operator_cancelled"
    | "provider_error"
    | "requested";
  readonly transactionHash: string | null;
  readonly explorerUrl: string | null;
  /** Unix seconds */
  readonly createdAt: number;
  readonly refundedAt: number | null;
}

export type OrderStatus =
  | "awaiting_payment"
  | "payment_pending"
  | "in_review"
  | "processing"
  | "sending"
  | "completed"
  | "failed"
  | "expired"
  | "cancelled"
  | "refund_pending"
  | "refunded";

export interface PaymentAttempt {
  readonly number: number;
  readonly status:
    | "processing"
    | "challenge"
    | "authorized"
    | "captured"
    | "declined"
    | "authentication_failed"
    | "failed"
    | "voided";
  readonly brand: string;
  readonly lastFour: string;
  readonly declineReason: string | null;
  readonly challengeUrl: string | null;
  readonly threeDSecure: {
    readonly version: string;
    readonly transStatus: "Y" | "A" | "N" | "U" | "R" | "C";
    readonly flow: "frictionless" | "challenge";
    readonly eci: string | null;
    readonly authenticationValue: string | null;
    readonly dsTransId: string;
    readonly threeDSServerTransId: string;
    readonly acsTransId: string;
  } | null;
}

export interface PaymentInstructions {
  readonly type: "bank_transfer" | "crypto";
  /** the exact amount, in the base currency */
  readonly amount: number;
  readonly currencyCode: string;
  readonly currencyReference: string;
  readonly networkCode: string | null;
  readonly networkName: string | null;
  readonly walletAddress: string | null;
  readonly memo: string | null;
  readonly paymentUri: string | null;
  readonly reference: string | null;
  /** the bank account, line by line */
  readonly account: readonly {
    readonly label: string;
    readonly value: string;
  }[];
  readonly confirmationsRequired: number;
  /** Unix seconds; the rate holds until then */
  readonly expiresAt: number;
}

export interface PaymentMethodItem {
  readonly id: number;
  readonly live: boolean;
  readonly name: string;
  readonly reference: string;
  /** card, bank_transfer or crypto */
  readonly type?: string | undefined;
  readonly currencyCodes?: readonly string[] | null | undefined;
  readonly deliveryMethods?: readonly DeliveryMethodItem[] | undefined;
}

export interface PublicToken {
  /** JWT used by the SDK */
  readonly accessToken: string;
  readonly tokenType: "Bearer";
  /** lifetime in seconds */
  readonly expiresIn: number;
  /** Unix seconds */
  readonly expiresAt: number;
  readonly scope: readonly string[];
  readonly jti: string;
}

export interface QuoteData {
  readonly spend: {
    readonly amount: number;
    readonly currencyCode: string;
    readonly currencyReference: string | null;
  };
  readonly transactionFee: {
    readonly amount: number;
    readonly currencyCode: string;
  };
  readonly receive: {
    readonly amount: number;
    readonly currencyCode: string;
    readonly currencyReference: string;
  };
  readonly delivery: {
    readonly fee: {
      readonly amount: number;
      readonly currencyCode: string;
    };
    readonly time: {
      readonly minDays: number | null;
      readonly maxDays: number | null;
    };
  };
  readonly paymentMethod: {
    readonly id: number;
    readonly name: string;
    readonly reference: string;
  };
  readonly receivePaymentMethod: {
    readonly id: number;
    readonly name: string;
    readonly reference: string;
  };
  /** effective exchange rate, target per base */
  readonly rate: number;
  readonly quoteId: string;
  /** Unix seconds */
  readonly expiresAt: number;
  readonly limits: {
    readonly min: number;
    readonly max: number;
    readonly currencyCode: string;
  };
  /** the parts that sum to transactionFee */
  readonly fees: readonly {
    readonly type: "percentage" | "fixed";
    readonly amount: number;
    readonly currencyCode: string;
  }[];
}

export interface QuoteRequest {
  readonly operationType: OperationType;
  readonly baseCurrencyId: number;
  readonly baseAmount: number;
  readonly targetCurrencyId: number;
  readonly paymentMethodId: number;
  readonly deliveryMethodId?: number | undefined;
}

export interface RefundRequest {
  /** in the base currency; by default everything that is held */
  readonly amount?: number | undefined;
  readonly refundAddress?: string | undefined;
  readonly refundMemo?: string | undefined;
  /**
   * the customer's word that the address needs no memo or tag; required without a memo where the
   * network has memos
   */
  readonly refundWithoutMemo?: true | undefined;
}

export interface SandboxClock {
  /** Unix seconds, after the jump */
  readonly businessTime: number;
  /** total of all jumps: how far the clock is ahead of real time */
  readonly aheadSeconds: number;
}

export interface SandboxDeposit {
  readonly depositId: string;
  readonly orderId: number;
  readonly amount: number;
  readonly currencyCode: string;
  readonly currencyReference: string;
  readonly state: "mempool" | "in_block" | "orphaned" | "in_flight" | "settled" | "rejected";
  readonly confirmations: number;
  readonly transactionHash: string | null;
}

export interface SandboxDepositRequest {
  readonly orderId: number;
  /** by default exactly what the order still lacks */
  readonly amount?: number | undefined;
  /** another currency of the same network, or another fiat currency, by mistake */
  readonly currency?: string | undefined;
  /**
   * by default final; the number never grows by itself. A bank transfer is in flight with 0 and
   * settled with more
   */
  readonly confirmations?: number | undefined;
  /** what the sender's bank does when the transfer is returned */
  readonly returns?: "accepted" | "rejected" | undefined;
  /** advances this deposit instead of paying */
  readonly depositId?: string | undefined;
  /** with depositId: a bank rejects the transfer, a chain drops its block */
  readonly state?: "rejected" | "orphaned" | undefined;
}

export interface SessionData {
  readonly sessionId: SessionId;
  /** expired once an order was placed in it */
  readonly status: "active" | "expired";
  /** Unix seconds; end of its latest public token */
  readonly expiresAt: number;
  readonly scope: readonly string[];
  readonly lock: SessionLock;
  readonly customer: Customer;
  readonly returnUrl: string | null;
  readonly locale: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Unix seconds */
  readonly createdAt: number;
  readonly order: OrderData | null;
}

/**
 * The merchant's name for one checkout; it ties one public token to one order. Any text of 1
 * to 255 characters without control characters.
 */
export type SessionId = string;

export interface SessionLock {
  readonly operationType?: OperationType | undefined;
  readonly baseCurrency?: string | undefined;
  readonly baseAmount?: number | undefined;
  readonly targetCurrency?: string | undefined;
  readonly paymentMethod?: string | undefined;
  readonly walletAddress?: string | undefined;
  readonly networkCode?: string | undefined;
  /** memo or tag of walletAddress */
  readonly memo?: string | undefined;
  /** walletAddress needs no memo, and the customer adds none */
  readonly withoutMemo?: true | undefined;
}

export type StatusReason =
  | "card_declined"
  | "three_ds_failed"
  | "bank_rejected"
  | "payment_timeout"
  | "underpaid"
  | "overpaid"
  | "late_payment"
  | "wrong_asset"
  | "compliance"
  | "rate_moved"
  | "limit_exceeded"
  | "no_liquidity"
  | "delivery_rejected"
  | "chain_reorg"
  | "user_cancelled"
  | "merchant_cancelled"
  | "operator_cancelled"
  | "provider_error";

export interface Wallet {
  readonly id: number;
  /** names are empty if you sent none */
  readonly user: {
    readonly firstName: string;
    readonly lastName: string;
  };
  readonly walletAddress: string;
  readonly currencyCode: string;
  readonly networkCode: string;
}

export interface WalletLookupResult {
  readonly success: boolean;
  readonly message: string;
  readonly wallet: Wallet | null;
  readonly availableNetworks: readonly string[];
  readonly requiresNetworkCode: boolean;
  /** set where the address is of no network of the coin: the networks that it belongs to */
  readonly belongsTo?: readonly string[] | undefined;
  /** set beside `belongsTo`: the first letters of an address of the coin, if it has such letters */
  readonly addressStarts?: readonly string[] | undefined;
}

export interface WalletRequest {
  readonly walletAddress: string;
  readonly currencyCode: string;
  readonly networkCode?: string | undefined;
  readonly user?:
    | {
        readonly firstName: string;
        readonly lastName: string;
      }
    | undefined;
}

export interface WebhookDelivery {
  /** UUID, the X-Webhook-Id of every attempt */
  readonly id: string;
  /** UUID of the event, the same for all endpoints */
  readonly eventId: string;
  /** UUID */
  readonly endpointId: string;
  readonly eventType: WebhookEventType;
  /** 0 in a test */
  readonly orderId: number;
  /** true for a test that you sent; it is not about an order */
  readonly test: boolean;
  readonly status: "pending" | "delivered" | "exhausted" | "dropped";
  /** number of attempts, including one in flight */
  readonly attemptCount: number;
  readonly nextAttemptAt: number | null;
  /** Unix seconds; when it happened */
  readonly createdAt: number;
  /** the latest 50, oldest first */
  readonly attempts: readonly DeliveryAttempt[];
}

export interface WebhookDeliveryDetail {
  /** UUID, the X-Webhook-Id of every attempt */
  readonly id: string;
  /** UUID of the event, the same for all endpoints */
  readonly eventId: string;
  /** UUID */
  readonly endpointId: string;
  readonly eventType: WebhookEventType;
  /** 0 in a test */
  readonly orderId: number;
  /** true for a test that you sent; it is not about an order */
  readonly test: boolean;
  readonly status: "pending" | "delivered" | "exhausted" | "dropped";
  /** number of attempts, including one in flight */
  readonly attemptCount: number;
  readonly nextAttemptAt: number | null;
  /** Unix seconds; when it happened */
  readonly createdAt: number;
  /** the latest 50, oldest first */
  readonly attempts: readonly DeliveryAttempt[];
  readonly payload: WebhookPayload;
}

export interface WebhookEndpointData {
  /** UUID */
  readonly id: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  /** false: events wait here until you enable it again */
  readonly enabled: boolean;
  readonly disabledReason: "gone" | "failing" | "operator" | "merchant" | null;
  readonly disabledAt: number | null;
  readonly failingSince: number | null;
  readonly pausedUntil: number | null;
  readonly previousSecretUntil: number | null;
  /** Unix seconds; when it was registered */
  readonly createdAt: number;
}

export interface WebhookEndpointWithSecret {
  /** UUID */
  readonly id: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  /** false: events wait here until you enable it again */
  readonly enabled: boolean;
  readonly disabledReason: "gone" | "failing" | "operator" | "merchant" | null;
  readonly disabledAt: number | null;
  readonly failingSince: number | null;
  readonly pausedUntil: number | null;
  readonly previousSecretUntil: number | null;
  /** Unix seconds; when it was registered */
  readonly createdAt: number;
  /** `whsec_` and base64. Store it: no other answer contains it */
  readonly secret: string;
}

export interface WebhookFault {
  /** UUID */
  readonly id: string;
  readonly fault:
    | "delay"
    | "drop"
    | "duplicate"
    | "reorder"
    | "corrupt_body"
    | "corrupt_signature"
    | "stale_timestamp";
  readonly endpointId: string | null;
  readonly eventType: WebhookEventType | null;
  readonly delaySeconds: number | null;
  /** number of webhooks it will still hit */
  readonly deliveriesLeft: number;
  /** Unix seconds */
  readonly createdAt: number;
}

export interface WebhookPayload {
  readonly eventType: WebhookEventType;
  readonly sessionId: SessionId;
  readonly details: {
    readonly orderId: number;
    readonly status: OrderStatus;
    readonly paymentMethod: string;
    readonly fulfilled: boolean;
    readonly totalPrice: number;
    readonly totalPriceCurrency: string;
    readonly exchangeDetails: {
      readonly baseCurrency: string;
      readonly amountReceived: number;
      readonly targetCurrency: string;
      readonly amountToSend: number;
      readonly operationType: OperationType;
    };
  };
}

/** One thing that is wrong with a request. */
export type ErrorDetail = NonNullable<ErrorBody["details"]>[number];

export interface ListPaymentMethodsQuery {
  /** S sell, B buy, FF fiat to fiat, CC crypto to crypto */
  readonly operationType: OperationType;
  /** ISO 3166-1 alpha-2 code */
  readonly countryCode: string;
  readonly includeDeliveryMethods?: boolean | "true" | "false" | undefined;
}

export interface ListCurrenciesQuery {
  /** S sell, B buy, FF fiat to fiat, CC crypto to crypto */
  readonly operationType: OperationType;
  /** ISO 3166-1 alpha-2 code */
  readonly countryCode: string;
}

export interface ReadExchangeLimitsQuery {
  /** S sell, B buy, FF fiat to fiat, CC crypto to crypto */
  readonly operationType: OperationType;
  /** ISO 3166-1 alpha-2 code */
  readonly countryCode?: string | undefined;
  readonly baseCurrencyId?: number | undefined;
  /** code or reference of the currency to spend, in place of its id */
  readonly baseCurrency?: string | undefined;
  readonly targetCurrencyId?: number | undefined;
  /** code or reference of the currency to receive, in place of its id */
  readonly targetCurrency?: string | undefined;
  readonly paymentMethodId?: number | undefined;
  readonly deliveryMethodId?: number | undefined;
}

export interface ListOrdersQuery {
  /** items in one answer; by default 20 */
  readonly limit?: number | undefined;
  /** nextCursor of the previous page; only the service makes cursors */
  readonly cursor?: string | undefined;
  readonly status?: OrderStatus | undefined;
  /** S sell, B buy, FF fiat to fiat, CC crypto to crypto */
  readonly operationType?: OperationType | undefined;
  /**
   * The merchant's name for one checkout; it ties one public token to one order. Any text of 1
   * to 255 characters without control characters.
   */
  readonly sessionId?: SessionId | undefined;
  /** Unix seconds; orders created then or later */
  readonly createdFrom?: number | undefined;
  /** Unix seconds; orders created before then */
  readonly createdTo?: number | undefined;
}

export interface ListWalletsQuery {
  /** items in one answer; by default 20 */
  readonly limit?: number | undefined;
  /** nextCursor of the previous page; only the service makes cursors */
  readonly cursor?: string | undefined;
}

export interface LookUpWalletQuery {
  readonly walletAddress: string;
  readonly currencyCode: string;
  readonly networkCode?: string | undefined;
}

export interface ListEventsQuery {
  /** items in one answer; by default 20 */
  readonly limit?: number | undefined;
  /**
   * sequence of the last event you have; by default from the beginning. `now` returns no events,
   * and `nextCursor` is the `after` that new events follow
   */
  readonly after?: number | "now" | undefined;
  /** only events of this type. A page may then be empty while `nextCursor` is not null */
  readonly eventType?: WebhookEventType | undefined;
}

export interface CreateWebhookEndpointRequest {
  /**
   * https on port 443 or 8443 at a public address; in a sandbox also http, loopback and other
   * ports
   */
  readonly url: string;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
}

export interface ChangeWebhookEndpointRequest {
  /**
   * https on port 443 or 8443 at a public address; in a sandbox also http, loopback and other
   * ports
   */
  readonly url?: string | undefined;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  readonly enabled?: boolean | undefined;
  /** null: the secret before the rotation ends now */
  readonly previousSecretUntil?: null | undefined;
}

export interface RotateWebhookSecretRequest {
  /** how long the previous secret still signs too; by default a day; 0 ends it now */
  readonly overlapSeconds?: number | undefined;
}

export interface TestWebhookEndpointRequest {
  /** by default OrderCreated */
  readonly eventType?: WebhookEventType | undefined;
}

export interface ListWebhookDeliveriesQuery {
  /** items in one answer; by default 20 */
  readonly limit?: number | undefined;
  /** nextCursor of the previous page; only the service makes cursors */
  readonly cursor?: string | undefined;
  /** of this endpoint */
  readonly endpointId?: string | undefined;
  readonly eventType?: WebhookEventType | undefined;
  readonly status?: "pending" | "delivered" | "exhausted" | "dropped" | undefined;
  /** 0 for tests */
  readonly orderId?: number | undefined;
  /** Unix seconds; events at that time or later */
  readonly createdFrom?: number | undefined;
  /** Unix seconds; events before then */
  readonly createdTo?: number | undefined;
}

export interface ReplayWebhookDeliveriesRequest {
  /** where to */
  readonly endpointId: string;
  /** Unix seconds; events at that time or later */
  readonly createdFrom: number;
  /** Unix seconds; events before then; by default until now */
  readonly createdTo?: number | undefined;
  readonly eventType?: WebhookEventType | undefined;
  /**
   * `undelivered` (default): events that the endpoint did not accept or was never sent; `all`:
   * accepted events too
   */
  readonly include?: "undelivered" | "all" | undefined;
  /** true: only count */
  readonly dryRun?: boolean | undefined;
}

export interface ReplayWebhookDeliveriesData {
  readonly dryRun: boolean;
  /** deliveries in the range */
  readonly matched: number;
  /** number that is sent now; 0 in a dry run */
  readonly replayed: number;
}

export interface PlantWebhookFaultRequest {
  /**
   * `delay`: sent later; `drop`: lost on the way, retried on schedule; `duplicate`: sent twice;
   * `reorder`: the order's later events overtake it; `corrupt_body`: one byte changed after
   * signing; `corrupt_signature`: neither signature is valid; `stale_timestamp`: validly signed
   * ten minutes ago
   */
  readonly fault:
    | "delay"
    | "drop"
    | "duplicate"
    | "reorder"
    | "corrupt_body"
    | "corrupt_signature"
    | "stale_timestamp";
  /** only this endpoint; by default all of them */
  readonly endpointId?: string | undefined;
  /** only these events */
  readonly eventType?: WebhookEventType | undefined;
  /** number of webhooks it hits; by default 1 */
  readonly deliveries?: number | undefined;
  /** for `delay` and `reorder`: seconds of the delay; by default 5 */
  readonly delaySeconds?: number | undefined;
}

export type WebhookEventType =
  | "OrderCreated"
  | "OrderFulfillment"
  | "OrderUpdated"
  | "OrderRefunded";

/** Every code the service answers an error with. */
export type ErrorCode =
  | "INVALID_INPUT"
  | "INVALID_SCOPE"
  | "INVALID_COUNTRY"
  | "INVALID_OPERATION_TYPE"
  | "SESSION_ALREADY_USED"
  | "CURRENCY_NOT_FOUND"
  | "UNSUPPORTED_PAIR"
  | "PAYMENT_METHOD_NOT_FOUND"
  | "PAYMENT_METHOD_UNAVAILABLE"
  | "DELIVERY_METHOD_UNAVAILABLE"
  | "AMOUNT_BELOW_MINIMUM"
  | "AMOUNT_ABOVE_MAXIMUM"
  | "AMOUNT_PRECISION"
  | "INVALID_WALLET_ADDRESS"
  | "NETWORK_REQUIRED"
  | "NETWORK_MISMATCH"
  | "UNAUTHORIZED"
  | "TOKEN_EXPIRED"
  | "TOKEN_INVALID"
  | "INSUFFICIENT_SCOPE"
  | "ORIGIN_NOT_ALLOWED"
  | "NOT_FOUND"
  | "INVALID_ORDER_STATE"
  | "QUOTE_EXPIRED"
  | "QUOTE_ALREADY_USED"
  | "SESSION_EXPIRED"
  | "IDEMPOTENCY_CONFLICT"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "RATE_LIMITED"
  | "INTERNAL_ERROR"
  | "LIQUIDITY_UNAVAILABLE"
  | "SERVICE_UNAVAILABLE"
  | "PROVIDER_UNAVAILABLE";
