import type {
  AuthenticationToken,
  CheckoutEvent,
  CheckoutResult,
  CheckoutSnapshot,
  ExchangeApi,
  OpenOptions,
} from "./exchange-api.ts";
import { type ExchangeError, toExchangeError } from "./exchange-error.ts";
import { loadScript, presentExchange, type ScriptRequest } from "./script.ts";

export interface UseExchangeOptions extends ScriptRequest, OpenOptions {
  /** A function is called each time the checkout opens: every session needs its own token. */
  readonly authenticationToken: AuthenticationToken;
  /** Called for every event of an open checkout. Release goods on the signed webhook only. */
  readonly onEvent?: ((event: CheckoutEvent) => void) | undefined;
  /** Called once for each order. */
  readonly onOrderPlaced?: ((order: CheckoutSnapshot) => void) | undefined;
  /** Called once when an order waits for its money, such as a bank transfer, or for a person. */
  readonly onPending?: ((order: CheckoutSnapshot) => void) | undefined;
  /** Called once when the money of an order is certain. */
  readonly onSuccess?: ((order: CheckoutSnapshot) => void) | undefined;
  /** Called when an open checkout has closed, with any result. */
  readonly onClose?: ((result: CheckoutResult) => void) | undefined;
  /** Called when the state becomes `failed`. */
  readonly onError?: ((error: ExchangeError) => void) | undefined;
}

/**
 * `idle` on a server and before the first effect; `loading` the script; `ready` to open; `open`;
 * `closed` or `failed` afterwards, and ready to open again.
 */
export type ExchangeState = "idle" | "loading" | "ready" | "open" | "closed" | "failed";

export interface ExchangeStatus {
  readonly state: ExchangeState;
  /** `open` was called before the script was loaded; the checkout opens afterwards. */
  readonly willOpen: boolean;
  /** Result of the last opening. */
  readonly result: CheckoutResult | undefined;
  /** Set when the state is `failed`. */
  readonly error: ExchangeError | undefined;
}

export const IDLE: ExchangeStatus = {
  state: "idle",
  willOpen: false,
  result: undefined,
  error: undefined,
};

/** One component's side of the page's checkout: at most one is open, whoever opened it. */
export class Checkout {
  #options: UseExchangeOptions;
  #status = IDLE;
  #isAttached = false;
  // Counts openings and unmounts. Results of an earlier turn are ignored.
  #turn = 0;
  #orderId: number | undefined;
  /** The outcomes of that order that were reported. */
  #outcomes = new Set<string>();
  #onChange: () => void = () => {};
  #stopHearing: () => void = () => {};

  constructor(options: UseExchangeOptions) {
    this.#options = options;
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#onChange = onChange;
    return () => {
      this.#onChange = () => {};
    };
  };

  readonly read = (): ExchangeStatus => this.#status;

  /** The next opening uses the options of the last render. Callbacks change at once. */
  update(options: UseExchangeOptions): void {
    this.#options = options;
    // The script reports a rejected promise, and only when the checkout opens.
    Promise.resolve(options.authenticationToken).catch(() => {});
  }

  /**
   * Loads the script. Returns a function that detaches from everything except an open checkout: a
   * customer may be paying in it, and closes it.
   */
  attach(): () => void {
    this.#isAttached = true;
    this.#load();
    return () => {
      this.#isAttached = false;
      this.#turn += 1;
      this.#stopHearing();
      this.#status = IDLE;
    };
  }

  readonly open = (): void => {
    if (!this.#isAttached || this.#status.willOpen) return;
    const exchange = presentExchange();
    if (exchange !== undefined) return this.#begin(exchange);
    this.#change({ willOpen: true });
    if (this.#status.state !== "loading") this.#load();
  };

  readonly close = (): void => {
    if (this.#status.willOpen) this.#change({ willOpen: false });
    if (this.#status.state === "open") presentExchange()?.close();
  };

  #load(): void {
    const exchange = presentExchange();
    if (exchange !== undefined) return this.#change({ state: "ready" });
    const turn = this.#turn;
    this.#change({ state: "loading", error: undefined });
    const isWaiting = (): boolean => turn === this.#turn && this.#status.state === "loading";
    loadScript(this.#options).then(
      (loaded) => isWaiting() && this.#ready(loaded),
      (error: unknown) => isWaiting() && this.#fail(error),
    );
  }

  #ready(exchange: ExchangeApi): void {
    const { willOpen } = this.#status;
    this.#change({ state: "ready", willOpen: false });
    if (willOpen) this.#begin(exchange);
  }

  /** Runs within the click, so that a token is fetched at once and the focus comes back to it. */
  #begin(exchange: ExchangeApi): void {
    if (exchange.state !== "idle") return;
    this.#stopHearing();
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const { clientId, env, authenticationToken } = this.#options;
      exchange.configure({ clientId, env, ...openOptions(this.#options) });
      this.#stopHearing = exchange.on("*", (event) => this.#hear(event));
      const result = exchange.init({ authenticationToken });
      this.#change({ state: "open", result: undefined, error: undefined });
      result.then(
        (outcome) => turn === this.#turn && this.#finish(outcome),
        (error: unknown) => turn === this.#turn && this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  #hear(event: CheckoutEvent): void {
    notify(this.#options.onEvent, event);
    const { name, data } = event;
    if (data?.orderId === undefined) return;
    if (name === "orderPlaced" && data.orderId !== this.#orderId) {
      this.#orderId = data.orderId;
      this.#outcomes = new Set();
      notify(this.#options.onOrderPlaced, data);
    }
    const { outcome } = data;
    if (outcome === undefined || this.#outcomes.has(outcome)) return;
    this.#outcomes.add(outcome);
    if (outcome === "pending") notify(this.#options.onPending, data);
    if (outcome === "paid") notify(this.#options.onSuccess, data);
  }

  #finish(result: CheckoutResult): void {
    this.#stopHearing();
    this.#change({ result });
    if (result.error !== undefined) this.#fail(result.error);
    else this.#change({ state: "closed" });
    notify(this.#options.onClose, result);
  }

  #fail(thrown: unknown): void {
    this.#stopHearing();
    const error = toExchangeError(thrown);
    this.#change({ state: "failed", willOpen: false, error });
    notify(this.#options.onError, error);
  }

  #change(change: Partial<ExchangeStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#onChange();
  }
}

/** An error in the page's callback is reported to the console and must not break the checkout. */
function notify<Value>(callback: ((value: Value) => void) | undefined, value: Value): void {
  try {
    callback?.(value);
  } catch (error) {
    reportError(error);
  }
}

/** Picks the script's options from the component's options. */
function openOptions(options: UseExchangeOptions): OpenOptions {
  const { operationType, baseCurrency, targetCurrency, baseAmount, targetAmount } = options;
  const { paymentMethod, walletAddress, locale, theme, appearance } = options;
  const { display, container, returnUrl, history } = options;
  const exchanged = { operationType, baseCurrency, targetCurrency, baseAmount, targetAmount };
  const presentation = { locale, theme, appearance, display, container, returnUrl, history };
  return { ...exchanged, paymentMethod, walletAddress, ...presentation };
}
