"""Written by `npm run generate -w @exchange/node` from the contract. Do not edit."""

from __future__ import annotations

from typing import Dict, List, Literal, TypedDict, Union

# Amounts and rates are text with the exact digits of the wire.


class AdvanceClockRequest(TypedDict):
    #: how far the clock jumps; it never goes back
    advanceSeconds: int


class _AdvanceOrderRequestAlways(TypedDict):
    #: the order's status; see the table of order states
    status: "OrderStatus"


class AdvanceOrderRequest(_AdvanceOrderRequestAlways, total=False):
    #: `screening_hit` is the operator's word for `compliance`
    statusReason: Literal[
        "card_declined",
        "three_ds_failed",
        "bank_rejected",
        "payment_timeout",
        "underpaid",
        "overpaid",
        "late_payment",
        "wrong_asset",
        "compliance",
        "rate_moved",
        "limit_exceeded",
        "no_liquidity",
        "delivery_rejected",
        "chain_reorg",
        "user_cancelled",
        "merchant_cancelled",
        "operator_cancelled",
        "provider_error",
        "screening_hit",
    ]


class CountryItem(TypedDict):
    #: ISO 3166-1 alpha-2 code
    code: str
    #: the country's name in English
    name: str
    #: the country's own currency
    currencyCode: str
    #: operations that customers there can use
    operationTypes: List["OperationType"]


class _CreateTokenRequestAlways(TypedDict):
    #: your own id of the purchase, such as that of a cart
    sessionId: "SessionId"


class CreateTokenRequest(_CreateTokenRequestAlways, total=False):
    #: what the token may do
    scope: List[str]
    #: lifetime in seconds
    expiresIn: int
    #: the terms that the customer's page cannot change
    lock: "SessionLock"
    #: what your server says about the customer; the browser fills the gaps only
    customer: "Customer"
    #: the page to which a redirected customer returns; null without one
    returnUrl: str
    #: the language of the checkout (BCP 47); null for that of the browser
    locale: str
    #: values for your server alone; they never reach the browser
    metadata: Dict[str, str]


class _CurrencyItemAlways(TypedDict):
    #: the number that calls use
    id: int
    #: the code of the currency; currencies of several networks share it
    code: str
    #: the currency's display name
    description: str
    #: a shorter name; null if there is none
    shortName: Union[str, None]
    #: the sign of the currency
    symbol: str
    #: C crypto, F fiat
    type: Union[Literal["C"], Literal["F"]]
    #: the name of the currency with its network; null for a fiat currency
    reference: Union[str, None]
    #: decimals of amounts of this currency, at most 8
    decimals: int
    #: the code of the network; null for a fiat currency
    networkCode: Union[str, None]
    #: the network's display name; null for a fiat currency
    networkName: Union[str, None]
    #: whether an address on this network takes a memo or tag
    memo: Union[Literal["none"], Literal["optional"], Literal["required"]]


class CurrencyItem(_CurrencyItemAlways, total=False):
    #: present if customers can receive the currency and not pay with it
    paidOutOnly: Literal[True]


class Customer(TypedDict, total=False):
    #: your own id of the customer
    reference: str
    #: the customer's e-mail address
    email: str
    #: the first name
    firstName: str
    #: the last name
    lastName: str
    #: a country (ISO 3166-1 alpha-2) in any letter case
    countryCode: str


class DeliveryAttempt(TypedDict):
    #: its X-Webhook-Attempt
    number: int
    #: Unix seconds; when it was begun
    startedAt: int
    #: the time until the answer, in milliseconds; null while it is awaited
    durationMs: Union[int, None]
    #: the status of the answer; null without an answer
    status: Union[int, None]
    #: why there was no answer that counts; null if there was one
    fault: Union[str, None]
    #: the fault that was planted in the sandbox; null if there was none
    plantedFault: Union[str, None]
    #: the beginning of the answer; null without one
    responseExcerpt: Union[str, None]


class DeliveryMethodItemFee(TypedDict):
    #: the part of the fee that grows with the amount, in percent
    percent: str
    #: the part of the fee that does not depend on the amount
    fixed: str
    #: currency of the fixed part
    currencyCode: str


class DeliveryMethodItemTime(TypedDict):
    #: the days at least; null where it takes no days
    minDays: Union[int, None]
    #: the days at most; null where it takes no days
    maxDays: Union[int, None]


class DeliveryMethodItemRequiredFieldsItem(TypedDict):
    #: the name of the field in `payout`
    name: str
    #: the field's display name
    label: str
    #: a regular expression that the value matches
    pattern: str


class DeliveryMethodItem(TypedDict):
    #: the number that calls use
    id: int
    #: whether it can be used now
    live: bool
    #: the display name
    name: str
    #: the permanent reference for use in calls
    reference: str
    #: on_chain, bank_transfer, card_push, cash_pickup, mobile_money
    type: str
    #: the currencies that can be used; null for all
    currencyCodes: Union[List[str], None]
    #: the fee of the delivery
    fee: "DeliveryMethodItemFee"
    #: the time that the delivery takes
    time: "DeliveryMethodItemTime"
    #: the fields that the customer fills in to be paid out
    requiredFields: List["DeliveryMethodItemRequiredFieldsItem"]


