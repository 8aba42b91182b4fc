import type { ExchangeApi, ExchangeButtonElement, InitOptions } from "./exchange-api.ts";

/** The file exchange-button.js: `<exchange-button>`, which opens the checkout of exchange.js. */
const STYLE =
  ":host{display:inline-block}:host([hidden]){display:none}" +
  "button{width:100%;padding:12px 24px;border:0;border-radius:var(--exchange-radius,12px);" +
  "background:var(--exchange-accent,#2456e6);color:var(--exchange-ink,#fff);" +
  "font:600 1rem/1.5 system-ui,sans-serif;cursor:pointer}" +
  "button:focus-visible{outline:2px solid;outline-color:Highlight;outline-offset:2px}" +
  "button:disabled{opacity:.5;cursor:default}";

/** Attributes that are options of the same name, in the spelling of attributes. */
const TEXTS = [
  "operation-type",
  "base-currency",
  "target-currency",
  "payment-method",
  "wallet-address",
  "locale",
  "theme",
  "display",
  "return-url",
];
const AMOUNTS = ["base-amount", "target-amount"];
const LOAD_TIMEOUT_MS = 15_000;

type Options = ExchangeButtonElement["options"];
type Page = { exchange?: ExchangeApi & { readonly q?: [string, unknown[]][] } };

const camelCase = (name: string): string =>
  name.replace(/-./g, ([, letter = ""]) => letter.toUpperCase());

/** Asks the shop's server for a token, which it may send in the envelope of the service. */
async function fetchToken(address: string): Promise<string> {
  const response = await fetch(address, {
    method: "POST",
    headers: { accept: "application/json" },
  });
  if (!response.ok) throw Error(`${address} answered ${response.status}.`);
  const { accessToken, data } = await response.json();
  return accessToken ?? data?.accessToken;
}

class ExchangeButton extends HTMLElement implements ExchangeButtonElement {
  static readonly observedAttributes = ["disabled"];
  // A page may set it before this file is loaded.
  options: Options = (this as { options?: Options }).options ?? {};
  readonly #button = document.createElement("button");
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const button = this.#button;
    button.type = "button";
    button.part.add("button");
    button.ariaHasPopup = "dialog";
    button.append(document.createElement("slot"));
    button.onclick = () => this.open();
    root.append(button);
  }

  attributeChangedCallback(): void {
    this.#button.disabled = this.hasAttribute("disabled");
  }

  /** Opens the checkout. A press before exchange.js is loaded waits for it. */
  open(): void {
    if (this.#timer) return;
    const page = window as Page;
    const request = this.#readOptions();
    if (page.exchange?.init) return void page.exchange.init(request);
    const queue = page.exchange ?? ({ q: [] } as unknown as NonNullable<Page["exchange"]>);
    page.exchange = queue;
    const entry: [string, unknown[]] = ["init", [request]];
    queue.q?.push(entry);
    this.#button.ariaBusy = "true";
    this.#timer = setTimeout(() => {
      queue.q?.splice(queue.q.indexOf(entry), 1);
      this.#stopWaiting();
      console.error("exchange: <exchange-button> needs exchange.js, which this page did not load.");
    }, LOAD_TIMEOUT_MS);
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#button.ariaBusy = null;
  }

  #readOptions(): InitOptions {
    const options: Record<string, unknown> = {};
    const read = (names: readonly string[], convert: (text: string) => unknown): void => {
      for (const name of names) {
        const text = this.getAttribute(name);
        if (text) options[camelCase(name)] = convert(text);
      }
    };
    read(TEXTS, String);
    read(AMOUNTS, Number);
    read(["appearance"], JSON.parse);
    read(["container"], (selector) => document.querySelector(selector));
    read(["token-url"], (address) => {
      options["authenticationToken"] = () => fetchToken(address);
    });
    delete options["tokenUrl"];
    return {
      ...options,
      ...this.options,
      onEvent: (event) => {
        if (event.name === "open") this.#stopWaiting();
        this.#report(event.name, event);
      },
      onPending: (order) => this.#report("pending", order),
      onSuccess: (order) => this.#report("success", order),
      onExit: (error, result) => this.#report("exit", { error, result }),
    } as InitOptions;
  }

  /** The element's own events do not bubble: `document` receives those of the script already. */
  #report(name: string, detail: unknown): void {
    if (name === "open" || name === "close") this.toggleAttribute("data-open", name === "open");
    this.dispatchEvent(new CustomEvent(`exchange:${name}`, { detail }));
  }
}

if (!customElements.get("exchange-button")) {
  customElements.define("exchange-button", ExchangeButton);
}
