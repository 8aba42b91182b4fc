import type {
  CheckoutOptions,
  CloseReason,
  CloseRequestBy,
  FrameMessage,
} from "@exchange/contract/frame";
import { afterTravel } from "./back-button.ts";
import { type CheckoutReport, createReport } from "./checkout-report.ts";
import { submitForm } from "./dom.ts";
import type {
  CheckoutEvent,
  CheckoutResult,
  CheckoutState,
  InitOptions,
  OpenOptions,
} from "./exchange-api.ts";
import { connectFrame, type FrameConnection, type FrameHost } from "./frame-connection.ts";
import { openModal } from "./modal.ts";
import { isFunction } from "./options.ts";
import { readToken } from "./page-code.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { openPopup } from "./popup.ts";
import type { ScriptConfig } from "./script-config.ts";
import type { Surface, SurfaceHost } from "./surface.ts";

const LOAD_TIMEOUT_MS = 15_000;
/** A frame says hello before it has loaded. The browser may report the load first, by 0.1 s on a slow phone. */
const HELLO_LATE_MS = 2_000;
const POLL_MS = 500;

export interface CheckoutRunOptions {
  readonly script: ScriptConfig;
  readonly clientId: string;
  readonly authenticationToken: InitOptions["authenticationToken"];
  readonly options: OpenOptions;
  readonly emit: (event: CheckoutEvent) => void;
}

/** One opening of the checkout, from `init` until the focus is back on the page. */
export class CheckoutRun implements SurfaceHost, FrameHost {
  /** Resolves when the checkout has closed. */
  readonly result: Promise<CheckoutResult>;
  readonly #options: CheckoutRunOptions;
  readonly checkoutOrigin: string;
  /** 128 random bits. `randomUUID` is missing on pages served over plain HTTP. */
  readonly instance = crypto.getRandomValues(new Uint32Array(4)).join("");
  readonly words: PanelTexts;
  readonly colours: string;
  readonly place: SurfaceHost["place"];
  readonly holdsBack: boolean;
  state: CheckoutState = "opening";
  readonly #report: CheckoutReport;
  #token: Promise<string | undefined> | undefined;
  readonly #connection: FrameConnection;
  #settle: (result: CheckoutResult) => void = () => {};
  #surface: Surface | undefined;
  #failure: CloseReason | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  // Browsers have no event for a closed window or a removed dialog.
  readonly #poll = setInterval(() => this.check(), POLL_MS);

  constructor(options: CheckoutRunOptions) {
    const { script, options: requested } = options;
    this.#options = options;
    this.checkoutOrigin = new URL(script.checkoutUrl).origin;
    this.words = script.texts;
    const theme = requested.appearance?.mode ?? requested.theme ?? "auto";
    this.colours = theme.replace("auto", "light dark");
    this.place = requested.container;
    this.holdsBack = requested.history !== false && !this.place;
    this.#report = createReport(options.emit);
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#connection = connectFrame(this);
    document.addEventListener("securitypolicyviolation", this.#onViolation);
  }

  /** Calls functions of the page, which may call `init` or `close`. */
  openSurface(): void {
    const { options } = this.#options;
    // Open the window first: the page's own function may use up the click.
    const display = !this.place && options.display;
    const isPopup = display === "popup";
    if (isPopup) this.#openPopup();
    this.#token = readToken(this.#options.authenticationToken);
    this.#report.noteEvent("open");
    if (this.state === "idle" || this.#surface) return;
    // A redirect shows the modal's panel alone until the browser has left the page.
    if (display === "redirect") this.#show("");
    else this.#openModal(isPopup && "popup_blocked");
  }

  /** Detects a surface that disappeared without a message. */
  check(): void {
    const surface = this.#surface;
    if (!surface?.isGone()) return;
    if (surface.loadFrame) this.end("navigated");
    // It closed before its hello: the page's own policy has cut it off from us.
    else if (this.state === "opening") this.#openModal("opener_severed");
    else this.end("user");
  }

  frameWindow(): Window | null | undefined {
    return this.#surface?.window();
  }

  focus(): void {
    this.#surface?.focus();
  }

  ask(by: CloseRequestBy): void {
    // Before the checkout is ready the customer has typed nothing, so it closes without a question.
    if (this.state === "open") this.#connection.send({ type: "close-request", by });
    else this.end(by);
  }

  end(reason: CloseReason): void {
    if (this.state === "closing" || this.state === "idle") return;
    this.state = "closing";
    clearTimeout(this.#timer);
    // `clearTimeout` ends an interval too. A second name would cost the bytes that are left.
    clearTimeout(this.#poll);
    this.#connection.close();
    this.#token = undefined;
    document.removeEventListener("securitypolicyviolation", this.#onViolation);
    this.#surface?.remove();
    this.state = "idle";
    afterTravel(() => this.#settle(this.#report.noteEnd(this.#failure ?? reason)));
  }

  #addressOf(mode: string): string {
    const { script, clientId } = this.#options;
    // The service refuses a page of another origin at once, and says why.
    const { origin } = location;
    const query = new URLSearchParams({ clientId, mode, origin, theme: this.colours });
    return `${script.checkoutUrl}?${query}#i=${this.instance}&o=${origin}`;
  }

  /** Whether the browser let it open. */
  #openPopup(): boolean {
    const popup = openPopup(this.#addressOf("popup"));
    if (!popup) return false;
    this.#surface?.remove();
    this.#surface = popup;
    this.#await();
    return true;
  }

  /** Opens the modal in place of a surface that could not be shown. */
  #openModal(because?: string | false): void {
    if (because) this.#report.fail(because);
    this.#show(this.#addressOf(this.place ? "inline" : "modal"));
  }

  #show(address: string): void {
    this.#surface?.remove();
    this.#await();
    this.#surface = openModal(this, address);
  }

  /** The frame may show an error of the browser, which never says hello. */
  frameLoaded(): void {
    if (this.state === "opening") this.#await(HELLO_LATE_MS);
  }

  /** Waits a limited time for the checkout's hello and the page's token. */
  #await(ms = LOAD_TIMEOUT_MS): void {
    clearTimeout(this.#timer);
    this.#failure = undefined;
    this.state = "opening";
    this.#timer = setTimeout(() => this.#giveUp(), ms);
  }

  /** Shows that the hello or the token did not come in time, with a way to try again. */
  #giveUp(): void {
    if (!this.#surface?.loadFrame) {
      // A window that waits for the page's token stays: the page may ask its customer to sign in.
      if (this.state === "opening") this.#openModal("load_timeout");
      return;
    }
    this.#failure = "load_timeout";
    this.#surface.fail?.(this.words[3], this.words[4], () => {
      this.#await();
      // The customer may have waited for longer than the first token lives.
      this.#token = readToken(this.#options.authenticationToken);
      this.#surface?.loadFrame?.();
    });
    this.#report.fail("load_timeout");
  }