class Deposit(TypedDict):
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str
    #: `seen` until the network or bank makes it final
    status: Literal["seen", "final", "lost"]
    #: the number of blocks that confirm the transaction
    confirmations: int
    #: the hash of the transaction; null until it is known
    transactionHash: Union[str, None]
    #: Unix seconds
    at: int


class ErrorBodyDetailsItem(TypedDict, total=False):
    #: where in the request, e.g. body.baseAmount
    path: str
    #: the problem of this field, for people
    issue: str
    #: the lowest amount
    min: str
    #: the highest amount
    max: str
    #: the code of the currency
    currencyCode: str
    #: the rule that sets the limit, e.g. payment_method
    boundBy: str


class _ErrorBodyAlways(TypedDict):
    #: a word for the error, which is part of the interface
    code: str
    #: a sentence for people; it may change
    message: str


class ErrorBody(_ErrorBodyAlways, total=False):
    #: the id of this request; quote it when you ask for help
    requestId: str
    #: the problems of single fields
    details: List["ErrorBodyDetailsItem"]


class EventItem(TypedDict):
    #: UUID of the event, the same for all endpoints
    id: str
    #: grows with each of your events, from 1; numbers may be skipped
    sequence: int
    #: the event
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: Unix seconds
    createdAt: int
    #: the body of the webhook
    payload: "WebhookPayload"


class ExchangeCurrencies(TypedDict):
    #: the coins, each on one network
    cryptoCurrencies: List["CurrencyItem"]
    #: the fiat currencies
    fiatCurrencies: List["CurrencyItem"]


class ExchangeLimitsBoundBy(TypedDict):
    #: the rule that sets the lowest amount
    min: str
    #: the rule that sets the highest amount
    max: str


class ExchangeLimitsWaysItemPaymentMethod(TypedDict):
    #: the number that calls use
    id: int
    #: the display name
    name: str
    #: the permanent reference for use in calls
    reference: str


class ExchangeLimitsWaysItemDeliveryMethod(TypedDict):
    #: the number that calls use
    id: int
    #: the display name
    name: str
    #: the permanent reference for use in calls
    reference: str


class ExchangeLimitsWaysItemBoundBy(TypedDict):
    #: the rule that sets the lowest amount
    min: str
    #: the rule that sets the highest amount
    max: str


class ExchangeLimitsWaysItem(TypedDict):
    #: the way in which the customer pays
    paymentMethod: "ExchangeLimitsWaysItemPaymentMethod"
    #: the way in which the customer is paid out
    deliveryMethod: "ExchangeLimitsWaysItemDeliveryMethod"
    #: the lowest amount
    min: str
    #: the highest amount
    max: str
    #: the rule that sets each limit: merchant, currency, payment_method, delivery_method,
    #: country or fees
    boundBy: "ExchangeLimitsWaysItemBoundBy"


class ExchangeLimits(TypedDict):
    #: the lowest amount
    min: str
    #: the highest amount
    max: str
    #: the rule that sets each limit: merchant, currency, payment_method, delivery_method,
    #: country or fees
    boundBy: "ExchangeLimitsBoundBy"
    #: currency of every amount here: the one the customer spends
    currencyCode: str
    #: each way to pay and be paid, with the limits of its quotes
    ways: List["ExchangeLimitsWaysItem"]


OperationType = Union[Literal["S"], Literal["B"], Literal["FF"], Literal["CC"]]


class OrderDataExchangeDetails(TypedDict):
    #: the currency that the customer spends, by its code or reference
    baseCurrency: str
    #: the amount received from the customer, or to be received
    amountReceived: str
    #: the currency that the customer receives, by its code or reference
    targetCurrency: str
    #: the amount sent to the customer, or to be sent
    amountToSend: str
    #: `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money
    operationType: "OperationType"


class OrderDataPayment(TypedDict):
    #: the kind of the payment method
    type: str
    #: unpaid: not paid yet, or the card is being charged; pending: waits for money or a
    #: person; paid: the money is certain; declined: a card was refused and another may be
    #: tried; failed: ended without the money, or it is returned
    outcome: Literal["unpaid", "pending", "paid", "declined", "failed"]
    #: the number of cards that may still be tried
    attemptsLeft: int
    #: Unix seconds; end of the payment window
    expiresAt: int
    #: the latest payment by card; null before the first
    attempt: Union["PaymentAttempt", None]
    #: where to send the money or coins; null for a card
    instructions: Union["PaymentInstructions", None]
    #: the final part of the payment, in the base currency
    received: str
    #: bank transfers or coins that arrived, oldest first
    deposits: List["Deposit"]


class OrderDataDeliveryFieldsItem(TypedDict):
    #: the name of the field that programs use
    name: str
    #: the field's display name
    label: str
    #: masked except for its last characters
    value: str


