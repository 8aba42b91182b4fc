import type { OperationType } from "./operation-types.ts";
import type { OrderData } from "./orders.ts";
import type { PaymentOutcome } from "./payments.ts";

export {
  type CheckoutOpening,
  isAmongOrigins,
  OPENING_ID,
  OPERATOR_ID,
  RETURN_PARAMETERS,
} from "./frame-opening.ts";

/**
 * The protocol between exchange.js (the host, on the merchant's page) and the checkout (the frame, on our origin). A
 * checkout in a window of its own (`mode=popup`) speaks the same protocol with its opener.
 *
 * Two messages go through the window: the frame posts `hello` until the host answers `welcome` with a MessagePort.
 * Either side drops a window message whose origin, source or instance id is not exactly the expected one. All later
 * messages, the public token first, go over the port.
 *
 * The host opens the checkout at `/checkout?clientId=…&mode=modal#i=<instance>&o=<host origin>`, with `mode=inline`
 * where it is a part of the page. The checkout strips the hash at once. It posts only to the origin in the hash,
 * after the service has confirmed that this origin may show it. The header `frame-ancestors` confirms it for a frame,
 * and the list in its page for a window.
 */
export const FRAME_PROTOCOL = "exchange.v1";

/**
 * Frame to host, through the window, repeated until the host answers. `load` is random for each
 * page load.
 */
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

/** The words that a page may use in place of the codes of operations. */
export const OPERATION_OF_WORD = {
  buy: "B",
  sell: "S",
  swap: "CC",
  transfer: "FF",
} as const satisfies Record<string, OperationType>;
export type OperationWord = keyof typeof OPERATION_OF_WORD;

/** How the checkout looks. A colour that is hard to read on the checkout's background is not used. */
export interface Appearance {
  /** Colour of the main button, `#rgb` or `#rrggbb`. */
  readonly accent?: string;
  /** Radius of corners in pixels, 0 to 20. */
  readonly radius?: number;
  /** An image as a `data:image/` URL. The checkout loads nothing from other origins. */
  readonly logo?: string;
  /** Another name of the option `theme`. */
  readonly mode?: "auto" | "light" | "dark";
}

/**
 * Options of a merchant's page. The terms that its server locked in the token override all of them.
 */
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
  readonly appearance?: Appearance;
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
  | "unknown_client"
  | "origin_not_allowed"
  | "load_timeout"
  | "crashed"
  | "navigated";

export type CloseRequestBy = "escape" | "back" | "host";

/** The state of the checkout. It never contains a card, a wallet address, a token or a name. */
export interface CheckoutSnapshot {
  readonly sessionId: string;
  readonly screen: string;
  readonly operationType: OperationType;
  readonly live: boolean;
  readonly orderId?: number;
  readonly status?: OrderData["status"];
  /** How far the order is paid. `paid` is set once the money is certain. */
  readonly outcome?: PaymentOutcome;
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
  /** The number of steps that Back can go in the checkout. The page has a history entry for each. */
  | { readonly type: "steps"; readonly count: number }
  | {
      readonly type: "event";
      readonly name: CheckoutEventName;
      readonly snapshot: CheckoutSnapshot;
      readonly sequence: number;
      /** The reason of an `error`: a close reason, or a word of a later checkout. */
      readonly code?: string;
    }
  | { readonly type: "close"; readonly reason: CloseReason };
