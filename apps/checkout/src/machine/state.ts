import type {
  CardToken,
  CheckoutOrderData,
  CheckoutQuoteData,
  CheckoutQuoteRequest,
  CheckoutSession,
  CurrencyItem,
  DeliveryMethodItem,
  MailRequest,
  MethodOffer,
  OperationType,
  PaymentMethodItem,
  QuoteData,
} from "@exchange/contract";

/** The reason why the checkout cannot be used. Each has its own text. */
export type StopReason =
  | "link_invalid"
  | "host_lost"
  | "token_unavailable"
  | "token_invalid"
  | "token_expired"
  | "unknown_client"
  | "origin_not_allowed"
  | "session_used"
  | "unsupported";

export type AmountSide = "spend" | "receive";
export type ChoosingScreen =
  | "amount"
  | "currency"
  | "method"
  | "delivery"
  | "wallet"
  | "payout"
  | "card"
  | "review";
export type OrderedScreen = "card" | "authentication" | "instructions" | "status";

/** The purpose of an address: to receive coins, or to get coins back when an exchange fails. */
export type AddressUse = "wallet" | "refund";

/** The data read once, when the checkout opened, and the terms that the merchant's server locked. */
export interface CheckoutContext {
  readonly session: CheckoutSession;
  readonly operation: OperationType;
  /** Every operation the customer may choose here, including the present one. */
  readonly offered: readonly OperationType[];
  readonly locale: string;
  readonly spendCurrencies: readonly CurrencyItem[];
  readonly receiveCurrencies: readonly CurrencyItem[];
  readonly methods: readonly PaymentMethodItem[];
  /** Options of the page that name something the catalogue does not have, as the page wrote them. */
  readonly ignored: readonly string[];
}

export interface AmountDraft {
  /** The side the customer typed. The quote fills the other. */
  readonly side: AmountSide;
  readonly text: string;
}

export type QuoteFault =
  | LimitFault
  /** The fees are too high for every amount at the prices of the moment. */
  | { readonly kind: "fees" }
  | { readonly kind: "unsupported_pair" }
  | { readonly kind: "precision" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "unreachable" };

export interface LimitFault {
  readonly kind: "limit";
  readonly bound: "min" | "max";
  readonly limit: LimitFigure;
  /** The fees set the limit. */
  readonly isOfFees?: boolean;
}

export interface LimitFigure {
  readonly amount: number;
  readonly currencyCode: string;
}

export interface LiveQuote {
  /** Number of the newest request. Answers to older requests are dropped. */
  readonly sequence: number;
  /** The newest request. The same choices are not requested twice. */
  readonly request: CheckoutQuoteRequest | undefined;
  readonly status: "none" | "loading" | "ready" | "failed";
  /** The last good quote. It stays while a new one is loading. */
  readonly quote: CheckoutQuoteData | undefined;
  /** The end of the quote, in milliseconds of this device's clock. */
  readonly validUntil: number;
  readonly fault: QuoteFault | undefined;
  /** The quote the customer saw, if the newest is clearly worse and not accepted yet. */
  readonly worseThan: QuoteData | undefined;
  /** On review, the best price the customer saw since they last accepted one. */
  readonly promised: QuoteData | undefined;
}

export type WalletFault =
  | { readonly kind: "not_an_address" }
  | { readonly kind: "other_network"; readonly networks: readonly string[] }
  /** The address is of no network of the coin. `starts` are the first letters of one that is. */
  | {
      readonly kind: "other_chain";
      readonly network: string;
      readonly starts: readonly string[];
    }
  | { readonly kind: "unreachable" };

export interface WalletDraft {
  readonly address: string;
  readonly memo: string;
  /** The customer ticked that the address needs no memo. */
  readonly withoutMemo: boolean;
  /** The customer's choice, if the coin has several networks. */
  readonly networkCode: string | undefined;
  readonly networks: readonly string[];
  readonly check: "unchecked" | "checking" | "accepted" | "refused";
  readonly fault: WalletFault | undefined;
}

export interface CardDraft {
  readonly number: string;
  readonly expiry: string;
  readonly code: string;
  readonly holderName: string;
  readonly postalCode: string;
  readonly countryCode: string;
}

/** A debit card that receives the payout. The processor stores its number; the popup forgets it. */
export interface PayoutCardDraft {
  readonly number: string;
  readonly expiry: string;
  readonly code: string;
  /** The processor's token for the card. Once it is set, the three fields above are empty. */
  readonly token: CardToken | undefined;
  readonly fault: "refused" | "unreachable" | undefined;
}

/** An order or a payment: not sent, waiting for its answer, or looked up because the answer was lost. */
export type Submission = "none" | "sent" | "unknown";

/** The fault of the last submission. Each value has a text in the copy catalogue. */
export type SubmitFault =
  | "price_refreshed"
  | "not_placed"
  | "earlier_order"
  | "order_refused"
  | "wallet_refused"
  | "payment_not_sent"
  | "payment_refused"
  | "payout_refused"
  | "no_instructions"
  | "unavailable";