class OrderDataDelivery(TypedDict):
    #: the kind of the delivery method
    type: str
    #: the address that receives the coins
    walletAddress: Union[str, None]
    #: the code of the network; null for a fiat currency
    networkCode: Union[str, None]
    #: the memo or destination tag of the address; null if it has none
    memo: Union[str, None]
    #: the hash of the transaction; null until it is known
    transactionHash: Union[str, None]
    #: a page that shows the transaction; null where there is none
    explorerUrl: Union[str, None]
    #: the number of blocks that confirm the transaction
    confirmations: int
    #: the number of blocks after which the transaction is final
    confirmationsRequired: int
    #: the permanent reference for use in calls
    reference: Union[str, None]
    #: the fields of the delivery method, masked except for their last characters
    fields: List["OrderDataDeliveryFieldsItem"]


class OrderDataTimelineItem(TypedDict):
    #: the order's status; see the table of order states
    status: "OrderStatus"
    #: why the order has this status, where the status alone does not say it
    statusReason: Union["StatusReason", None]
    #: who made the change
    actor: Literal["customer", "merchant", "operator", "system"]
    #: the reason in words
    note: str
    #: Unix seconds
    at: int


class OrderData(TypedDict):
    #: the id of the order
    orderId: int
    #: your own id of the purchase, such as that of a cart
    sessionId: "SessionId"
    #: the order's status; see the table of order states
    status: "OrderStatus"
    #: why the order has this status, where the status alone does not say it
    statusReason: Union["StatusReason", None]
    #: whether everything that was promised was paid out
    fulfilled: bool
    #: `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money
    operationType: "OperationType"
    #: display name
    paymentMethod: str
    #: the amount that the customer pays, fees included
    totalPrice: str
    #: the currency of the price
    totalPriceCurrency: str
    #: both sides of the exchange
    exchangeDetails: "OrderDataExchangeDetails"
    #: the price at which the order was placed
    quote: "QuoteData"
    #: how the order is paid
    payment: "OrderDataPayment"
    #: how the order is paid out, and how far that has come
    delivery: "OrderDataDelivery"
    #: the money that goes back to the customer, or has gone back
    refunds: List["OrderRefund"]
    #: the address that coins are returned to
    refundAddress: Union[str, None]
    #: another refund address that waits for the operator's approval
    requestedRefundAddress: Union[str, None]
    #: each change of the order with its time, oldest first
    timeline: List["OrderDataTimelineItem"]
    #: the order's own page, where its customer reads, pays or cancels it on any device; null
    #: once it was revoked or the customer was erased, and for an API key without both scopes
    #: `read` and `orders.write`. Anyone with the address can do so
    customerUrl: Union[str, None]
    #: Unix seconds
    createdAt: int
    #: Unix seconds
    updatedAt: int
    #: what your server says about the customer; the browser fills the gaps only
    customer: "Customer"
    #: values for your server alone; they never reach the browser
    metadata: Dict[str, str]


class OrderRefund(TypedDict):
    #: unique; the same in every answer
    id: str
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str
    #: how far the refund has come
    status: Literal["pending", "refunded", "failed"]
    #: the order's statusReason when it was refunded, or `requested` where it had none
    reason: Literal[
        "card_declined",
        "three_ds_failed",
        "bank_rejected",
        "payment_timeout",
        "underpaid",
        "overpaid",
        "late_payment",
        "wrong_asset",
        "compliance",
        "rate_moved",
        "limit_exceeded",
        "no_liquidity",
        "delivery_rejected",
        "chain_reorg",
        "user_cancelled",
        "merchant_cancelled",
        "operator_cancelled",
        "provider_error",
        "requested",
    ]
    #: the hash of the transaction; null until it is known
    transactionHash: Union[str, None]
    #: a page that shows the transaction; null where there is none
    explorerUrl: Union[str, None]
    #: Unix seconds
    createdAt: int
    #: when the refund was final, in Unix seconds; null until then
    refundedAt: Union[int, None]


OrderStatus = Literal["awaiting_payment", "payment_pending", "in_review", "processing", "sending", "completed", "failed", "expired", "cancelled", "refund_pending", "refunded"]


class PaymentAttemptThreeDSecure(TypedDict):
    #: the version of the protocol
    version: str
    #: the outcome: `Y` authenticated, `A` attempted, `N` not, `U` unknown, `R` rejected, `C`
    #: challenge
    transStatus: Literal["Y", "A", "N", "U", "R", "C"]
    #: whether the cardholder was asked
    flow: Literal["frictionless", "challenge"]
    #: electronic commerce indicator of the card network; null without one
    eci: Union[str, None]
    #: CAVV, AAV or AEVV, base64; null without one
    authenticationValue: Union[str, None]
    #: the directory server's id of the authentication
    dsTransId: str
    #: the 3DS server's id of the authentication
    threeDSServerTransId: str
    #: the bank's id of the authentication
    acsTransId: str


