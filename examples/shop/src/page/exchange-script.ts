/** What these pages use of `window.exchange`. */
export interface ExchangeScript {
  configure(options: OpenOptions & { clientId: string; env: string }): ExchangeScript;
  init(options: InitOptions): Promise<CheckoutResult>;
  on(name: "*", listener: (event: CheckoutEvent) => void): () => void;
}

interface OpenOptions {
  readonly baseCurrency?: string;
  readonly baseAmount?: number;
  readonly targetCurrency?: string;
  readonly walletAddress?: string;
  readonly display?: "auto" | "modal" | "popup" | "redirect";
  readonly returnUrl?: string;
  readonly locale?: string;
  readonly theme?: "auto" | "light" | "dark";
}

interface InitOptions extends OpenOptions {
  readonly authenticationToken: string | PromiseLike<string> | (() => PromiseLike<string>);
}

export interface CheckoutResult {
  readonly outcome: "placed" | "closed" | "failed";
  readonly reason: string;
}

interface Amount {
  readonly amount: number;
  readonly currencyCode: string;
}

export interface CheckoutEvent {
  readonly name: string;
  readonly data: {
    readonly screen?: string;
    readonly orderId?: number;
    readonly status?: string;
    readonly spend?: Amount;
    readonly receive?: Amount;
    readonly paymentMethod?: string;
  } | null;
  readonly timestamp: number;
  readonly error?: { readonly code: string };
  readonly result?: CheckoutResult;
}

declare global {
  interface Window {
    exchange: ExchangeScript;
  }
}
