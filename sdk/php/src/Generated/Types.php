<?php

// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

declare(strict_types=1);

namespace Exchange\Client\Generated;

/**
 * The shapes of requests and answers. Amounts and rates are text with the exact digits of the wire.
 *
 * @phpstan-type AdvanceClockRequest array{advanceSeconds: int}
 * @phpstan-type AdvanceOrderRequest array{status: OrderStatus, statusReason?: 'card_declined'|'three_ds_failed'|'bank_rejected'|'payment_timeout'|'underpaid'|'overpaid'|'late_payment'|'wrong_asset'|'compliance'|'rate_moved'|'limit_exceeded'|'no_liquidity'|'delivery_rejected'|'chain_reorg'|'user_cancelled'|'merchant_cancelled'|'operator_cancelled'|'provider_error'|'screening_hit'}
 * @phpstan-type CountryItem array{code: string, name: string, currencyCode: string, operationTypes: list<OperationType>}
 * @phpstan-type CreateTokenRequest array{sessionId: SessionId, scope?: list<string>, expiresIn?: int, lock?: SessionLock, customer?: Customer, returnUrl?: string, locale?: string, metadata?: array<string, string>}
 * @phpstan-type CurrencyItem array{id: int, code: string, description: string, shortName: string|null, symbol: string, type: 'C'|'F', reference: string|null, decimals: int, networkCode: string|null, networkName: string|null, memo: 'none'|'optional'|'required', paidOutOnly?: true}
 * @phpstan-type Customer array{reference?: string, email?: string, firstName?: string, lastName?: string, countryCode?: string}
 * @phpstan-type DeliveryAttempt array{number: int, startedAt: int, durationMs: int|null, status: int|null, fault: string|null, plantedFault: string|null, responseExcerpt: string|null}
 * @phpstan-type DeliveryMethodItem array{id: int, live: bool, name: string, reference: string, type: string, currencyCodes: list<string>|null, fee: array{percent: numeric-string, fixed: numeric-string, currencyCode: string}, time: array{minDays: int|null, maxDays: int|null}, requiredFields: list<array{name: string, label: string, pattern: string}>}
 * @phpstan-type Deposit array{amount: numeric-string, currencyCode: string, status: 'seen'|'final'|'lost', confirmations: int, transactionHash: string|null, at: int}
 * @phpstan-type ErrorBody array{code: string, message: string, requestId?: string, details?: list<array{path?: string, issue?: string, min?: numeric-string, max?: numeric-string, currencyCode?: string, boundBy?: string}>}
 * @phpstan-type EventItem array{id: string, sequence: int, eventType: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', createdAt: int, payload: WebhookPayload}
 * @phpstan-type ExchangeCurrencies array{cryptoCurrencies: list<CurrencyItem>, fiatCurrencies: list<CurrencyItem>}
 * @phpstan-type ExchangeLimits array{min: numeric-string, max: numeric-string, boundBy: array{min: string, max: string}, currencyCode: string, ways: list<array{paymentMethod: array{id: int, name: string, reference: string}, deliveryMethod: array{id: int, name: string, reference: string}, min: numeric-string, max: numeric-string, boundBy: array{min: string, max: string}}>}
 * @phpstan-type OperationType 'S'|'B'|'FF'|'CC'
 * @phpstan-type OrderData array{orderId: int, sessionId: SessionId, status: OrderStatus, statusReason: StatusReason|null, fulfilled: bool, operationType: OperationType, paymentMethod: string, totalPrice: numeric-string, totalPriceCurrency: string, exchangeDetails: array{baseCurrency: string, amountReceived: numeric-string, targetCurrency: string, amountToSend: numeric-string, operationType: OperationType}, quote: QuoteData, payment: array{type: string, outcome: 'unpaid'|'pending'|'paid'|'declined'|'failed', attemptsLeft: int, expiresAt: int, attempt: PaymentAttempt|null, instructions: PaymentInstructions|null, received: numeric-string, deposits: list<Deposit>}, delivery: array{type: string, walletAddress: string|null, networkCode: string|null, memo: string|null, transactionHash: string|null, explorerUrl: string|null, confirmations: int, confirmationsRequired: int, reference: string|null, fields: list<array{name: string, label: string, value: string}>}, refunds: list<OrderRefund>, refundAddress: string|null, requestedRefundAddress: string|null, timeline: list<array{status: OrderStatus, statusReason: StatusReason|null, actor: 'customer'|'merchant'|'operator'|'system', note: string, at: int}>, customerUrl: string|null, createdAt: int, updatedAt: int, customer: Customer, metadata: array<string, string>}
 * @phpstan-type OrderRefund array{id: string, amount: numeric-string, currencyCode: string, status: 'pending'|'refunded'|'failed', reason: 'card_declined'|'three_ds_failed'|'bank_rejected'|'payment_timeout'|'underpaid'|'overpaid'|'late_payment'|'wrong_asset'|'compliance'|'rate_moved'|'limit_exceeded'|'no_liquidity'|'delivery_rejected'|'chain_reorg'|'user_cancelled'|'merchant_cancelled'|'operator_cancelled'|'provider_error'|'requested', transactionHash: string|null, explorerUrl: string|null, createdAt: int, refundedAt: int|null}
 * @phpstan-type OrderStatus 'awaiting_payment'|'payment_pending'|'in_review'|'processing'|'sending'|'completed'|'failed'|'expired'|'cancelled'|'refund_pending'|'refunded'
 * @phpstan-type PaymentAttempt array{number: int, status: 'processing'|'challenge'|'authorized'|'captured'|'declined'|'authentication_failed'|'failed'|'voided', brand: string, lastFour: string, declineReason: string|null, challengeUrl: string|null, threeDSecure: array{version: string, transStatus: 'Y'|'A'|'N'|'U'|'R'|'C', flow: 'frictionless'|'challenge', eci: string|null, authenticationValue: string|null, dsTransId: string, threeDSServerTransId: string, acsTransId: string}|null}
 * @phpstan-type PaymentInstructions array{type: 'bank_transfer'|'crypto', amount: numeric-string, currencyCode: string, currencyReference: string, networkCode: string|null, networkName: string|null, walletAddress: string|null, memo: string|null, paymentUri: string|null, reference: string|null, account: list<array{label: string, value: string}>, confirmationsRequired: int, expiresAt: int}
 * @phpstan-type PaymentMethodItem array{id: int, live: bool, name: string, reference: string, type?: string, currencyCodes?: list<string>|null, time?: array{minDays: int|null, maxDays: int|null}, paymentWindowSeconds: int, deliveryMethods?: list<DeliveryMethodItem>}
 * @phpstan-type PublicToken array{accessToken: string, tokenType: 'Bearer', expiresIn: int, expiresAt: int, scope: list<string>, jti: string}
 * @phpstan-type QuoteData array{spend: array{amount: numeric-string, currencyCode: string, currencyReference: string|null}, transactionFee: array{amount: numeric-string, currencyCode: string}, receive: array{amount: numeric-string, currencyCode: string, currencyReference: string}, delivery: array{fee: array{amount: numeric-string, currencyCode: string}, time: array{minDays: int|null, maxDays: int|null}}, paymentMethod: array{id: int, name: string, reference: string}, receivePaymentMethod: array{id: int, name: string, reference: string}, rate: numeric-string, quoteId: string, expiresAt: int, limits: array{min: numeric-string, max: numeric-string, currencyCode: string}, fees: list<array{type: 'percentage'|'fixed', amount: numeric-string, currencyCode: string}>, receipt: QuoteReceipt}
 * @phpstan-type QuoteReceipt array{currencyCode: string, value: numeric-string, exchangeFee: numeric-string, deliveryFee: numeric-string, spread: numeric-string, total: numeric-string, spreadPercent: numeric-string}
 * @phpstan-type QuoteRequest array{operationType: OperationType, baseCurrencyId: int, baseAmount: numeric-string, targetCurrencyId: int, paymentMethodId: int, deliveryMethodId?: int}
 * @phpstan-type RefundRequest array{amount?: numeric-string, refundAddress?: string, refundMemo?: string, refundWithoutMemo?: true}
 * @phpstan-type SandboxClock array{businessTime: int, aheadSeconds: int}
 * @phpstan-type SandboxDeposit array{depositId: string, orderId: int, amount: numeric-string, currencyCode: string, currencyReference: string, state: 'mempool'|'in_block'|'orphaned'|'in_flight'|'settled'|'rejected', confirmations: int, transactionHash: string|null}
 * @phpstan-type SandboxDepositRequest array{orderId: int, amount?: numeric-string, currency?: string, confirmations?: int, returns?: 'accepted'|'rejected', depositId?: string, state?: 'rejected'|'orphaned'}
 * @phpstan-type SessionData array{sessionId: SessionId, status: 'active'|'expired', expiresAt: int, scope: list<string>, lock: SessionLock, customer: Customer, returnUrl: string|null, locale: string|null, metadata: array<string, string>, createdAt: int, order: OrderData|null}
 * @phpstan-type SessionId string
 * @phpstan-type SessionLock array{operationType?: OperationType, baseCurrency?: string, baseAmount?: numeric-string, targetCurrency?: string, paymentMethod?: string, walletAddress?: string, networkCode?: string, memo?: string, withoutMemo?: true}
 * @phpstan-type StatusReason 'card_declined'|'three_ds_failed'|'bank_rejected'|'payment_timeout'|'underpaid'|'overpaid'|'late_payment'|'wrong_asset'|'compliance'|'rate_moved'|'limit_exceeded'|'no_liquidity'|'delivery_rejected'|'chain_reorg'|'user_cancelled'|'merchant_cancelled'|'operator_cancelled'|'provider_error'
 * @phpstan-type Wallet array{id: int, user: array{firstName: string, lastName: string}, walletAddress: string, currencyCode: string, networkCode: string}
 * @phpstan-type WalletLookupResult array{success: bool, message: string, wallet: Wallet|null, availableNetworks: list<string>, requiresNetworkCode: bool, belongsTo?: list<string>, addressStarts?: list<string>}
 * @phpstan-type WalletRequest array{walletAddress: string, currencyCode: string, networkCode?: string, user?: array{firstName: string, lastName: string}}
 * @phpstan-type WebhookDelivery array{id: string, eventId: string, endpointId: string, eventType: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', orderId: int, test: bool, status: 'pending'|'delivered'|'exhausted'|'dropped', attemptCount: int, nextAttemptAt: int|null, createdAt: int, attempts: list<DeliveryAttempt>}
 * @phpstan-type WebhookDeliveryDetail array{id: string, eventId: string, endpointId: string, eventType: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', orderId: int, test: bool, status: 'pending'|'delivered'|'exhausted'|'dropped', attemptCount: int, nextAttemptAt: int|null, createdAt: int, attempts: list<DeliveryAttempt>, payload: WebhookPayload}
 * @phpstan-type WebhookEndpointData array{id: string, url: string, eventTypes: list<'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'>, enabled: bool, disabledReason: 'gone'|'failing'|'operator'|'merchant'|null, disabledAt: int|null, failingSince: int|null, pausedUntil: int|null, previousSecretUntil: int|null, createdAt: int}
 * @phpstan-type WebhookEndpointWithSecret array{id: string, url: string, eventTypes: list<'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'>, enabled: bool, disabledReason: 'gone'|'failing'|'operator'|'merchant'|null, disabledAt: int|null, failingSince: int|null, pausedUntil: int|null, previousSecretUntil: int|null, createdAt: int, secret: string}
 * @phpstan-type WebhookFault array{id: string, fault: 'delay'|'drop'|'duplicate'|'reorder'|'corrupt_body'|'corrupt_signature'|'stale_timestamp', endpointId: string|null, eventType: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'|null, delaySeconds: int|null, deliveriesLeft: int, createdAt: int}
 * @phpstan-type WebhookPayload array{eventType: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', sessionId: SessionId, details: array{orderId: int, status: OrderStatus, paymentMethod: string, fulfilled: bool, totalPrice: numeric-string, totalPriceCurrency: string, exchangeDetails: array{baseCurrency: string, amountReceived: numeric-string, targetCurrency: string, amountToSend: numeric-string, operationType: OperationType}}}
 * @phpstan-type ListPaymentMethodsQuery array{operationType: OperationType, countryCode: string, includeDeliveryMethods?: bool}
 * @phpstan-type ListCurrenciesQuery array{operationType: OperationType, countryCode: string}
 * @phpstan-type ReadExchangeLimitsQuery array{operationType: OperationType, countryCode?: string, baseCurrencyId?: int, baseCurrency?: string, targetCurrencyId?: int, targetCurrency?: string, paymentMethodId?: int, deliveryMethodId?: int}
 * @phpstan-type ListOrdersQuery array{limit?: int, cursor?: string, status?: OrderStatus, operationType?: OperationType, sessionId?: SessionId, createdFrom?: int, createdTo?: int}
 * @phpstan-type ListWalletsQuery array{limit?: int, cursor?: string}
 * @phpstan-type LookUpWalletQuery array{walletAddress: string, currencyCode: string, networkCode?: string}
 * @phpstan-type ListEventsQuery array{limit?: int, after?: int|string, eventType?: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'}
 * @phpstan-type CreateWebhookEndpointRequest array{url: string, eventTypes?: list<'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'>}
 * @phpstan-type ChangeWebhookEndpointRequest array{url?: string, eventTypes?: list<'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'>, enabled?: bool, previousSecretUntil?: null}
 * @phpstan-type RotateWebhookSecretRequest array{overlapSeconds?: int}
 * @phpstan-type TestWebhookEndpointRequest array{eventType?: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded'}
 * @phpstan-type ListWebhookDeliveriesQuery array{limit?: int, cursor?: string, endpointId?: string, eventType?: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', status?: 'pending'|'delivered'|'exhausted'|'dropped', orderId?: int, createdFrom?: int, createdTo?: int}
 * @phpstan-type ReplayWebhookDeliveriesRequest array{endpointId: string, createdFrom: int, createdTo?: int, eventType?: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', include?: 'undelivered'|'all', dryRun?: bool}
 * @phpstan-type ReplayWebhookDeliveriesData array{dryRun: bool, matched: int, replayed: int}
 * @phpstan-type PlantWebhookFaultRequest array{fault: 'delay'|'drop'|'duplicate'|'reorder'|'corrupt_body'|'corrupt_signature'|'stale_timestamp', endpointId?: string, eventType?: 'OrderCreated'|'OrderFulfillment'|'OrderUpdated'|'OrderRefunded', deliveries?: int, delaySeconds?: int}
 */