class PaymentAttempt(TypedDict):
    #: the number of the attempt, from 1
    number: int
    #: how far the payment has come
    status: Literal[
        "processing",
        "challenge",
        "authorized",
        "captured",
        "declined",
        "authentication_failed",
        "failed",
        "voided",
    ]
    #: the brand of the card
    brand: str
    #: the last four digits of the card
    lastFour: str
    #: why the bank declined; null if it did not
    declineReason: Union[str, None]
    #: the page on which the bank asks the cardholder; null while there is none
    challengeUrl: Union[str, None]
    #: the result of EMV 3-D Secure; null without it
    threeDSecure: Union["PaymentAttemptThreeDSecure", None]


class PaymentInstructionsAccountItem(TypedDict):
    #: the detail's display name
    label: str
    #: the value of the field, as people read it
    value: str


class PaymentInstructions(TypedDict):
    #: the kind of payment
    type: Literal["bank_transfer", "crypto"]
    #: the exact amount, in the base currency
    amount: str
    #: the code of the currency
    currencyCode: str
    #: the currency with its network, such as usdt-tron
    currencyReference: str
    #: the code of the network; null for a fiat currency
    networkCode: Union[str, None]
    #: the network's display name; null for a fiat currency
    networkName: Union[str, None]
    #: the address that receives the coins
    walletAddress: Union[str, None]
    #: the memo or destination tag of the address; null if it has none
    memo: Union[str, None]
    #: the payment for a wallet to scan or open; null for a bank transfer
    paymentUri: Union[str, None]
    #: the text that the payer must write; null for coins
    reference: Union[str, None]
    #: the bank account, line by line
    account: List["PaymentInstructionsAccountItem"]
    #: the number of blocks after which the transaction is final
    confirmationsRequired: int
    #: Unix seconds; the rate holds until then
    expiresAt: int


class PaymentMethodItemTime(TypedDict):
    #: the days at least; null where it takes no days
    minDays: Union[int, None]
    #: the days at most; null where it takes no days
    maxDays: Union[int, None]


class _PaymentMethodItemAlways(TypedDict):
    #: the number that calls use
    id: int
    #: whether it can be used now
    live: bool
    #: the display name
    name: str
    #: the permanent reference for use in calls
    reference: str
    #: the seconds for which an order waits for its payment by this method
    paymentWindowSeconds: int


class PaymentMethodItem(_PaymentMethodItemAlways, total=False):
    #: card, bank_transfer or crypto
    type: str
    #: the currencies that can be used; null for all
    currencyCodes: Union[List[str], None]
    #: the time that a payment takes to arrive
    time: "PaymentMethodItemTime"
    #: the ways in which an order that is paid like this can be paid out
    deliveryMethods: List["DeliveryMethodItem"]


class PublicToken(TypedDict):
    #: JWT used by the SDK
    accessToken: str
    #: how the token is sent
    tokenType: Literal["Bearer"]
    #: lifetime in seconds
    expiresIn: int
    #: Unix seconds
    expiresAt: int
    #: what the token may do
    scope: List[str]
    #: the id of the token
    jti: str


class QuoteDataSpend(TypedDict):
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str
    #: the currency with its network, such as usdt-tron
    currencyReference: Union[str, None]


class QuoteDataTransactionFee(TypedDict):
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str


class QuoteDataReceive(TypedDict):
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str
    #: the currency with its network, such as usdt-tron
    currencyReference: str


class QuoteDataDeliveryFee(TypedDict):
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str


class QuoteDataDeliveryTime(TypedDict):
    #: the days at least; null where it takes no days
    minDays: Union[int, None]
    #: the days at most; null where it takes no days
    maxDays: Union[int, None]


class QuoteDataDelivery(TypedDict):
    #: the fee of the delivery
    fee: "QuoteDataDeliveryFee"
    #: the time that the delivery takes
    time: "QuoteDataDeliveryTime"


class QuoteDataPaymentMethod(TypedDict):
    #: the number that calls use
    id: int
    #: the display name
    name: str
    #: the permanent reference for use in calls
    reference: str


class QuoteDataReceivePaymentMethod(TypedDict):
    #: the number that calls use
    id: int
    #: the display name
    name: str
    #: the permanent reference for use in calls
    reference: str


class QuoteDataLimits(TypedDict):
    #: the lowest amount
    min: str
    #: the highest amount
    max: str
    #: the code of the currency
    currencyCode: str


class QuoteDataFeesItem(TypedDict):
    #: whether the part grows with the amount
    type: Union[Literal["percentage"], Literal["fixed"]]
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str


class QuoteData(TypedDict):
    #: the amount that the customer pays
    spend: "QuoteDataSpend"
    #: the fee of the exchange, in the currency received
    transactionFee: "QuoteDataTransactionFee"
    #: the amount that arrives, all fees deducted
    receive: "QuoteDataReceive"
    #: the cost and the time of the delivery; the cost of a token on Solana includes opening
    #: its account in the wallet
    delivery: "QuoteDataDelivery"
    #: the way in which the customer pays
    paymentMethod: "QuoteDataPaymentMethod"
    #: the way in which the customer is paid out
    receivePaymentMethod: "QuoteDataReceivePaymentMethod"
    #: effective exchange rate, target per base
    rate: str
    #: the id of the quote; one quote makes one order
    quoteId: str
    #: Unix seconds
    expiresAt: int
    #: the amounts that may be spent this way
    limits: "QuoteDataLimits"
    #: the parts that sum to transactionFee
    fees: List["QuoteDataFeesItem"]
    #: the cost of the quote in the currency that its customer thinks in
    receipt: "QuoteReceipt"


