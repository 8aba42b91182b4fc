import type { OperationType } from "@exchange/contract";
import type {
  CheckoutEventName,
  CheckoutOptions,
  CheckoutSnapshot,
  CloseReason,
  OperationWord,
} from "@exchange/contract/frame";
import type { ExchangeError } from "./exchange-error.ts";
import type { ScriptEnvironment } from "./script-config.ts";

/** A public token, a promise of one, or a function that fetches one when the checkout opens. */
export type AuthenticationToken =
  | string
  | PromiseLike<string>
  | (() => string | PromiseLike<string>);

/**
 * One function for each kind of event; `exchange.on` receives the same events. Events are hints:
 * release goods on the signed webhook only.
 */
export interface Callbacks {
  readonly onOpen?: CheckoutListener;
  readonly onReady?: CheckoutListener;
  /** Every event. */
  readonly onEvent?: CheckoutListener;
  readonly onOrderPlaced?: CheckoutListener;
  readonly onOrderUpdated?: CheckoutListener;
  readonly onError?: CheckoutListener;
  /** Called once when the order waits for its money, such as a bank transfer, or for a person. */
  readonly onPending?: (order: CheckoutSnapshot) => void;
  /** Called once when the money is certain. */
  readonly onSuccess?: (order: CheckoutSnapshot) => void;
  /** Called once when the checkout has closed, however it ended. */
  readonly onExit?: (error: ExchangeError | null, result: CheckoutResult) => void;
}

/** Options that any call accepts. */
export interface OpenOptions extends Omit<CheckoutOptions, "operationType">, Callbacks {
  readonly operationType?: OperationType | OperationWord;
  /** A modal on the page (`auto`), a window of its own, or a page that leads back to `returnUrl`. */
  readonly display?: "auto" | "modal" | "popup" | "redirect";
  /** Shows the checkout inside this element of the page, whatever `display` says. */
  readonly container?: Element;
  /** With `redirect`: where the checkout leads back to, on a registered origin. This page by default. */
  readonly returnUrl?: string;
  /** `false` leaves the browser's history alone, for pages whose router owns it. */
  readonly history?: boolean;
}

export interface ExchangeOptions extends OpenOptions {
  readonly clientId: string;
  readonly env: ScriptEnvironment;
}

export interface InitOptions extends OpenOptions {
  readonly authenticationToken: AuthenticationToken;
}

export interface CheckoutResult {
  /** How far the order is paid. `closed`: no order was placed. `failed`: see `error` or the order. */
  readonly outcome: "paid" | "pending" | "declined" | "closed" | "failed";
  readonly reason: CloseReason;
  /** The last snapshot of the placed order. */
  readonly order?: CheckoutSnapshot;
  readonly error?: ExchangeError;
}

export type ExchangeEventName = CheckoutEventName | "open" | "close";

export interface CheckoutEvent {
  readonly name: ExchangeEventName;
  /** The current state of the checkout; null before the checkout has sent one. */
  readonly data: CheckoutSnapshot | null;
  /** Milliseconds since 1970, by the browser's clock. */
  readonly timestamp: number;
  /** Counts up from 1 within one opening. */
  readonly sequence: number;
  /** Set for `close`. */
  readonly result?: CheckoutResult;
  /** Set for `error`, if the cause is known. */
  readonly error?: ExchangeError;
}

export type CheckoutListener = (event: CheckoutEvent) => void;

export type CheckoutState = "idle" | "opening" | "connecting" | "open" | "closing";

/** `window.exchange`. */
export interface ExchangeApi {
  readonly version: string;
  readonly state: CheckoutState;
  /**
   * Sets the options. Missing ones come from the script's address, then from the merchant's
   * settings.
   */
  configure(options: ExchangeOptions): ExchangeApi;
  /** Opens the checkout. Call it in the click. It resolves when the checkout has closed and never rejects. */
  init(options: InitOptions): Promise<CheckoutResult>;
  /**
   * Adds a listener for one event, or for all. Events are hints: release goods on the signed
   * webhook only.
   */
  on(name: ExchangeEventName | "*", listener: CheckoutListener): () => void;
  off(name: ExchangeEventName | "*", listener: CheckoutListener): void;
  /** Asks the checkout to close; it may ask the customer first. */
  close(): void;
  /** Closes at once and forgets every listener. */
  destroy(): void;
}

/** `<exchange-button>`, which exchange-button.js defines. */
export interface ExchangeButtonElement extends HTMLElement {
  /** Options that no attribute holds, such as a function that fetches the token. They win over attributes. */
  options: Omit<Partial<InitOptions>, keyof Callbacks>;
  /** Opens the checkout, as a press does. */
  open(): void;
}