/** No order exists yet: the customer makes their choices. */
export interface Choosing {
  readonly kind: "choosing";
  readonly world: CheckoutContext;
  readonly screen: ChoosingScreen;
  /** The side that the currency picker is open for. */
  readonly picking: AmountSide;
  readonly spend: CurrencyItem;
  readonly receive: CurrencyItem;
  readonly amount: AmountDraft;
  readonly quote: LiveQuote;
  readonly method: PaymentMethodItem;
  /** The way the customer is paid, if they receive fiat. */
  readonly delivery: DeliveryMethodItem | undefined;
  readonly wallet: WalletDraft;
  /** The address for returned coins. It may stay empty. */
  readonly refund: WalletDraft;
  /** The fields of the delivery method by name, as typed. */
  readonly payout: Readonly<Record<string, string>>;
  readonly payoutCard: PayoutCardDraft;
  readonly card: CardDraft;
  /** The operation the customer picked, while it is opening or after it failed. */
  readonly switching: OperationSwitch | undefined;
  /** The order, once Pay was pressed. */
  readonly submission: Submission;
  /** A price expired on Pay and was replaced. The next time, the order waits for another press. */
  readonly priceReplaced: boolean;
  /** Continue was pressed and waits for the quote, an address check or the card's token. */
  readonly continuePending: boolean;
  /** The customer typed something that leaving would lose. */
  readonly edited: boolean;
  readonly fault: SubmitFault | undefined;
}

/** The service refused a request, or its answer was lost. */
export type CallFault = "refused" | "unreachable";

export interface OperationSwitch {
  readonly operation: OperationType;
  readonly status: "opening" | "unavailable" | "unreachable";
}

/** The address for returned coins, typed after the order was placed. */
export interface RefundDraft {
  readonly address: string;
  readonly memo: string;
  readonly withoutMemo: boolean;
  readonly status: "idle" | "saving";
  readonly fault: CallFault | undefined;
}

/** The new price of an order whose price moved. */
export interface NewPrice {
  /** `sent` while the customer's answer is on its way. */
  readonly status: "open" | "sent" | "failed";
  /** Undefined until the first offer arrives. */
  readonly offer: QuoteData | undefined;
}

/** Offers of other ways to pay. There are none while they are requested, and after a fault. */
export interface MethodOffers {
  /** `sent` while the chosen one is on its way. */
  readonly status: "requested" | "open" | "sent" | CallFault;
  readonly offers: readonly MethodOffer[];
}

/** The mail that the customer asked for last. */
export interface MailState {
  readonly status: "none" | "sending" | "accepted" | CallFault;
  readonly request: MailRequest | undefined;
}

/** An order exists: the customer pays it and follows it. */
export interface Ordered {
  readonly kind: "ordered";
  readonly session: CheckoutSession;
  readonly locale: string;
  readonly screen: OrderedScreen;
  readonly order: CheckoutOrderData;
  readonly card: CardDraft;
  /** The payment, or the request for payment instructions. */
  readonly submission: Submission;
  readonly cancellation: "none" | "confirming" | "sent" | CallFault;
  readonly refund: RefundDraft;
  /** Other ways to pay after a refused card, once the customer requested them. */
  readonly methods: MethodOffers | undefined;
  /** A simulated payment of a sandbox. */
  readonly simulation: "none" | "sent" | CallFault;
  readonly mail: MailState;
  /** Undefined unless the order waits for the customer's answer to it. */
  readonly price: NewPrice | undefined;
  /** The checkout was opened when the order already existed. */
  readonly reopened: boolean;
  readonly connection: "fine" | "lost" | "timed_out";
  /** The bank takes longer than usual to decide, or the service to say whether a card arrived whose answer was lost. */
  readonly isAnswerLate: boolean;
  readonly fault: SubmitFault | undefined;
}

export type Stage =
  | { readonly kind: "booting"; readonly notice: "none" | "slow" | "unreachable" }
  | { readonly kind: "stopped"; readonly reason: StopReason; readonly shop: string | undefined }
  | {
      readonly kind: "used";
      readonly session: CheckoutSession;
      readonly locale: string;
      readonly orderId: number | null;
    }
  | Choosing
  | Ordered;

export interface CheckoutState {
  readonly stage: Stage;
  /** A request to leave: none, waiting for the customer's confirmation, or for a submission to end. */
  readonly exit: "none" | "confirm" | "finishing";
}

export const INITIAL_STATE: CheckoutState = {
  stage: { kind: "booting", notice: "none" },
  exit: "none",
};

export const NO_QUOTE: LiveQuote = {
  sequence: 0,
  request: undefined,
  status: "none",
  quote: undefined,
  validUntil: 0,
  fault: undefined,
  worseThan: undefined,
  promised: undefined,
};