class QuoteReceipt(TypedDict):
    #: the currency spent; for a sale of coins the currency received
    currencyCode: str
    #: what the amount received is worth at the market's price
    value: str
    #: `transactionFee` in the receipt's currency
    exchangeFee: str
    #: `delivery.fee` in the receipt's currency
    deliveryFee: str
    #: the difference between the market's price and the quote's rate
    spread: str
    #: the sum of both fees and the spread
    total: str
    #: how far the quote's rate is from the market's, in percent
    spreadPercent: str


class _QuoteRequestAlways(TypedDict):
    #: `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money
    operationType: "OperationType"
    #: the currency that the customer spends, by its id
    baseCurrencyId: int
    #: the amount that the customer spends
    baseAmount: str
    #: the currency that the customer receives, by its id
    targetCurrencyId: int
    #: the way in which the customer pays, by its id
    paymentMethodId: int


class QuoteRequest(_QuoteRequestAlways, total=False):
    #: the way in which the customer is paid out, by its id
    deliveryMethodId: int


class RefundRequest(TypedDict, total=False):
    #: in the base currency; by default everything that is held
    amount: str
    #: the address that coins are returned to
    refundAddress: str
    #: the memo or destination tag of the refund address
    refundMemo: str
    #: the customer's word that the address needs no memo or tag; required without a memo where
    #: the network has memos
    refundWithoutMemo: Literal[True]


class SandboxClock(TypedDict):
    #: Unix seconds, after the jump
    businessTime: int
    #: total of all jumps: how far the clock is ahead of real time
    aheadSeconds: int


class SandboxDeposit(TypedDict):
    #: the id of the payment
    depositId: str
    #: the id of the order
    orderId: int
    #: an amount in `currencyCode`
    amount: str
    #: the code of the currency
    currencyCode: str
    #: the currency with its network, such as usdt-tron
    currencyReference: str
    #: `seen` until it is final
    state: Literal["mempool", "in_block", "orphaned", "in_flight", "settled", "rejected"]
    #: the number of blocks that confirm the transaction
    confirmations: int
    #: the hash of the transaction; null until it is known
    transactionHash: Union[str, None]


class _SandboxDepositRequestAlways(TypedDict):
    #: the id of the order
    orderId: int


class SandboxDepositRequest(_SandboxDepositRequestAlways, total=False):
    #: by default exactly what the order still lacks
    amount: str
    #: another currency of the same network, or another fiat currency, by mistake
    currency: str
    #: by default final; the number never grows by itself. A bank transfer is in flight with 0
    #: and settled with more
    confirmations: int
    #: what the sender's bank does when the transfer is returned
    returns: Literal["accepted", "rejected"]
    #: advances this deposit instead of paying
    depositId: str
    #: with depositId: a bank rejects the transfer, a chain drops its block
    state: Literal["rejected", "orphaned"]


class SessionData(TypedDict):
    #: your own id of the purchase, such as that of a cart
    sessionId: "SessionId"
    #: expired once an order was placed in it
    status: Union[Literal["active"], Literal["expired"]]
    #: Unix seconds; end of its latest public token
    expiresAt: int
    #: what the token may do
    scope: List[str]
    #: the terms that the customer's page cannot change
    lock: "SessionLock"
    #: what your server says about the customer; the browser fills the gaps only
    customer: "Customer"
    #: the page to which a redirected customer returns; null without one
    returnUrl: Union[str, None]
    #: the language of the checkout (BCP 47); null for that of the browser
    locale: Union[str, None]
    #: values for your server alone; they never reach the browser
    metadata: Dict[str, str]
    #: Unix seconds
    createdAt: int
    #: the order of the session; null before it was placed
    order: Union["OrderData", None]


SessionId = str


class SessionLock(TypedDict, total=False):
    #: `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money
    operationType: "OperationType"
    #: the currency that the customer spends, by its code or reference
    baseCurrency: str
    #: the amount that the customer spends
    baseAmount: str
    #: the currency that the customer receives, by its code or reference
    targetCurrency: str
    #: the way in which the customer pays
    paymentMethod: str
    #: the address that receives the coins
    walletAddress: str
    #: the code of the network; null for a fiat currency
    networkCode: str
    #: memo or tag of walletAddress
    memo: str
    #: walletAddress needs no memo, and the customer adds none
    withoutMemo: Literal[True]


StatusReason = Literal["card_declined", "three_ds_failed", "bank_rejected", "payment_timeout", "underpaid", "overpaid", "late_payment", "wrong_asset", "compliance", "rate_moved", "limit_exceeded", "no_liquidity", "delivery_rejected", "chain_reorg", "user_cancelled", "merchant_cancelled", "operator_cancelled", "provider_error"]


class WalletUser(TypedDict):
    #: the first name
    firstName: str
    #: the last name
    lastName: str


