// Written by `npm run generate -w @exchange/node` from the contract. Do not edit.

export interface AdvanceClockRequest {
  /** how far the clock jumps; it never goes back */
  readonly advanceSeconds: number;
}

export interface AdvanceOrderRequest {
  /** the order's status; see the table of order states */
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
  /** the country's name in English */
  readonly name: string;
  /** the country's own currency */
  readonly currencyCode: string;
  /** operations that customers there can use */
  readonly operationTypes: readonly OperationType[];
}

export interface CreateTokenRequest {
  /** your own id of the purchase, such as that of a cart */
  readonly sessionId: SessionId;
  /** what the token may do */
  readonly scope?: readonly string[] | undefined;
  /** lifetime in seconds */
  readonly expiresIn?: number | undefined;
  /** the terms that the customer's page cannot change */
  readonly lock?: SessionLock | undefined;
  /** what your server says about the customer; the browser fills the gaps only */
  readonly customer?: Customer | undefined;
  /** the page to which a redirected customer returns; null without one */
  readonly returnUrl?: string | undefined;
  /** the language of the checkout (BCP 47); null for that of the browser */
  readonly locale?: string | undefined;
  /** values for your server alone; they never reach the browser */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface CurrencyItem {
  /** the number that calls use */
  readonly id: number;
  /** the code of the currency; currencies of several networks share it */
  readonly code: string;
  /** the currency's display name */
  readonly description: string;
  /** a shorter name; null if there is none */
  readonly shortName: string | null;
  /** the sign of the currency */
  readonly symbol: string;
  /** C crypto, F fiat */
  readonly type: "C" | "F";
  /** the name of the currency with its network; null for a fiat currency */
  readonly reference: string | null;
  /** decimals of amounts of this currency, at most 8 */
  readonly decimals: number;
  /** the code of the network; null for a fiat currency */
  readonly networkCode: string | null;
  /** the network's display name; null for a fiat currency */
  readonly networkName: string | null;
  /** whether an address on this network takes a memo or tag */
  readonly memo: "none" | "optional" | "required";
  /** present if customers can receive the currency and not pay with it */
  readonly paidOutOnly?: true | undefined;
}

export interface Customer {
  /** your own id of the customer */
  readonly reference?: string | undefined;
  /** the customer's e-mail address */
  readonly email?: string | undefined;
  /** the first name */
  readonly firstName?: string | undefined;
  /** the last name */
  readonly lastName?: string | undefined;
  /** a country (ISO 3166-1 alpha-2) in any letter case */
  readonly countryCode?: string | undefined;
}

export interface DeliveryAttempt {
  /** its X-Webhook-Attempt */
  readonly number: number;
  /** Unix seconds; when it was begun */
  readonly startedAt: number;
  /** the time until the answer, in milliseconds; null while it is awaited */
  readonly durationMs: number | null;
  /** the status of the answer; null without an answer */
  readonly status: number | null;
  /** why there was no answer that counts; null if there was one */
  readonly fault: string | null;
  /** the fault that was planted in the sandbox; null if there was none */
  readonly plantedFault: string | null;
  /** the beginning of the answer; null without one */
  readonly responseExcerpt: string | null;
}

export interface DeliveryMethodItem {
  /** the number that calls use */
  readonly id: number;
  /** whether it can be used now */
  readonly live: boolean;
  /** the display name */
  readonly name: string;
  /** the permanent reference for use in calls */
  readonly reference: string;
  /** on_chain, bank_transfer, card_push, cash_pickup, mobile_money */
  readonly type: string;
  /** the currencies that can be used; null for all */
  readonly currencyCodes: readonly string[] | null;
  /** the fee of the delivery */
  readonly fee: {
    /** the part of the fee that grows with the amount, in percent */
    readonly percent: number;
    /** the part of the fee that does not depend on the amount */
    readonly fixed: number;
    /** currency of the fixed part */
    readonly currencyCode: string;
  };
  /** the time that the delivery takes */
  readonly time: {
    /** the days at least; null where it takes no days */
    readonly minDays: number | null;
    /** the days at most; null where it takes no days */
    readonly maxDays: number | null;
  };
  /** the fields that the customer fills in to be paid out */
  readonly requiredFields: readonly {
    /** the name of the field in `payout` */
    readonly name: string;
    /** the field's display name */
    readonly label: string;
    /** a regular expression that the value matches */
    readonly pattern: string;
  }[];
}

export interface Deposit {
  /** an amount in `currencyCode` */
  readonly amount: number;
  /** the code of the currency */
  readonly currencyCode: string;
  /** `seen` until the network or bank makes it final */
  readonly status: "seen" | "final" | "lost";
  /** the number of blocks that confirm the transaction */
  readonly confirmations: number;
  /** the hash of the transaction; null until it is known */
  readonly transactionHash: string | null;
  /** Unix seconds */
  readonly at: number;
}

export interface ErrorBody {
  /** a word for the error, which is part of the interface */
  readonly code: string;
  /** a sentence for people; it may change */
  readonly message: string;
  /** the id of this request; quote it when you ask for help */
  readonly requestId?: string | undefined;
  /** the problems of single fields */
  readonly details?:
    | readonly {
        /** where in the request, e.g. body.baseAmount */
        readonly path?: string | undefined;
        /** the problem of this field, for people */
        readonly issue?: string | undefined;
        /** the lowest amount */
        readonly min?: number | undefined;
        /** the highest amount */
        readonly max?: number | undefined;
        /** the code of the currency */
        readonly currencyCode?: string | undefined;
        /** the rule that sets the limit, e.g. payment_method */
        readonly boundBy?: string | undefined;
      }[]
    | undefined;
}

export interface EventItem {
  /** UUID of the event, the same for all endpoints */
  readonly id: string;
  /** grows with each of your events, from 1; numbers may be skipped */
  readonly sequence: number;
  /** the event */
  readonly eventType: WebhookEventType;
  /** Unix seconds */
  readonly createdAt: number;
  /** the body of the webhook */
  readonly payload: WebhookPayload;
}

export interface ExchangeCurrencies {
  /** the coins, each on one network */
  readonly cryptoCurrencies: readonly CurrencyItem[];
  /** the fiat currencies */
  readonly fiatCurrencies: readonly CurrencyItem[];
}

export interface ExchangeLimits {
  /** the lowest amount */
  readonly min: number;
  /** the highest amount */
  readonly max: number;
  /**
   * the rule that sets each limit: merchant, currency, payment_method, delivery_method, country
   * or fees
   */
  readonly boundBy: {
    /** the rule that sets the lowest amount */
    readonly min: string;
    /** the rule that sets the highest amount */
    readonly max: string;
  };
  /** currency of every amount here: the one the customer spends */
  readonly currencyCode: string;
  /** each way to pay and be paid, with the limits of its quotes */
  readonly ways: readonly {
    /** the way in which the customer pays */
    readonly paymentMethod: {
      /** the number that calls use */
      readonly id: number;
      /** the display name */
      readonly name: string;
      /** the permanent reference for use in calls */
      readonly reference: string;
    };
    /** the way in which the customer is paid out */
    readonly deliveryMethod: {
      /** the number that calls use */
      readonly id: number;
      /** the display name */
      readonly name: string;
      /** the permanent reference for use in calls */
      readonly reference: string;
    };
    /** the lowest amount */
    readonly min: number;
    /** the highest amount */
    readonly max: number;
    /**
     * the rule that sets each limit: merchant, currency, payment_method, delivery_method, country
     * or fees
     */
    readonly boundBy: {
      /** the rule that sets the lowest amount */
      readonly min: string;
      /** the rule that sets the highest amount */
      readonly max: string;
    };
  }[];
}

/** S sell, B buy, FF fiat to fiat, CC crypto to crypto */
export type OperationType = "S" | "B" | "FF" | "CC";

export interface OrderData {
  /** the id of the order */
  readonly orderId: number;
  /** your own id of the purchase, such as that of a cart */
  readonly sessionId: SessionId;
  /** the order's status; see the table of order states */
  readonly status: OrderStatus;
  /** why the order has this status, where the status alone does not say it */
  readonly statusReason: StatusReason | null;
  /** whether everything that was promised was paid out */
  readonly fulfilled: boolean;
  /** `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money */
  readonly operationType: OperationType;
  /** display name */
  readonly paymentMethod: string;
  /** the amount that the customer pays, fees included */
  readonly totalPrice: number;
  /** the currency of the price */
  readonly totalPriceCurrency: string;
  /** both sides of the exchange */
  readonly exchangeDetails: {
    /** the currency that the customer spends, by its code or reference */
    readonly baseCurrency: string;
    /** the amount received from the customer, or to be received */
    readonly amountReceived: number;
    /** the currency that the customer receives, by its code or reference */
    readonly targetCurrency: string;
    /** the amount sent to the customer, or to be sent */
    readonly amountToSend: number;
    /** `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money */
    readonly operationType: OperationType;
  };
  /** the price at which the order was placed */
  readonly quote: QuoteData;
  /** how the order is paid */
  readonly payment: {
    /** the kind of the payment method */
    readonly type: string;
    /**
     * unpaid: not paid yet, or the card is being charged; pending: waits for money or a person;
     * paid: the money is certain; declined: a card was refused and another may be tried; failed:
     * ended without the money, or it is returned
     */
    readonly outcome: "unpaid" | "pending" | "paid" | "declined" | "failed";
    /** the number of cards that may still be tried */
    readonly attemptsLeft: number;
    /** Unix seconds; end of the payment window */
    readonly expiresAt: number;
    /** the latest payment by card; null before the first */
    readonly attempt: PaymentAttempt | null;
    /** where to send the money or coins; null for a card */
    readonly instructions: PaymentInstructions | null;
    /** the final part of the payment, in the base currency */
    readonly received: number;
    /** bank transfers or coins that arrived, oldest first */
    readonly deposits: readonly Deposit[];
  };
  /** how the order is paid out, and how far that has come */
  readonly delivery: {
    /** the kind of the delivery method */
    readonly type: string;
    /** the address that receives the coins */
    readonly walletAddress: string | null;
    /** the code of the network; null for a fiat currency */
    readonly networkCode: string | null;
    /** the memo or destination tag of the address; null if it has none */
    readonly memo: string | null;
    /** the hash of the transaction; null until it is known */
    readonly transactionHash: string | null;
    /** a page that shows the transaction; null where there is none */
    readonly explorerUrl: string | null;
    /** the number of blocks that confirm the transaction */
    readonly confirmations: number;
    /** the number of blocks after which the transaction is final */
    readonly confirmationsRequired: number;
    /** the permanent reference for use in calls */
    readonly reference: string | null;
    /** the fields of the delivery method, masked except for their last characters */
    readonly fields: readonly {
      /** the name of the field that programs use */
      readonly name: string;
      /** the field's display name */
      readonly label: string;
      /** masked except for its last characters */
      readonly value: string;
    }[];
  };
  /** the money that goes back to the customer, or has gone back */
  readonly refunds: readonly OrderRefund[];
  /** the address that coins are returned to */
  readonly refundAddress: string | null;
  /** another refund address that waits for the operator's approval */
  readonly requestedRefundAddress: string | null;
  /** each change of the order with its time, oldest first */
  readonly timeline: readonly {
    /** the order's status; see the table of order states */
    readonly status: OrderStatus;
    /** why the order has this status, where the status alone does not say it */
    readonly statusReason: StatusReason | null;
    /** who made the change */
    readonly actor: "customer" | "merchant" | "operator" | "system";
    /** the reason in words */
    readonly note: string;
    /** Unix seconds */
    readonly at: number;
  }[];
  /**
   * the order's own page, where its customer reads, pays or cancels it on any device; null once
   * it was revoked or the customer was erased, and for an API key without both scopes `read` and
   * `orders.write`. Anyone with the address can do so
   */
  readonly customerUrl: string | null;
  /** Unix seconds */
  readonly createdAt: number;
  /** Unix seconds */
  readonly updatedAt: number;
  /** what your server says about the customer; the browser fills the gaps only */
  readonly customer: Customer;
  /** values for your server alone; they never reach the browser */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface OrderRefund {
  /** unique; the same in every answer */
  readonly id: string;
  /** an amount in `currencyCode` */
  readonly amount: number;
  /** the code of the currency */
  readonly currencyCode: string;
  /** how far the refund has come */
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
  /** the hash of the transaction; null until it is known */
  readonly transactionHash: string | null;
  /** a page that shows the transaction; null where there is none */
  readonly explorerUrl: string | null;
  /** Unix seconds */
  readonly createdAt: number;
  /** when the refund was final, in Unix seconds; null until then */
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
  /** the number of the attempt, from 1 */
  readonly number: number;
  /** how far the payment has come */
  readonly status:
    | "processing"
    | "challenge"
    | "authorized"
    | "captured"
    | "declined"
    | "authentication_failed"
    | "failed"
    | "voided";
  /** the brand of the card */
  readonly brand: string;
  /** the last four digits of the card */
  readonly lastFour: string;
  /** why the bank declined; null if it did not */
  readonly declineReason: string | null;
  /** the page on which the bank asks the cardholder; null while there is none */
  readonly challengeUrl: string | null;
  /** the result of EMV 3-D Secure; null without it */
  readonly threeDSecure: {
    /** the version of the protocol */
    readonly version: string;
    /**
     * the outcome: `Y` authenticated, `A` attempted, `N` not, `U` unknown, `R` rejected, `C`
     * challenge
     */
    readonly transStatus: "Y" | "A" | "N" | "U" | "R" | "C";
    /** whether the cardholder was asked */
    readonly flow: "frictionless" | "challenge";
    /** electronic commerce indicator of the card network; null without one */
    readonly eci: string | null;
    /** CAVV, AAV or AEVV, base64; null without one */
    readonly authenticationValue: string | null;
    /** the directory server's id of the authentication */
    readonly dsTransId: string;
    /** the 3DS server's id of the authentication */
    readonly threeDSServerTransId: string;
    /** the bank's id of the authentication */
    readonly acsTransId: string;
  } | null;
}

export interface PaymentInstructions {
  /** the kind of payment */
  readonly type: "bank_transfer" | "crypto";
  /** the exact amount, in the base currency */
  readonly amount: number;
  /** the code of the currency */
  readonly currencyCode: string;
  /** the currency with its network, such as usdt-tron */
  readonly currencyReference: string;
  /** the code of the network; null for a fiat currency */
  readonly networkCode: string | null;
  /** the network's display name; null for a fiat currency */
  readonly networkName: string | null;
  /** the address that receives the coins */
  readonly walletAddress: string | null;
  /** the memo or destination tag of the address; null if it has none */
  readonly memo: string | null;
  /** the payment for a wallet to scan or open; null for a bank transfer */
  readonly paymentUri: string | null;
  /** the text that the payer must write; null for coins */
  readonly reference: string | null;
  /** the bank account, line by line */
  readonly account: readonly {
    /** the detail's display name */
    readonly label: string;
    /** the value of the field, as people read it */
    readonly value: string;
  }[];
  /** the number of blocks after which the transaction is final */
  readonly confirmationsRequired: number;
  /** Unix seconds; the rate holds until then */
  readonly expiresAt: number;
}

export interface PaymentMethodItem {
  /** the number that calls use */
  readonly id: number;
  /** whether it can be used now */
  readonly live: boolean;
  /** the display name */
  readonly name: string;
  /** the permanent reference for use in calls */
  readonly reference: string;
  /** card, bank_transfer or crypto */
  readonly type?: string | undefined;
  /** the currencies that can be used; null for all */
  readonly currencyCodes?: readonly string[] | null | undefined;
  /** the time that a payment takes to arrive */
  readonly time?:
    | {
        /** the days at least; null where it takes no days */
        readonly minDays: number | null;
        /** the days at most; null where it takes no days */
        readonly maxDays: number | null;
      }
    | undefined;
  /** the seconds for which an order waits for its payment by this method */
  readonly paymentWindowSeconds: number;
  /** the ways in which an order that is paid like this can be paid out */
  readonly deliveryMethods?: readonly DeliveryMethodItem[] | undefined;
}

export interface PublicToken {
  /** JWT used by the SDK */
  readonly accessToken: string;
  /** how the token is sent */
  readonly tokenType: "Bearer";
  /** lifetime in seconds */
  readonly expiresIn: number;
  /** Unix seconds */
  readonly expiresAt: number;
  /** what the token may do */
  readonly scope: readonly string[];
  /** the id of the token */
  readonly jti: string;
}

export interface QuoteData {
  /** the amount that the customer pays */
  readonly spend: {
    /** an amount in `currencyCode` */
    readonly amount: number;
    /** the code of the currency */
    readonly currencyCode: string;
    /** the currency with its network, such as usdt-tron */
    readonly currencyReference: string | null;
  };
  /** the fee of the exchange, in the currency received */
  readonly transactionFee: {
    /** an amount in `currencyCode` */
    readonly amount: number;
    /** the code of the currency */
    readonly currencyCode: string;
  };
  /** the amount that arrives, all fees deducted */
  readonly receive: {
    /** an amount in `currencyCode` */
    readonly amount: number;
    /** the code of the currency */
    readonly currencyCode: string;
    /** the currency with its network, such as usdt-tron */
    readonly currencyReference: string;
  };
  /**
   * the cost and the time of the delivery; the cost of a token on Solana includes opening its
   * account in the wallet
   */
  readonly delivery: {
    /** the fee of the delivery */
    readonly fee: {
      /** an amount in `currencyCode` */
      readonly amount: number;
      /** the code of the currency */
      readonly currencyCode: string;
    };
    /** the time that the delivery takes */
    readonly time: {
      /** the days at least; null where it takes no days */
      readonly minDays: number | null;
      /** the days at most; null where it takes no days */
      readonly maxDays: number | null;
    };
  };
  /** the way in which the customer pays */
  readonly paymentMethod: {
    /** the number that calls use */
    readonly id: number;
    /** the display name */
    readonly name: string;
    /** the permanent reference for use in calls */
    readonly reference: string;
  };
  /** the way in which the customer is paid out */
  readonly receivePaymentMethod: {
    /** the number that calls use */
    readonly id: number;
    /** the display name */
    readonly name: string;
    /** the permanent reference for use in calls */
    readonly reference: string;
  };
  /** effective exchange rate, target per base */
  readonly rate: number;
  /** the id of the quote; one quote makes one order */
  readonly quoteId: string;
  /** Unix seconds */
  readonly expiresAt: number;
  /** the amounts that may be spent this way */
  readonly limits: {
    /** the lowest amount */
    readonly min: number;
    /** the highest amount */
    readonly max: number;
    /** the code of the currency */
    readonly currencyCode: string;
  };
  /** the parts that sum to transactionFee */
  readonly fees: readonly {
    /** whether the part grows with the amount */
    readonly type: "percentage" | "fixed";
    /** an amount in `currencyCode` */
    readonly amount: number;
    /** the code of the currency */
    readonly currencyCode: string;
  }[];
  /** the cost of the quote in the currency that its customer thinks in */
  readonly receipt: QuoteReceipt;
}

export interface QuoteReceipt {
  /** the currency spent; for a sale of coins the currency received */
  readonly currencyCode: string;
  /** what the amount received is worth at the market's price */
  readonly value: number;
  /** `transactionFee` in the receipt's currency */
  readonly exchangeFee: number;
  /** `delivery.fee` in the receipt's currency */
  readonly deliveryFee: number;
  /** the difference between the market's price and the quote's rate */
  readonly spread: number;
  /** the sum of both fees and the spread */
  readonly total: number;
  /** how far the quote's rate is from the market's, in percent */
  readonly spreadPercent: number;
}

export interface QuoteRequest {
  /** `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money */
  readonly operationType: OperationType;
  /** the currency that the customer spends, by its id */
  readonly baseCurrencyId: number;
  /** the amount that the customer spends */
  readonly baseAmount: number;
  /** the currency that the customer receives, by its id */
  readonly targetCurrencyId: number;
  /** the way in which the customer pays, by its id */
  readonly paymentMethodId: number;
  /** the way in which the customer is paid out, by its id */
  readonly deliveryMethodId?: number | undefined;
}

export interface RefundRequest {
  /** in the base currency; by default everything that is held */
  readonly amount?: number | undefined;
  /** the address that coins are returned to */
  readonly refundAddress?: string | undefined;
  /** the memo or destination tag of the refund address */
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
  /** the id of the payment */
  readonly depositId: string;
  /** the id of the order */
  readonly orderId: number;
  /** an amount in `currencyCode` */
  readonly amount: number;
  /** the code of the currency */
  readonly currencyCode: string;
  /** the currency with its network, such as usdt-tron */
  readonly currencyReference: string;
  /** `seen` until it is final */
  readonly state: "mempool" | "in_block" | "orphaned" | "in_flight" | "settled" | "rejected";
  /** the number of blocks that confirm the transaction */
  readonly confirmations: number;
  /** the hash of the transaction; null until it is known */
  readonly transactionHash: string | null;
}

export interface SandboxDepositRequest {
  /** the id of the order */
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
  /** your own id of the purchase, such as that of a cart */
  readonly sessionId: SessionId;
  /** expired once an order was placed in it */
  readonly status: "active" | "expired";
  /** Unix seconds; end of its latest public token */
  readonly expiresAt: number;
  /** what the token may do */
  readonly scope: readonly string[];
  /** the terms that the customer's page cannot change */
  readonly lock: SessionLock;
  /** what your server says about the customer; the browser fills the gaps only */
  readonly customer: Customer;
  /** the page to which a redirected customer returns; null without one */
  readonly returnUrl: string | null;
  /** the language of the checkout (BCP 47); null for that of the browser */
  readonly locale: string | null;
  /** values for your server alone; they never reach the browser */
  readonly metadata: Readonly<Record<string, string>>;
  /** Unix seconds */
  readonly createdAt: number;
  /** the order of the session; null before it was placed */
  readonly order: OrderData | null;
}

/**
 * The merchant's name for one checkout; it ties one public token to one order. Any text of 1
 * to 255 characters without control characters.
 */
export type SessionId = string;

export interface SessionLock {
  /** `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money */
  readonly operationType?: OperationType | undefined;
  /** the currency that the customer spends, by its code or reference */
  readonly baseCurrency?: string | undefined;
  /** the amount that the customer spends */
  readonly baseAmount?: number | undefined;
  /** the currency that the customer receives, by its code or reference */
  readonly targetCurrency?: string | undefined;
  /** the way in which the customer pays */
  readonly paymentMethod?: string | undefined;
  /** the address that receives the coins */
  readonly walletAddress?: string | undefined;
  /** the code of the network; null for a fiat currency */
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
  /** the number that calls use */
  readonly id: number;
  /** names are empty if you sent none */
  readonly user: {
    /** the first name */
    readonly firstName: string;
    /** the last name */
    readonly lastName: string;
  };
  /** the address that receives the coins */
  readonly walletAddress: string;
  /** the code of the currency */
  readonly currencyCode: string;
  /** the code of the network; null for a fiat currency */
  readonly networkCode: string;
}

export interface WalletLookupResult {
  /** whether the call succeeded */
  readonly success: boolean;
  /** a sentence for people; it may change */
  readonly message: string;
  /** the saved wallet with this address; null if there is none */
  readonly wallet: Wallet | null;
  /** the networks on which the address is valid */
  readonly availableNetworks: readonly string[];
  /** whether `networkCode` must say which network is meant */
  readonly requiresNetworkCode: boolean;
  /** set where the address is of no network of the coin: the networks that it belongs to */
  readonly belongsTo?: readonly string[] | undefined;
  /** set beside `belongsTo`: the first letters of an address of the coin, if it has such letters */
  readonly addressStarts?: readonly string[] | undefined;
}

export interface WalletRequest {
  /** the address that receives the coins */
  readonly walletAddress: string;
  /** the code of the currency */
  readonly currencyCode: string;
  /** the code of the network; null for a fiat currency */
  readonly networkCode?: string | undefined;
  /** the customer who owns the wallet */
  readonly user?:
    | {
        /** the first name */
        readonly firstName: string;
        /** the last name */
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
  /** the event */
  readonly eventType: WebhookEventType;
  /** 0 in a test */
  readonly orderId: number;
  /** true for a test that you sent; it is not about an order */
  readonly test: boolean;
  /** how far the delivery has come */
  readonly status: "pending" | "delivered" | "exhausted" | "dropped";
  /** number of attempts, including one in flight */
  readonly attemptCount: number;
  /** when it is posted next, in Unix seconds; null once it has ended */
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
  /** the event */
  readonly eventType: WebhookEventType;
  /** 0 in a test */
  readonly orderId: number;
  /** true for a test that you sent; it is not about an order */
  readonly test: boolean;
  /** how far the delivery has come */
  readonly status: "pending" | "delivered" | "exhausted" | "dropped";
  /** number of attempts, including one in flight */
  readonly attemptCount: number;
  /** when it is posted next, in Unix seconds; null once it has ended */
  readonly nextAttemptAt: number | null;
  /** Unix seconds; when it happened */
  readonly createdAt: number;
  /** the latest 50, oldest first */
  readonly attempts: readonly DeliveryAttempt[];
  /** the body of the webhook */
  readonly payload: WebhookPayload;
}

export interface WebhookEndpointData {
  /** UUID */
  readonly id: string;
  /** the address that receives the webhooks */
  readonly url: string;
  /** the events that the endpoint receives */
  readonly eventTypes: readonly WebhookEventType[];
  /** false: events wait here until you enable it again */
  readonly enabled: boolean;
  /** why the endpoint is disabled; null while it is not */
  readonly disabledReason: "gone" | "failing" | "operator" | "merchant" | null;
  /** when the endpoint was disabled, in Unix seconds; null while it is not */
  readonly disabledAt: number | null;
  /** the first failure since the last success, in Unix seconds; null without one */
  readonly failingSince: number | null;
  /** until when no request is sent after too many failures, in Unix seconds; null otherwise */
  readonly pausedUntil: number | null;
  /** until when the secret before the last rotation signs too, in Unix seconds; null otherwise */
  readonly previousSecretUntil: number | null;
  /** Unix seconds; when it was registered */
  readonly createdAt: number;
}

export interface WebhookEndpointWithSecret {
  /** UUID */
  readonly id: string;
  /** the address that receives the webhooks */
  readonly url: string;
  /** the events that the endpoint receives */
  readonly eventTypes: readonly WebhookEventType[];
  /** false: events wait here until you enable it again */
  readonly enabled: boolean;
  /** why the endpoint is disabled; null while it is not */
  readonly disabledReason: "gone" | "failing" | "operator" | "merchant" | null;
  /** when the endpoint was disabled, in Unix seconds; null while it is not */
  readonly disabledAt: number | null;
  /** the first failure since the last success, in Unix seconds; null without one */
  readonly failingSince: number | null;
  /** until when no request is sent after too many failures, in Unix seconds; null otherwise */
  readonly pausedUntil: number | null;
  /** until when the secret before the last rotation signs too, in Unix seconds; null otherwise */
  readonly previousSecretUntil: number | null;
  /** Unix seconds; when it was registered */
  readonly createdAt: number;
  /** `whsec_` and base64. Store it: no other answer contains it */
  readonly secret: string;
}

export interface WebhookFault {
  /** UUID */
  readonly id: string;
  /** the fault that is planted */
  readonly fault:
    | "delay"
    | "drop"
    | "duplicate"
    | "reorder"
    | "corrupt_body"
    | "corrupt_signature"
    | "stale_timestamp";
  /** the id of the endpoint; null for all of them */
  readonly endpointId: string | null;
  /** the event */
  readonly eventType: WebhookEventType | null;
  /** the seconds of the delay; null for other faults */
  readonly delaySeconds: number | null;
  /** number of webhooks it will still hit */
  readonly deliveriesLeft: number;
  /** Unix seconds */
  readonly createdAt: number;
}

export interface WebhookPayload {
  /** the event */
  readonly eventType: WebhookEventType;
  /** your own id of the purchase, such as that of a cart */
  readonly sessionId: SessionId;
  /** the order as it was when the event happened */
  readonly details: {
    /** the id of the order */
    readonly orderId: number;
    /** the order's status; see the table of order states */
    readonly status: OrderStatus;
    /** the payment method's display name */
    readonly paymentMethod: string;
    /** whether everything that was promised was paid out */
    readonly fulfilled: boolean;
    /** the amount that the customer pays, fees included */
    readonly totalPrice: number;
    /** the currency of the price */
    readonly totalPriceCurrency: string;
    /** both sides of the exchange */
    readonly exchangeDetails: {
      /** the currency that the customer spends, by its code or reference */
      readonly baseCurrency: string;
      /** the amount received from the customer, or to be received */
      readonly amountReceived: number;
      /** the currency that the customer receives, by its code or reference */
      readonly targetCurrency: string;
      /** the amount sent to the customer, or to be sent */
      readonly amountToSend: number;
      /** `B` purchase of coins, `S` sale of coins, `CC` swap, `FF` transfer of money */
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
  /** whether each payment method lists its delivery methods */
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
  /** the currency that the customer spends, by its id */
  readonly baseCurrencyId?: number | undefined;
  /** code or reference of the currency to spend, in place of its id */
  readonly baseCurrency?: string | undefined;
  /** the currency that the customer receives, by its id */
  readonly targetCurrencyId?: number | undefined;
  /** code or reference of the currency to receive, in place of its id */
  readonly targetCurrency?: string | undefined;
  /** the way in which the customer pays, by its id */
  readonly paymentMethodId?: number | undefined;
  /** the way in which the customer is paid out, by its id */
  readonly deliveryMethodId?: number | undefined;
}

export interface ListOrdersQuery {
  /** items in one answer; by default 20 */
  readonly limit?: number | undefined;
  /** nextCursor of the previous page; only the service makes cursors */
  readonly cursor?: string | undefined;
  /** the order's status; see the table of order states */
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
  /** the address that receives the coins */
  readonly walletAddress: string;
  /** the code of the currency */
  readonly currencyCode: string;
  /** the code of the network; null for a fiat currency */
  readonly networkCode?: string | undefined;
}

export interface ListEventsQuery {
  /** items in one answer; by default 20 */
  readonly limit?: number | undefined;
  /**
   * sequence of the last event you have; by default from the beginning. A number above your
   * newest event's is refused. `now` returns no events, and `nextCursor` is the `after` that new
   * events follow
   */
  readonly after?: number | string | undefined;
  /** only events of this type. A page may then be empty while `nextCursor` is not null */
  readonly eventType?: WebhookEventType | undefined;
}

export interface CreateWebhookEndpointRequest {
  /**
   * https on port 443 or 8443 at a public address; in a sandbox also http, loopback and other
   * ports
   */
  readonly url: string;
  /** the events that the endpoint receives */
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
}

export interface ChangeWebhookEndpointRequest {
  /**
   * https on port 443 or 8443 at a public address; in a sandbox also http, loopback and other
   * ports
   */
  readonly url?: string | undefined;
  /** the events that the endpoint receives */
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  /** false disables the endpoint; its events wait */
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
  /** the event */
  readonly eventType?: WebhookEventType | undefined;
  /** the order's status; see the table of order states */
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
  /** the event */
  readonly eventType?: WebhookEventType | undefined;
  /**
   * `undelivered` (default): events that the endpoint did not accept or was never sent; `all`:
   * accepted events too
   */
  readonly include?: "undelivered" | "all" | undefined;
  /** true: only count */
  readonly dryRun?: boolean | undefined;
}

/** the result */
export interface ReplayWebhookDeliveriesData {
  /** whether the deliveries were only counted */
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
