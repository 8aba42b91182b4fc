/**
 * `window.exchange`, as far as this package uses it. Published code must not import from the
 * service, so these types are repeated here. A test compares them with the script's own types.
 */
export type ExchangeEnvironment = "dev" | "staging" | "prod";

/** A public token, a promise of one, or a function that fetches one each time the checkout opens. */
export type AuthenticationToken =
  | string
  | PromiseLike<string>
  | (() => string | PromiseLike<string>);

/** Options of the page. The terms that your server locked in the token override all of them. */
export interface OpenOptions {
  /** A word, or its code. */
  readonly operationType?:
    | "buy"
    | "sell"
    | "swap"
    | "transfer"
    | "B"
    | "S"
    | "CC"
    | "FF"
    | undefined;
  readonly baseCurrency?: string | undefined;
  readonly targetCurrency?: string | undefined;
  readonly baseAmount?: number | undefined;
  readonly targetAmount?: number | undefined;
  readonly paymentMethod?: string | undefined;
  readonly walletAddress?: string | undefined;
  readonly locale?: string | undefined;
  readonly theme?: "auto" | "light" | "dark" | undefined;
  /** A colour that is hard to read on the checkout's background is not used. */
  readonly appearance?: Appearance | undefined;
  /** A modal on the page (`auto`), a window of its own, or a page that leads back to `returnUrl`. */
  readonly display?: "auto" | "modal" | "popup" | "redirect" | undefined;
  /** Shows the checkout inside this element of the page, whatever `display` says. */
  readonly container?: Element | undefined;
  /** With `redirect`: where the checkout leads back to, on a registered origin. This page by default. */
  readonly returnUrl?: string | undefined;
  /** `false` leaves the browser's history alone, for pages whose router owns it. */
  readonly history?: boolean | undefined;
}

/** How the checkout looks. */
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

/** A small, complete picture of the checkout. Never a card, wallet address, token or name. */
export interface CheckoutSnapshot {
  readonly sessionId: string;
  readonly screen: string;
  readonly operationType: "B" | "S" | "CC" | "FF";
  readonly live: boolean;
  readonly orderId?: number;
  readonly status?: string;
  /** How far the order is paid. `paid`: the money is certain. */
  readonly outcome?: "unpaid" | "pending" | "paid" | "declined" | "failed";
  readonly spend?: { readonly amount: number; readonly currencyCode: string };
  readonly receive?: { readonly amount: number; readonly currencyCode: string };
  readonly paymentMethod?: string;
}

export interface CheckoutEvent {
  /** `open`, `ready`, `orderPlaced`, `close`, …; a later script may add names. */
  readonly name: string;
  /** The current state of the checkout; null before the checkout has sent one. */
  readonly data: CheckoutSnapshot | null;
  /** Milliseconds since 1970, by the browser's clock. */
  readonly timestamp: number;
  /** Counts up from 1 within one opening. */
  readonly sequence: number;
}

export interface CheckoutResult {
  /** How far the order is paid. `closed`: no order was placed. `failed`: see `error` or the order. */
  readonly outcome: "paid" | "pending" | "declined" | "closed" | "failed";
  /** `user`, `escape`, `completed`, `token_expired`, …; a later script may add reasons. */
  readonly reason: string;
  /** The last snapshot of the placed order. */
  readonly order?: CheckoutSnapshot;
  readonly error?: ScriptError;
}

/** The error that the script throws or puts into a failed result. */
export interface ScriptError extends Error {
  readonly code: string;
  readonly recoverable: boolean;
}

export interface ExchangeApi {
  readonly state: string;
  configure(
    options: OpenOptions & { readonly clientId: string; readonly env: ExchangeEnvironment },
  ): unknown;
  init(options: { readonly authenticationToken: AuthenticationToken }): Promise<CheckoutResult>;
  on(name: "*", listener: (event: CheckoutEvent) => void): () => void;
  close(): void;
}
