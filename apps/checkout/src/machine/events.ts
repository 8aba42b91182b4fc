import type {
  CardToken,
  CheckoutOrderData,
  CheckoutQuoteData,
  CheckoutSession,
  CurrencyItem,
  DeliveryMethodItem,
  MailRequest,
  MethodOffer,
  OperationType,
  PaymentMethodItem,
  QuoteData,
  SimulatePaymentRequest,
} from "@exchange/contract";
import type {
  AddressUse,
  AmountSide,
  CallFault,
  CardDraft,
  CheckoutState,
  Choosing,
  ChoosingScreen,
  OrderedScreen,
  PayoutCardDraft,
  QuoteFault,
  RefundDraft,
  StopReason,
  SubmitFault,
  WalletFault,
} from "./state.ts";

/**
 * Everything that can happen to the checkout, sorted by area. Events are facts in the past tense. An
 * area other than `checkout`, `exit` and `page` belongs to one stage, which alone reacts to it.
 */
interface EventsByArea {
  readonly checkout: OpeningEvent;
  readonly exit: ExitEvent;
  readonly page: PageEvent;
  readonly choosing: ChoosingEvent;
  readonly operation: OperationEvent;
  readonly quote: QuoteEvent;
  readonly address: AddressEvent;
  readonly payout: PayoutEvent;
  readonly placement: PlacementEvent;
  readonly ordered: OrderedEvent;
  readonly cancellation: CancellationEvent;
  readonly refund: RefundEvent;
  readonly price: PriceEvent;
}

type In<Area, Event> = Event extends unknown ? Event & { readonly area: Area } : never;

export type Area = keyof EventsByArea;
export type AreaEvent<Name extends Area> = EventsByArea[Name];
export type EventIn<Name extends Area> = { [Each in Name]: In<Each, EventsByArea[Each]> }[Name];
export type CheckoutEvent = EventIn<Area>;

/** How the checkout opens, and how it ends without an order. */
export type OpeningEvent =
  /** The host sent the token. */
  | { readonly type: "started" }
  | { readonly type: "bootSlow" }
  | { readonly type: "bootUnreachable" }
  | { readonly type: "bootRetryPressed" }
  | { readonly type: "booted"; readonly choosing: Choosing }
  | {
      readonly type: "orderFound";
      readonly session: CheckoutSession;
      readonly locale: string;
      readonly order: CheckoutOrderData;
      readonly reopened: boolean;
    }
  | {
      readonly type: "sessionFoundUsed";
      readonly session: CheckoutSession;
      readonly locale: string;
    }
  | { readonly type: "usedOrderPressed"; readonly orderId: number }
  | { readonly type: "stopped"; readonly reason: StopReason }
  | { readonly type: "localeChanged"; readonly locale: string };

export type ExitEvent =
  | { readonly type: "exitRequested"; readonly exit: CheckoutState["exit"] }
  | { readonly type: "exitDeclined" };

/** The page is visible or hidden, and the device has a network or none. */
export interface PageEvent {
  readonly type: "visible" | "hidden" | "online" | "offline";
}

export type ChoosingEvent =
  | { readonly type: "amountTyped"; readonly side: AmountSide; readonly text: string }
  | { readonly type: "amountTidied"; readonly text: string }
  | { readonly type: "pickerOpened"; readonly side: AmountSide }
  | { readonly type: "currencyPicked"; readonly currency: CurrencyItem }
  | { readonly type: "methodPicked"; readonly method: PaymentMethodItem }
  | { readonly type: "deliveryPicked"; readonly delivery: DeliveryMethodItem }
  | { readonly type: "cardTyped"; readonly fields: Partial<CardDraft> }
  | { readonly type: "wentBack" }
  /** The customer wants to change one line of the order. */
  | { readonly type: "editPressed"; readonly screen: ChoosingScreen }
  | { readonly type: "advanced" };

export type OperationEvent =
  | { readonly type: "operationPicked"; readonly operation: OperationType }
  | { readonly type: "operationOpened"; readonly choosing: Choosing }
  | {
      readonly type: "operationFailed";
      readonly operation: OperationType;
      readonly status: "unavailable" | "unreachable";
    };

export type QuoteEvent =
  | ({ readonly type: "quoteArrived"; readonly sequence: number } & ArrivedQuote)
  | { readonly type: "quoteFailed"; readonly sequence: number; readonly fault: QuoteFault }
  | { readonly type: "quoteRefreshDue" }
  | { readonly type: "quoteRetryPressed" }
  | { readonly type: "priceAccepted" };

export interface ArrivedQuote {
  readonly quote: CheckoutQuoteData;
  readonly validUntil: number;
}