  /** A redirect: posts the token to the checkout, which replaces the page. */
  leavePage(): void {
    void this.#withToken((token, options) => {
      if (!token) return this.end("token_unavailable");
      // The browser may restore this page from its cache. It also sends this event at the end of a first load.
      addEventListener("pageshow", (event) => event.persisted && this.end("back"));
      // The customer may stop the navigation, or choose to stay.
      this.#await();
      const returnUrl = options.returnUrl ?? location.href;
      const fields = { token, returnUrl, options: JSON.stringify(options) };
      submitForm(this.#addressOf("redirect"), fields);
    });
  }

  /** A frame or a window: sends the token and the options to the checkout that said hello. */
  welcomeFrame(): void {
    // The short limit of a loaded frame was for its hello. The page's token may take longer.
    this.#await();
    this.state = "connecting";
    void this.#withToken((token, requested) => {
      clearTimeout(this.#timer);
      this.#failure = undefined;
      // Before its options arrive, the checkout has the language of the device.
      this.#surface?.showFrame?.();
      // A port cannot carry functions, so the checkout learns which ones there are. It ignores other
      // options that concern the page alone. A framework may have put its own data on the element.
      const toData = (key: string, value: unknown) =>
        isFunction(value) || (key !== "container" && value);
      const options = JSON.parse(JSON.stringify(requested, toData)) as CheckoutOptions;
      // The checkout reports a missing token to the customer, and then to the page.
      this.#connection.send(token ? { type: "init", token, options } : { type: "init-failed" });
    });
  }

  /** Runs a step with the page's token and options, unless the checkout has closed or wants another token by then. */
  async #withToken(run: (token: string | undefined, options: OpenOptions) => void): Promise<void> {
    const pending = this.#token;
    const token = await pending;
    if (pending === this.#token) run(token, this.#options.options);
  }

  takeMessage(message: FrameMessage): void {
    switch (message.type) {
      case "ready":
        this.state = "open";
        return this.#surface?.rename?.(message.title);
      case "resize":
        return this.#surface?.resizeFrame?.(message.height);
      case "steps":
        return this.#surface?.holdSteps?.(message.count);
      case "event":
        return this.#report.noteFrameEvent(message.name, message.snapshot, message.code);
      case "close":
        return this.end(message.reason);
    }
  }

  /**
   * Changes the surface when the page's own policy blocks the checkout. The browser's console has
   * the details.
   */
  readonly #onViolation = (event: SecurityPolicyViolationEvent): void => {
    const { effectiveDirective, blockedURI } = event;
    if (!blockedURI.startsWith(this.checkoutOrigin)) return;
    if (effectiveDirective === "form-action") this.#openModal();
    if (effectiveDirective !== "frame-src") return;
    clearTimeout(this.#timer);
    this.#surface?.fail?.(this.words[5], this.words[6], () => {
      if (!this.#openPopup()) this.#report.fail("popup_blocked");
    });
  };
}
