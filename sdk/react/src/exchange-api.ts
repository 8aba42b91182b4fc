/**
 * `window.exchange`, as far as this package uses it. Published code imports nothing of the service,
 * so this is said again here; a test compares it with the script's own types.
 */
export type ExchangeEnvironment = "dev" | "staging" | "prod";

/** A public token, a promise of one, or a function that fetches one each time the checkout opens. */
export type AuthenticationToken =
  | string
  | PromiseLike<string>
  | (() => string | PromiseLike<string>);

/** What the page may ask for. What your server locked in the token wins over all of it. */
export interface OpenOptions {
  /** Buy, sell, swap, transfer. */
  readonly operationType?: "B" | "S" | "CC" | "FF" | undefined;
  readonly baseCurrency?: string | undefined;
  readonly targetCurrency?: string | undefined;
  readonly baseAmount?: number | undefined;
  readonly targetAmount?: number | undefined;
  readonly paymentMethod?: string | undefined;
  readonly walletAddress?: string | undefined;
  readonly locale?: string | undefined;
  readonly theme?: "auto" | "light" | "dark" | undefined;
  /** A modal on the page (`auto`), a window of its own, or a page that leads back to `returnUrl`. */
  readonly display?: "auto" | "modal" | "popup" | "redirect" | undefined;
  /** With `redirect`: where the checkout leads back to, on a registered origin. This page by default. */
  readonly returnUrl?: string | undefined;
  /** `false` leaves the browser's history alone, for pages whose router owns it. */
  readonly history?: boolean | undefined;
}

/** A small, complete picture of the checkout. Never a card, wallet address, token or name. */
export interface CheckoutSnapshot {
  readonly sessionId: string;
  readonly screen: string;
  readonly operationType: "B" | "S" | "CC" | "FF";
  readonly live: boolean;
  readonly orderId?: number;
  readonly status?: string;
  readonly spend?: { readonly amount: number; readonly currencyCode: string };
  readonly receive?: { readonly amount: number; readonly currencyCode: string };
  readonly paymentMethod?: string;
}

export interface CheckoutEvent {
  /** `open`, `ready`, `orderPlaced`, `close`, …; a later script may tell more. */
  readonly name: string;
  /** The checkout as it is now; null before it has told. */
  readonly data: CheckoutSnapshot | null;
  /** Milliseconds since 1970, by the browser's clock. */
  readonly timestamp: number;
  /** Counts up from 1 within one opening. */
  readonly sequence: number;
}

export interface CheckoutResult {
  readonly outcome: "placed" | "closed" | "failed";
  /** `user`, `escape`, `completed`, `token_expired`, …; a later script may tell more. */
  readonly reason: string;
  /** The last picture of the placed order. */
  readonly order?: CheckoutSnapshot;
  readonly error?: ScriptError;
}

/** What the script throws, or gives with a result that failed. */
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
