import type { OperationType } from "./operation-types.ts";
import type { OrderData } from "./orders.ts";

export {
  type CheckoutOpening,
  isAmongOrigins,
  OPENING_ID,
  RETURN_PARAMETERS,
} from "./frame-opening.ts";

/**
 * What exchange.js (the host, on the merchant's page) and the checkout (the frame, on our origin) say
 * to each other. A checkout in a window of its own (`mode=popup`) speaks the same way to its opener.
 *
 * Two messages go through the window: the frame says `hello` until the host answers `welcome` with a
 * MessagePort. Either side drops a window message whose origin, source or instance id is not exactly
 * the expected one. Everything after that, the public token first, goes over the port.
 *
 * The checkout is opened at `/checkout?clientId=…&mode=modal#i=<instance>&o=<host origin>`. It strips
 * the hash at once and posts only to the origin it names, after the service has confirmed that this
 * origin may show it: a frame by `frame-ancestors`, a window by the list in its page.
 */
export const FRAME_PROTOCOL = "exchange.v1";

/** Frame to host, through the window, until answered. `load` is random for each page load. */
export interface FrameHello {
  readonly protocol: typeof FRAME_PROTOCOL;
  readonly type: "hello";
  readonly instance: string;
  readonly load: string;
  readonly versions: readonly number[];
}

/** Host to frame, through the window, once for each `load`, with a MessagePort. */
export interface FrameWelcome {
  readonly protocol: typeof FRAME_PROTOCOL;
  readonly type: "welcome";
  readonly instance: string;
  readonly load: string;
  readonly version: number;
}

/** What a merchant's page may ask for. What its server locked in the token wins over all of it. */
export interface CheckoutOptions {
  readonly operationType?: OperationType;
  readonly baseCurrency?: string;
  readonly targetCurrency?: string;
  readonly baseAmount?: number;
  readonly targetAmount?: number;
  readonly paymentMethod?: string;
  readonly walletAddress?: string;
  readonly locale?: string;
  readonly theme?: "auto" | "light" | "dark";
}

export type CloseReason =
  | "user"
  | "escape"
  | "back"
  | "host"
  | "completed"
  | "session_used"
  | "token_expired"
  | "token_invalid"
  | "token_unavailable"
  | "load_timeout"
  | "crashed"
  | "navigated";

export type CloseRequestBy = "escape" | "back" | "host";

/** A small, complete picture of the checkout. Never a card, wallet address, token or name. */
export interface CheckoutSnapshot {
  readonly sessionId: string;
  readonly screen: string;
  readonly operationType: OperationType;
  readonly live: boolean;
  readonly orderId?: number;
  readonly status?: OrderData["status"];
  readonly spend?: { readonly amount: number; readonly currencyCode: string };
  readonly receive?: { readonly amount: number; readonly currencyCode: string };
  readonly paymentMethod?: string;
}

export const CHECKOUT_EVENTS = [
  "ready",
  "screenChanged",
  "optionIgnored",
  "quoteUpdated",
  "methodSelected",
  "walletAccepted",
  "paymentSubmitted",
  "authenticationStarted",
  "authenticationCompleted",
  "orderPlaced",
  "orderUpdated",
  "orderCompleted",
  "orderFailed",
  "exitIntent",
  "error",
] as const;
export type CheckoutEventName = (typeof CHECKOUT_EVENTS)[number];

export type HostMessage =
  | { readonly type: "init"; readonly token: string; readonly options: CheckoutOptions }
  | { readonly type: "init-failed" }
  | { readonly type: "close-request"; readonly by: CloseRequestBy };

export type FrameMessage =
  /** Sent again when the customer changes the language. */
  | {
      readonly type: "ready";
      readonly title: string;
      readonly locale: string;
      readonly dir: "ltr" | "rtl";
    }
  | { readonly type: "resize"; readonly height: number }
  | {
      readonly type: "event";
      readonly name: CheckoutEventName;
      readonly snapshot: CheckoutSnapshot;
      readonly sequence: number;
      /** With `error`: why. A close reason, or a word that a later checkout has. */
      readonly code?: string;
    }
  | { readonly type: "close"; readonly reason: CloseReason };
