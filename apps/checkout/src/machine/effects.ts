import type {
  AcceptPriceRequest,
  CardPaymentRequest,
  CardTokenRequest,
  CheckoutOrderData,
  CheckoutQuoteRequest,
  CheckoutSession,
  MailRequest,
  OperationType,
  PlaceOrderRequest,
  RefundAddressRequest,
  SimulatePaymentRequest,
  WalletLookupQuery,
} from "@exchange/contract";
import type { AddressUse, CheckoutState } from "./state.ts";

/** Work that a transition asks for, as data. `flow/run-effects.ts` carries it out. */
export type Effect =
  | { readonly kind: "openCheckout" }
  | { readonly kind: "openUsedOrder"; readonly orderId: number }
  | { readonly kind: "openOperation"; readonly opening: OperationOpening }
  | {
      readonly kind: "requestQuote";
      readonly request: CheckoutQuoteRequest;
      readonly sequence: number;
      readonly delayMs: number;
    }
  | {
      readonly kind: "refreshQuoteAt";
      /** In milliseconds of this device's clock. */
      readonly time: number;
      /** Refresh at once when `time` is no further away than this. */
      readonly earlyMs: number;
    }
  | { readonly kind: "refreshQuoteIn"; readonly delayMs: number }
  | { readonly kind: "cancelQuote" }
  | { readonly kind: "scheduleAddressCheck"; readonly use: AddressUse }
  | {
      readonly kind: "lookUpAddress";
      readonly use: AddressUse;
      readonly query: WalletLookupQuery;
    }
  | { readonly kind: "tokenizeCard"; readonly request: CardTokenRequest }
  | { readonly kind: "placeOrder"; readonly request: PlaceOrderRequest }
  | {
      readonly kind: "payByCard";
      readonly order: CheckoutOrderData;
      readonly request: CardPaymentRequest;
    }
  | { readonly kind: "requestInstructions"; readonly order: CheckoutOrderData }
  | { readonly kind: "followOrder"; readonly orderId: number }
  | { readonly kind: "unfollowOrder" }
  | { readonly kind: "offerMethods"; readonly orderId: number }
  | { readonly kind: "changeMethod"; readonly orderId: number; readonly quoteId: string }
  | {
      readonly kind: "simulatePayment";
      readonly orderId: number;
      readonly request: SimulatePaymentRequest;
    }
  | { readonly kind: "mailOrder"; readonly orderId: number; readonly request: MailRequest }
  | { readonly kind: "cancelOrder"; readonly orderId: number }
  | { readonly kind: "requestPrice"; readonly orderId: number }
  /** Accepts the price of the offer, or declines a new price if there is no offer. */
  | {
      readonly kind: "answerPrice";
      readonly orderId: number;
      readonly accepted: AcceptPriceRequest | undefined;
    }
  | {
      readonly kind: "saveRefundAddress";
      readonly orderId: number;
      readonly request: RefundAddressRequest;
    };

type FirstKind =
  | "openCheckout"
  | "openUsedOrder"
  | "openOperation"
  | "requestQuote"
  | "refreshQuoteAt"
  | "refreshQuoteIn"
  | "cancelQuote";

/** The effects of the screens after the first. Their runner is fetched together with those screens. */
export type LaterEffect = Exclude<Effect, { readonly kind: FirstKind }>;
export type RunLater = (effect: LaterEffect) => void;

/** Another operation to open beside the present one. */
export interface OperationOpening {
  readonly session: CheckoutSession;
  readonly operation: OperationType;
  readonly locale: string;
  /** References of the currencies the customer sees now. */
  readonly presets: readonly (string | null)[];
}

/** The result of an event: the next state, and the effects in the order they are carried out. */
export interface Transition {
  readonly state: CheckoutState;
  readonly effects: readonly Effect[];
}

/** The same for one stage. The stage is the same object when nothing changed. */
export type Step<Stage> = readonly [stage: Stage, ...effects: readonly Effect[]];