final class Types
{
    /** Every code the service answers an error with. */
    public const ERROR_CODES = [
        'INVALID_INPUT',
        'INVALID_SCOPE',
        'INVALID_COUNTRY',
        'INVALID_OPERATION_TYPE',
        'SESSION_ALREADY_USED',
        'CURRENCY_NOT_FOUND',
        'UNSUPPORTED_PAIR',
        'PAYMENT_METHOD_NOT_FOUND',
        'PAYMENT_METHOD_UNAVAILABLE',
        'DELIVERY_METHOD_UNAVAILABLE',
        'AMOUNT_BELOW_MINIMUM',
        'AMOUNT_ABOVE_MAXIMUM',
        'AMOUNT_PRECISION',
        'INVALID_WALLET_ADDRESS',
        'NETWORK_REQUIRED',
        'NETWORK_MISMATCH',
        'UNAUTHORIZED',
        'TOKEN_EXPIRED',
        'TOKEN_INVALID',
        'INSUFFICIENT_SCOPE',
        'ORIGIN_NOT_ALLOWED',
        'NOT_FOUND',
        'INVALID_ORDER_STATE',
        'QUOTE_EXPIRED',
        'QUOTE_ALREADY_USED',
        'SESSION_EXPIRED',
        'IDEMPOTENCY_CONFLICT',
        'PAYLOAD_TOO_LARGE',
        'UNSUPPORTED_MEDIA_TYPE',
        'RATE_LIMITED',
        'INTERNAL_ERROR',
        'LIQUIDITY_UNAVAILABLE',
        'SERVICE_UNAVAILABLE',
        'PROVIDER_UNAVAILABLE',
    ];
}