/** Events of an address the customer types, for either use. */
export type AddressEvent = { readonly use: AddressUse } & (
  | { readonly type: "walletTyped"; readonly address: string }
  | { readonly type: "memoTyped"; readonly memo: string }
  | { readonly type: "memoWaived"; readonly withoutMemo: boolean }
  | { readonly type: "networkPicked"; readonly networkCode: string }
  | { readonly type: "addressCheckDue" }
  | { readonly type: "walletAccepted" }
  | { readonly type: "walletRefused"; readonly fault: WalletFault }
  | { readonly type: "networkNeeded"; readonly networks: readonly string[] }
);

export type PayoutEvent =
  | { readonly type: "payoutTyped"; readonly name: string; readonly value: string }
  | {
      readonly type: "payoutCardTyped";
      readonly fields: Partial<Pick<PayoutCardDraft, "number" | "expiry" | "code">>;
    }
  | {
      readonly type: "payoutCardTokenized";
      /** The number that the token stands for. */
      readonly number: string;
      readonly token: CardToken;
    }
  | { readonly type: "payoutCardRefused"; readonly fault: "refused" | "unreachable" }
  | { readonly type: "payoutCardDropped" };

/** The order on its way. Only these events, and a quote, count while it is. */
export type PlacementEvent =
  | { readonly type: "placePressed" }
  | { readonly type: "placementAnswerLost" }
  | ({ readonly type: "priceExpired" } & ArrivedQuote)
  | { readonly type: "placementFailed"; readonly fault: SubmitFault }
  | {
      readonly type: "orderPlaced";
      readonly order: CheckoutOrderData;
      /** The reason why the customer sees the order before it is paid. */
      readonly fault?: "earlier_order" | undefined;
    };

export type OrderedEvent =
  | { readonly type: "cardTyped"; readonly fields: Partial<CardDraft> }
  | { readonly type: "payPressed" }
  | { readonly type: "paymentAnswerLost" }
  | { readonly type: "paymentAnswerLate" }
  | { readonly type: "paymentAnswered"; readonly order: CheckoutOrderData }
  | { readonly type: "paymentFailed"; readonly fault: SubmitFault | undefined }
  | { readonly type: "orderRead"; readonly order: CheckoutOrderData }
  | { readonly type: "connectionChanged"; readonly connection: "fine" | "lost" | "timed_out" }
  | { readonly type: "methodsRequested" }
  | { readonly type: "methodsArrived"; readonly offers: readonly MethodOffer[] }
  /** The offers are about to expire. */
  | { readonly type: "methodsDue"; readonly offers: readonly MethodOffer[] }
  | { readonly type: "methodChosen"; readonly quoteId: string }
  | { readonly type: "methodsFailed"; readonly fault: CallFault }
  | { readonly type: "methodChangeFailed"; readonly fault: CallFault }
  | { readonly type: "simulatePressed"; readonly payment: SimulatePaymentRequest["payment"] }
  | { readonly type: "simulationAnswered"; readonly order: CheckoutOrderData }
  | { readonly type: "simulationFailed"; readonly fault: CallFault }
  | { readonly type: "mailPressed"; readonly request: MailRequest }
  | { readonly type: "mailAnswered"; readonly status: "accepted" | CallFault }
  | { readonly type: "orderedScreenOpened"; readonly screen: OrderedScreen };

export type CancellationEvent =
  | { readonly type: "cancelRequested" }
  | { readonly type: "cancelDeclined" }
  | { readonly type: "cancelConfirmed" }
  /** The order as the service reports it, if it could be read. */
  | {
      readonly type: "cancelAnswered";
      readonly order: CheckoutOrderData | undefined;
      readonly fault: CallFault | undefined;
    };

export type RefundEvent =
  | {
      readonly type: "refundTyped";
      readonly fields: Partial<Pick<RefundDraft, "address" | "memo" | "withoutMemo">>;
    }
  | { readonly type: "refundPressed" }
  | { readonly type: "refundAddressSaved"; readonly order: CheckoutOrderData }
  | { readonly type: "refundFailed"; readonly fault: CallFault };

export type PriceEvent =
  /** The offer is about to expire, or the customer asks again and has none. */
  | { readonly type: "offerDue"; readonly offer: QuoteData | undefined }
  | { readonly type: "offerArrived"; readonly offer: QuoteData | undefined }
  /** `offer` takes the place of one that was accepted too late. */
  | { readonly type: "answerFailed"; readonly offer: QuoteData | undefined }
  | { readonly type: "acceptPressed" }
  | { readonly type: "declinePressed" };
