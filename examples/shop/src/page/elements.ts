import type { ExchangeApi } from "@exchange/browser";

declare global {
  interface Window {
    /** Outside this repository, `{base_url}/v1/sdk/exchange.d.ts` declares it. */
    readonly exchange: ExchangeApi;
  }
}

/** The page's element with this id. The server wrote the page, so it is there. */
export const find = <T extends HTMLElement = HTMLElement>(id: string): T =>
  document.getElementById(id) as T;

/** The products. The page that customers return to has none. */
export const orderForm = document.forms.namedItem("order-form") as HTMLFormElement;
