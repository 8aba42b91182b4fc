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
import type {
  AddressUse,
  AmountSide,
  CardDraft,
  Choosing,
  OrderedScreen,
  PayoutCardDraft,
  QuoteFault,
  StopReason,
  SubmitFault,
  WalletFault,
} from "./state.ts";

/** Everything that can happen to the checkout. Past tense: facts, and what the customer did. */
export type CheckoutEvent =
  | { readonly type: "bootSlow" }
  | { readonly type: "bootUnreachable" }
  | { readonly type: "bootRetried" }
  | { readonly type: "booted"; readonly choosing: Choosing }
  | {
      readonly type: "orderFound";
      readonly session: CheckoutSession;
      readonly locale: string;
      readonly order: OrderData;
      readonly reopened: boolean;
    }
  | {
      readonly type: "sessionFoundUsed";
      readonly session: CheckoutSession;
      readonly locale: string;
    }
  | { readonly type: "stopped"; readonly reason: StopReason }
  | { readonly type: "localeChanged"; readonly locale: string }
  | { readonly type: "exitAsked"; readonly confirm: "none" | "confirm" | "finishing" }
  | { readonly type: "exitDeclined" }
  | ChoosingEvent
  | OrderedEvent;

export type ChoosingEvent =
  | { readonly type: "operationPicked"; readonly operation: OperationType }
  | { readonly type: "operationOpened"; readonly choosing: Choosing }
  | { readonly type: "operationFailed"; readonly status: "unavailable" | "unreachable" }
  | { readonly type: "amountTyped"; readonly side: AmountSide; readonly text: string }
  | { readonly type: "amountTidied"; readonly text: string }
  | { readonly type: "pickerOpened"; readonly side: AmountSide }
  | { readonly type: "currencyPicked"; readonly currency: CurrencyItem }
  | { readonly type: "methodPicked"; readonly method: PaymentMethodItem }
  | { readonly type: "deliveryPicked"; readonly delivery: DeliveryMethodItem }
  | { readonly type: "wentBack" }
  | { readonly type: "advanced" }
  | { readonly type: "quoteCleared" }
  | { readonly type: "quoteAsked"; readonly sequence: number }
  | {
      readonly type: "quoteArrived";
      readonly sequence: number;
      readonly quote: QuoteData;
      readonly goodUntil: number;
    }
  | { readonly type: "quoteFailed"; readonly sequence: number; readonly fault: QuoteFault }
  | { readonly type: "priceAccepted" }
  | AddressEvent
  | { readonly type: "payoutTyped"; readonly name: string; readonly value: string }
  | { readonly type: "payoutCardTyped"; readonly fields: TypedPayoutCard }
  | { readonly type: "payoutCardKept"; readonly card: CardToken }
  | { readonly type: "payoutCardRefused"; readonly fault: "refused" | "unreachable" }
  | { readonly type: "payoutCardDropped" }
  | { readonly type: "cardTyped"; readonly fields: Partial<CardDraft> }
  | { readonly type: "placePressed" }
  | { readonly type: "placeAnswerLost" }
  | { readonly type: "placeFailed"; readonly fault: SubmitFault };

export type TypedPayoutCard = Partial<Pick<PayoutCardDraft, "number" | "expiry" | "code">>;

/** What happens to an address the customer types, whatever it is for. */
export type AddressEvent = { readonly use: AddressUse } & (
  | { readonly type: "walletTyped"; readonly address: string }
  | { readonly type: "memoTyped"; readonly memo: string }
  | { readonly type: "networkPicked"; readonly networkCode: string }
  | { readonly type: "walletChecking" }
  | { readonly type: "walletAccepted" }
  | { readonly type: "walletRefused"; readonly fault: WalletFault }
  | { readonly type: "networkNeeded"; readonly networks: readonly string[] }
);

export type OrderedEvent =
  | { readonly type: "orderPlaced"; readonly order: OrderData }
  | { readonly type: "cardRetyped"; readonly fields: Partial<CardDraft> }
  | { readonly type: "payPressed" }
  | { readonly type: "payAnswerLost" }
  | { readonly type: "paymentAnswered"; readonly order: OrderData }
  | { readonly type: "payFailed"; readonly fault: SubmitFault }
  | { readonly type: "orderRead"; readonly order: OrderData }
  | { readonly type: "connectionChanged"; readonly connection: "fine" | "lost" | "timed_out" }
  | { readonly type: "orderedScreenOpened"; readonly screen: OrderedScreen }
  | { readonly type: "cancelAsked" }
  | { readonly type: "cancelDeclined" }
  | { readonly type: "cancelPressed" }
  | { readonly type: "cancelFailed" }
  | {
      readonly type: "refundTyped";
      readonly fields: { readonly address?: string; readonly memo?: string };
    }
  | { readonly type: "refundPressed" }
  | { readonly type: "refundKept"; readonly order: OrderData }
  | { readonly type: "refundFailed"; readonly fault: "refused" | "unreachable" };