class Wallet(TypedDict):
    #: the number that calls use
    id: int
    #: names are empty if you sent none
    user: "WalletUser"
    #: the address that receives the coins
    walletAddress: str
    #: the code of the currency
    currencyCode: str
    #: the code of the network; null for a fiat currency
    networkCode: str


class _WalletLookupResultAlways(TypedDict):
    #: whether the call succeeded
    success: bool
    #: a sentence for people; it may change
    message: str
    #: the saved wallet with this address; null if there is none
    wallet: Union["Wallet", None]
    #: the networks on which the address is valid
    availableNetworks: List[str]
    #: whether `networkCode` must say which network is meant
    requiresNetworkCode: bool


class WalletLookupResult(_WalletLookupResultAlways, total=False):
    #: set where the address is of no network of the coin: the networks that it belongs to
    belongsTo: List[str]
    #: set beside `belongsTo`: the first letters of an address of the coin, if it has such
    #: letters
    addressStarts: List[str]


class WalletRequestUser(TypedDict):
    #: the first name
    firstName: str
    #: the last name
    lastName: str


class _WalletRequestAlways(TypedDict):
    #: the address that receives the coins
    walletAddress: str
    #: the code of the currency
    currencyCode: str


class WalletRequest(_WalletRequestAlways, total=False):
    #: the code of the network; null for a fiat currency
    networkCode: str
    #: the customer who owns the wallet
    user: "WalletRequestUser"


class WebhookDelivery(TypedDict):
    #: UUID, the X-Webhook-Id of every attempt
    id: str
    #: UUID of the event, the same for all endpoints
    eventId: str
    #: UUID
    endpointId: str
    #: the event
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: 0 in a test
    orderId: int
    #: true for a test that you sent; it is not about an order
    test: bool
    #: how far the delivery has come
    status: Literal["pending", "delivered", "exhausted", "dropped"]
    #: number of attempts, including one in flight
    attemptCount: int
    #: when it is posted next, in Unix seconds; null once it has ended
    nextAttemptAt: Union[int, None]
    #: Unix seconds; when it happened
    createdAt: int
    #: the latest 50, oldest first
    attempts: List["DeliveryAttempt"]


class WebhookDeliveryDetail(TypedDict):
    #: UUID, the X-Webhook-Id of every attempt
    id: str
    #: UUID of the event, the same for all endpoints
    eventId: str
    #: UUID
    endpointId: str
    #: the event
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: 0 in a test
    orderId: int
    #: true for a test that you sent; it is not about an order
    test: bool
    #: how far the delivery has come
    status: Literal["pending", "delivered", "exhausted", "dropped"]
    #: number of attempts, including one in flight
    attemptCount: int
    #: when it is posted next, in Unix seconds; null once it has ended
    nextAttemptAt: Union[int, None]
    #: Unix seconds; when it happened
    createdAt: int
    #: the latest 50, oldest first
    attempts: List["DeliveryAttempt"]
    #: the body of the webhook
    payload: "WebhookPayload"


class WebhookEndpointData(TypedDict):
    #: UUID
    id: str
    #: the address that receives the webhooks
    url: str
    #: the events that the endpoint receives
    eventTypes: List[Literal[
        "OrderCreated",
        "OrderFulfillment",
        "OrderUpdated",
        "OrderRefunded",
    ]]
    #: false: events wait here until you enable it again
    enabled: bool
    #: why the endpoint is disabled; null while it is not
    disabledReason: Union[Literal["gone", "failing", "operator", "merchant"], None]
    #: when the endpoint was disabled, in Unix seconds; null while it is not
    disabledAt: Union[int, None]
    #: the first failure since the last success, in Unix seconds; null without one
    failingSince: Union[int, None]
    #: until when no request is sent after too many failures, in Unix seconds; null otherwise
    pausedUntil: Union[int, None]
    #: until when the secret before the last rotation signs too, in Unix seconds; null
    #: otherwise
    previousSecretUntil: Union[int, None]
    #: Unix seconds; when it was registered
    createdAt: int


class WebhookEndpointWithSecret(TypedDict):
    #: UUID
    id: str
    #: the address that receives the webhooks
    url: str
    #: the events that the endpoint receives
    eventTypes: List[Literal[
        "OrderCreated",
        "OrderFulfillment",
        "OrderUpdated",
        "OrderRefunded",
    ]]
    #: false: events wait here until you enable it again
    enabled: bool
    #: why the endpoint is disabled; null while it is not
    disabledReason: Union[Literal["gone", "failing", "operator", "merchant"], None]
    #: when the endpoint was disabled, in Unix seconds; null while it is not
    disabledAt: Union[int, None]
    #: the first failure since the last success, in Unix seconds; null without one
    failingSince: Union[int, None]
    #: until when no request is sent after too many failures, in Unix seconds; null otherwise
    pausedUntil: Union[int, None]
    #: until when the secret before the last rotation signs too, in Unix seconds; null
    #: otherwise
    previousSecretUntil: Union[int, None]
    #: Unix seconds; when it was registered
    createdAt: int
    #: `whsec_` and base64. Store it: no other answer contains it
    secret: str


