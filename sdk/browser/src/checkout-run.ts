import type { CloseReason, CloseRequestBy, FrameMessage } from "@exchange/contract/frame";
import { holdBackButton } from "./back-button.ts";
import { CheckoutReport } from "./checkout-report.ts";
import { type CheckoutDialog, openDialog } from "./dialog.ts";
import type { CheckoutEvent, CheckoutResult, CheckoutState, InitOptions } from "./exchange-api.ts";
import { connectFrame, type FrameConnection } from "./frame-connection.ts";
import { checkoutOptions } from "./options.ts";
import type { ScriptConfig } from "./script-config.ts";
import { lockScroll } from "./scroll-lock.ts";
import { readToken } from "./token-source.ts";

const LOAD_TIMEOUT_MS = 15_000;
const TITLE_LENGTH_MAX = 200;
const SLOW_TEXT = "Checkout is taking too long to load. Check your connection and try again.";
const BLOCKED_TEXT = "This page does not let checkout open. Please tell the shop.";

export interface CheckoutRunOptions {
  readonly script: ScriptConfig;
  readonly init: InitOptions;
  readonly onEvent: (event: CheckoutEvent) => void;
}

/** 128 random bits. `randomUUID` is missing on pages served over plain HTTP. */
const makeInstance = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** One opening of the checkout, from `init` to the moment the page has its focus back. */
export class CheckoutRun {
  /** Resolves when the checkout has closed. */
  readonly result: Promise<CheckoutResult>;
  readonly #options: CheckoutRunOptions;
  readonly #origin: string;
  readonly #instance = makeInstance();
  readonly #report: CheckoutReport;
  readonly #token: Promise<string | undefined>;
  readonly #dialog: CheckoutDialog;
  readonly #connection: FrameConnection;
  readonly #giveBack: readonly (() => void)[];
  #settle: (result: CheckoutResult) => void = () => {};
  #state: CheckoutState = "opening";
  #failure: CloseReason | undefined;
  #frameLoads = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CheckoutRunOptions) {
    this.#options = options;
    this.#origin = new URL(options.script.checkoutUrl).origin;
    this.#report = new CheckoutReport(options.onEvent);
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#token = readToken(options.init.authenticationToken);
    const focusedBefore = document.activeElement;
    const unlockScroll = lockScroll();
    this.#dialog = this.#openDialog();
    this.#connection = this.#connect();
    this.#giveBack = [
      () => this.#connection.close(),
      this.#watchPolicy(),
      () => this.#dialog.element.remove(),
      unlockScroll,
      this.#holdBackButton(),
      () => {
        if (focusedBefore instanceof HTMLElement) focusedBefore.focus({ preventScroll: true });
      },
    ];
    this.#report.tell("open");
    this.#load();
  }

  get state(): CheckoutState {
    return this.#state;
  }

  /** False when the page has thrown the dialog away. */
  get isAttached(): boolean {
    return this.#dialog.element.isConnected;
  }

  focus(): void {
    this.#dialog.focus();
  }

  requestClose(by: CloseRequestBy): void {
    // Before the checkout is ready nothing was typed, so there is nobody to ask.
    if (this.#state === "open") this.#connection.send({ type: "close-request", by });
    else this.end(this.#failure ?? by);
  }

  end(reason: CloseReason): void {
    if (this.#state === "closing" || this.#state === "idle") return;
    this.#state = "closing";
    clearTimeout(this.#timer);
    for (const giveBack of this.#giveBack) giveBack();
    this.#state = "idle";
    this.#settle(this.#report.finish(reason));
  }

  #openDialog(): CheckoutDialog {
    const { script, init } = this.#options;
    return openDialog({
      title: `Checkout – ${script.merchantName}`,
      theme: init.theme ?? "auto",
      // A dialog that the browser closed all the same is gone: the checkout goes with it.
      onEscape: ({ forced }) => (forced ? this.end("escape") : this.requestClose("escape")),
      onRetry: () => this.#load(),
      onCloseButton: () => this.end(this.#failure ?? "user"),
    });
  }

  #connect(): FrameConnection {
    return connectFrame({
      frameWindow: this.#dialog.frameWindow,
      checkoutOrigin: this.#origin,
      instance: this.#instance,
      onConnect: () => void this.#initFrame(),
      onMessage: (message) => this.#onMessage(message),
    });
  }

  #load(): void {
    const { script } = this.#options;
    const query = `clientId=${encodeURIComponent(script.options.clientId)}&mode=modal`;
    const hash = `i=${this.#instance}&o=${encodeURIComponent(location.origin)}`;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail("load_timeout", SLOW_TEXT), LOAD_TIMEOUT_MS);
    this.#failure = undefined;
    this.#state = "opening";
    this.#dialog.loadFrame(`${script.checkoutUrl}?${query}#${hash}`);
    this.#dialog.showLoading();
  }

  #fail(reason: CloseReason, text: string): void {
    clearTimeout(this.#timer);
    this.#failure = reason;
    this.#dialog.showFailure(text);
    this.#report.fail(reason);
  }

  async #initFrame(): Promise<void> {
    clearTimeout(this.#timer);
    this.#failure = undefined;
    this.#state = "connecting";
    this.#frameLoads += 1;
    const load = this.#frameLoads;
    this.#dialog.showFrame();
    const token = await this.#token;
    // The frame may have been loaded again, or have closed, while the page fetched the token.
    if (load !== this.#frameLoads || this.#state !== "connecting") return;
    if (token !== undefined) {
      const options = checkoutOptions(this.#options.init);
      return this.#connection.send({ type: "init", token, options });
    }
    this.#connection.send({ type: "init-failed" });
    this.#report.fail("token_unavailable");
  }

  #onMessage(message: FrameMessage): void {
    switch (message.type) {
      case "ready":
        this.#state = "open";
        if (message.title !== "") this.#dialog.rename(message.title.slice(0, TITLE_LENGTH_MAX));
        return;
      case "resize":
        return this.#dialog.resize(message.height);
      case "event":
        return this.#report.observe(message.name, message.snapshot);
      case "close":
        return this.end(message.reason);
    }
  }

  #holdBackButton(): () => void {
    if (this.#options.init.history === false) return () => {};
    return holdBackButton({
      instance: this.#instance,
      onBack: () => this.requestClose("back"),
      onLeave: () => this.end("navigated"),
    });
  }

  /** Says at once, and to whom it concerns, that the page's own policy keeps the frame out. */
  #watchPolicy(): () => void {
    const onViolation = (event: SecurityPolicyViolationEvent): void => {
      if (event.effectiveDirective !== "frame-src") return;
      if (!event.blockedURI.startsWith(this.#origin)) return;
      console.error(`exchange: add ${this.#origin} to frame-src.`);
      this.#fail("load_timeout", BLOCKED_TEXT);
    };
    document.addEventListener("securitypolicyviolation", onViolation);
    return () => document.removeEventListener("securitypolicyviolation", onViolation);
  }
}
