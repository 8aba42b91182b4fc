import type {
  CardToken,
  CheckoutSession,
  CurrencyItem,
  DeliveryMethodItem,
  OperationType,
  OrderData,
  PaymentMethodItem,
  QuoteData,
} from "@exchange/contract";

/** Why the checkout cannot be used; each has its own words. */
export type StopReason =
  | "link_invalid"
  | "host_lost"
  | "token_unavailable"
  | "token_invalid"
  | "token_expired"
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

/** What an address is for: what the customer gets, or what goes back when an exchange fails. */
export type AddressUse = "wallet" | "refund";

/** What was read once, when the checkout opened, and what the merchant's server fixed. */
export interface World {
  readonly session: CheckoutSession;
  readonly operation: OperationType;
  /** Everything the customer may do here, the present operation among it. */
  readonly offered: readonly OperationType[];
  readonly locale: string;
  readonly spendCurrencies: readonly CurrencyItem[];
  readonly receiveCurrencies: readonly CurrencyItem[];
  readonly methods: readonly PaymentMethodItem[];
  /** Options of the page that name something we do not have, as it wrote them. */
  readonly ignored: readonly string[];
}

export interface AmountDraft {
  /** The side the customer typed; the quote answers the other. */
  readonly side: AmountSide;
  readonly text: string;
}

export type QuoteFault =
  | { readonly kind: "limit"; readonly bound: "min" | "max"; readonly limit: LimitFigure }
  | { readonly kind: "unsupported_pair" }
  | { readonly kind: "precision" }
  | { readonly kind: "unavailable" }
  | { readonly kind: "unreachable" };

export interface LimitFigure {
  readonly amount: number;
  readonly currencyCode: string;
}

export interface LiveQuote {
  /** Number of the newest request; answers to older ones are dropped. */
  readonly sequence: number;
  readonly status: "none" | "asking" | "ready" | "failed";
  /** The last good quote; stays while a new one is on its way. */
  readonly quote: QuoteData | undefined;
  /** When the quote ends, in milliseconds of this device's clock. */
  readonly goodUntil: number;
  readonly fault: QuoteFault | undefined;
  /** The quote the customer saw, when the newest is clearly worse and not accepted yet. */
  readonly worseThan: QuoteData | undefined;
  /** On review, the best price shown since the customer last agreed to one. */
  readonly promised: QuoteData | undefined;
}

export type WalletFault =
  | { readonly kind: "not_an_address" }
  | { readonly kind: "other_network"; readonly networks: readonly string[] }
  | { readonly kind: "unreachable" };

export interface WalletDraft {
  readonly address: string;
  readonly memo: string;
  /** Chosen by the customer where the coin itself does not name one network. */
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
  readonly line1: string;
  readonly city: string;
  readonly postalCode: string;
  readonly countryCode: string;
}

/** A debit card to be paid out to: its number is typed, kept by the processor, and forgotten. */
export interface PayoutCardDraft {
  readonly number: string;
  readonly expiry: string;
  readonly code: string;
  /** What the processor gave for it; then the three above are empty. */
  readonly kept: CardToken | undefined;
  readonly fault: "refused" | "unreachable" | undefined;
}

/** Stages of `placing`: nothing, the order is on its way, or we lost the answer and ask for it. */
export type Placing = "idle" | "placing" | "asking";

/** What went wrong with the last submission, in words of the copy catalogue. */
export type SubmitFault =
  | "price_refreshed"
  | "not_placed"
  | "order_refused"
  | "wallet_refused"
  | "payment_not_sent"
  | "payment_refused"
  | "payout_refused"
  | "no_instructions"
  | "unavailable";

/** Before an order exists: the customer chooses. */
export interface Choosing {
  readonly kind: "choosing";
  readonly world: World;
  readonly screen: ChoosingScreen;
  /** Which currency the picker is open for. */
  readonly picking: AmountSide;
  readonly spend: CurrencyItem;
  readonly receive: CurrencyItem;
  readonly amount: AmountDraft;
  readonly quote: LiveQuote;
  readonly method: PaymentMethodItem;
  /** How the customer is paid, where fiat is received. */
  readonly delivery: DeliveryMethodItem | undefined;
  readonly wallet: WalletDraft;
  /** Where coins the customer sends go back to; may stay empty. */
  readonly refund: WalletDraft;
  /** What the delivery method asks for, by the field's name, as it was typed. */
  readonly payout: Readonly<Record<string, string>>;
  readonly payoutCard: PayoutCardDraft;
  readonly card: CardDraft;
  /** The operation that was picked and is being opened, or could not be. */
  readonly switching: OperationSwitch | undefined;
  readonly placing: Placing;
  /** Continue was pressed and waits for the quote, an address check or the card's token. */
  readonly advancing: boolean;
  readonly typed: boolean;
  readonly fault: SubmitFault | undefined;
}

export interface OperationSwitch {
  readonly operation: OperationType;
  readonly status: "opening" | "unavailable" | "unreachable";
}

/** Where coins go back to, told after the order was placed. */
export interface RefundDraft {
  readonly address: string;
  readonly memo: string;
  readonly status: "idle" | "saving";
  readonly fault: "refused" | "unreachable" | undefined;
}

/** An order exists: pay it, follow it. */
export interface Ordered {
  readonly kind: "ordered";
  readonly session: CheckoutSession;
  readonly locale: string;
  readonly screen: OrderedScreen;
  readonly order: OrderData;
  readonly card: CardDraft;
  readonly paying: "idle" | "paying" | "asking";
  readonly cancelling: "idle" | "confirm" | "cancelling" | "refused";
  readonly refund: RefundDraft;
  /** The checkout was opened when the order already existed. */
  readonly reopened: boolean;
  readonly connection: "fine" | "lost" | "timed_out";
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
  /** Somebody asked to leave: nothing, we ask back, or an order is being finished first. */
  readonly exit: "none" | "confirm" | "finishing";
}

export const INITIAL_STATE: CheckoutState = {
  stage: { kind: "booting", notice: "none" },
  exit: "none",
};

export const NO_QUOTE: LiveQuote = {
  sequence: 0,
  status: "none",
  quote: undefined,
  goodUntil: 0,
  fault: undefined,
  worseThan: undefined,
  promised: undefined,
};