class WebhookFault(TypedDict):
    #: UUID
    id: str
    #: the fault that is planted
    fault: Literal[
        "delay",
        "drop",
        "duplicate",
        "reorder",
        "corrupt_body",
        "corrupt_signature",
        "stale_timestamp",
    ]
    #: the id of the endpoint; null for all of them
    endpointId: Union[str, None]
    #: the event
    eventType: Union[Literal[
        "OrderCreated",
        "OrderFulfillment",
        "OrderUpdated",
        "OrderRefunded",
    ], None]
    #: the seconds of the delay; null for other faults
    delaySeconds: Union[int, None]
    #: number of webhooks it will still hit
    deliveriesLeft: int
    #: Unix seconds
    createdAt: int


class WebhookPayloadDetailsExchangeDetails(TypedDict):
    #: the currency that the customer spends, by its code or reference
    baseCurrency: str
    #: the amount received from the customer, or to be received
    amountReceived: str
    #: the currency that the customer receives, by its code or reference
    targetCurrency: str
    #: the amount sent to the customer, or to be sent
    amountToSend: str
    #: `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money
    operationType: "OperationType"


class WebhookPayloadDetails(TypedDict):
    #: the id of the order
    orderId: int
    #: the order's status; see the table of order states
    status: "OrderStatus"
    #: the payment method's display name
    paymentMethod: str
    #: whether everything that was promised was paid out
    fulfilled: bool
    #: the amount that the customer pays, fees included
    totalPrice: str
    #: the currency of the price
    totalPriceCurrency: str
    #: both sides of the exchange
    exchangeDetails: "WebhookPayloadDetailsExchangeDetails"


class WebhookPayload(TypedDict):
    #: the event
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: your own id of the purchase, such as that of a cart
    sessionId: "SessionId"
    #: the order as it was when the event happened
    details: "WebhookPayloadDetails"


class _ListPaymentMethodsQueryAlways(TypedDict):
    #: S sell, B buy, FF fiat to fiat, CC crypto to crypto
    operationType: "OperationType"
    #: ISO 3166-1 alpha-2 code
    countryCode: str


class ListPaymentMethodsQuery(_ListPaymentMethodsQueryAlways, total=False):
    #: whether each payment method lists its delivery methods
    includeDeliveryMethods: Union[bool, str]


class ListCurrenciesQuery(TypedDict):
    #: S sell, B buy, FF fiat to fiat, CC crypto to crypto
    operationType: "OperationType"
    #: ISO 3166-1 alpha-2 code
    countryCode: str


class _ReadExchangeLimitsQueryAlways(TypedDict):
    #: S sell, B buy, FF fiat to fiat, CC crypto to crypto
    operationType: "OperationType"


class ReadExchangeLimitsQuery(_ReadExchangeLimitsQueryAlways, total=False):
    #: ISO 3166-1 alpha-2 code
    countryCode: str
    #: the currency that the customer spends, by its id
    baseCurrencyId: int
    #: code or reference of the currency to spend, in place of its id
    baseCurrency: str
    #: the currency that the customer receives, by its id
    targetCurrencyId: int
    #: code or reference of the currency to receive, in place of its id
    targetCurrency: str
    #: the way in which the customer pays, by its id
    paymentMethodId: int
    #: the way in which the customer is paid out, by its id
    deliveryMethodId: int


class ListOrdersQuery(TypedDict, total=False):
    #: items in one answer; by default 20
    limit: int
    #: nextCursor of the previous page; only the service makes cursors
    cursor: str
    #: the order's status; see the table of order states
    status: "OrderStatus"
    #: S sell, B buy, FF fiat to fiat, CC crypto to crypto
    operationType: "OperationType"
    #: The merchant's name for one checkout; it ties one public token to one order. Any text of
    #: 1 to 255 characters without control characters.
    sessionId: "SessionId"
    #: Unix seconds; orders created then or later
    createdFrom: int
    #: Unix seconds; orders created before then
    createdTo: int


class ListWalletsQuery(TypedDict, total=False):
    #: items in one answer; by default 20
    limit: int
    #: nextCursor of the previous page; only the service makes cursors
    cursor: str


class _LookUpWalletQueryAlways(TypedDict):
    #: the address that receives the coins
    walletAddress: str
    #: the code of the currency
    currencyCode: str


class LookUpWalletQuery(_LookUpWalletQueryAlways, total=False):
    #: the code of the network; null for a fiat currency
    networkCode: str


class ListEventsQuery(TypedDict, total=False):
    #: items in one answer; by default 20
    limit: int
    #: sequence of the last event you have; by default from the beginning. A number above your
    #: newest event's is refused. `now` returns no events, and `nextCursor` is the `after` that
    #: new events follow
    after: Union[int, str]
    #: only events of this type. A page may then be empty while `nextCursor` is not null
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]


class _CreateWebhookEndpointRequestAlways(TypedDict):
    #: https on port 443 or 8443 at a public address; in a sandbox also http, loopback and
    #: other ports
    url: str


class CreateWebhookEndpointRequest(_CreateWebhookEndpointRequestAlways, total=False):
    #: the events that the endpoint receives
    eventTypes: List[Literal[
        "OrderCreated",
        "OrderFulfillment",
        "OrderUpdated",
        "OrderRefunded",
    ]]


class ChangeWebhookEndpointRequest(TypedDict, total=False):
    #: https on port 443 or 8443 at a public address; in a sandbox also http, loopback and
    #: other ports
    url: str
    #: the events that the endpoint receives
    eventTypes: List[Literal[
        "OrderCreated",
        "OrderFulfillment",
        "OrderUpdated",
        "OrderRefunded",
    ]]
    #: false disables the endpoint; its events wait
    enabled: bool
    #: null: the secret before the rotation ends now
    previousSecretUntil: None


class RotateWebhookSecretRequest(TypedDict, total=False):
    #: how long the previous secret still signs too; by default a day; 0 ends it now
    overlapSeconds: int


class TestWebhookEndpointRequest(TypedDict, total=False):
    #: by default OrderCreated
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]


class ListWebhookDeliveriesQuery(TypedDict, total=False):
    #: items in one answer; by default 20
    limit: int
    #: nextCursor of the previous page; only the service makes cursors
    cursor: str
    #: of this endpoint
    endpointId: str
    #: the event
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: the order's status; see the table of order states
    status: Literal["pending", "delivered", "exhausted", "dropped"]
    #: 0 for tests
    orderId: int
    #: Unix seconds; events at that time or later
    createdFrom: int
    #: Unix seconds; events before then
    createdTo: int


class _ReplayWebhookDeliveriesRequestAlways(TypedDict):
    #: where to
    endpointId: str
    #: Unix seconds; events at that time or later
    createdFrom: int


class ReplayWebhookDeliveriesRequest(_ReplayWebhookDeliveriesRequestAlways, total=False):
    #: Unix seconds; events before then; by default until now
    createdTo: int
    #: the event
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: `undelivered` (default): events that the endpoint did not accept or was never sent;
    #: `all`: accepted events too
    include: Literal["undelivered", "all"]
    #: true: only count
    dryRun: bool


class ReplayWebhookDeliveriesData(TypedDict):
    #: whether the deliveries were only counted
    dryRun: bool
    #: deliveries in the range
    matched: int
    #: number that is sent now; 0 in a dry run
    replayed: int


class _PlantWebhookFaultRequestAlways(TypedDict):
    #: `delay`: sent later; `drop`: lost on the way, retried on schedule; `duplicate`: sent
    #: twice; `reorder`: the order's later events overtake it; `corrupt_body`: one byte changed
    #: after signing; `corrupt_signature`: neither signature is valid; `stale_timestamp`:
    #: validly signed ten minutes ago
    fault: Literal[
        "delay",
        "drop",
        "duplicate",
        "reorder",
        "corrupt_body",
        "corrupt_signature",
        "stale_timestamp",
    ]


class PlantWebhookFaultRequest(_PlantWebhookFaultRequestAlways, total=False):
    #: only this endpoint; by default all of them
    endpointId: str
    #: only these events
    eventType: Literal["OrderCreated", "OrderFulfillment", "OrderUpdated", "OrderRefunded"]
    #: number of webhooks it hits; by default 1
    deliveries: int
    #: for `delay` and `reorder`: seconds of the delay; by default 5
    delaySeconds: int


WebhookEventType = Literal[
    "OrderCreated",
    "OrderFulfillment",
    "OrderUpdated",
    "OrderRefunded",
]


#: Every code the service answers an error with.
ErrorCode = Literal[
    "INVALID_INPUT",
    "INVALID_SCOPE",
    "INVALID_COUNTRY",
    "INVALID_OPERATION_TYPE",
    "SESSION_ALREADY_USED",
    "CURRENCY_NOT_FOUND",
    "UNSUPPORTED_PAIR",
    "PAYMENT_METHOD_NOT_FOUND",
    "PAYMENT_METHOD_UNAVAILABLE",
    "DELIVERY_METHOD_UNAVAILABLE",
    "AMOUNT_BELOW_MINIMUM",
    "AMOUNT_ABOVE_MAXIMUM",
    "AMOUNT_PRECISION",
    "INVALID_WALLET_ADDRESS",
    "NETWORK_REQUIRED",
    "NETWORK_MISMATCH",
    "UNAUTHORIZED",
    "TOKEN_EXPIRED",
    "TOKEN_INVALID",
    "INSUFFICIENT_SCOPE",
    "ORIGIN_NOT_ALLOWED",
    "NOT_FOUND",
    "INVALID_ORDER_STATE",
    "QUOTE_EXPIRED",
    "QUOTE_ALREADY_USED",
    "SESSION_EXPIRED",
    "IDEMPOTENCY_CONFLICT",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RATE_LIMITED",
    "INTERNAL_ERROR",
    "LIQUIDITY_UNAVAILABLE",
    "SERVICE_UNAVAILABLE",
    "PROVIDER_UNAVAILABLE",
]
