import type { CheckoutOptions } from "@exchange/contract/frame";
import type { Service } from "../service/service.ts";
import { type PageServer, servePages } from "./page-server.ts";

declare global {
  /** On the page of a merchant. */
  interface Window {
    readonly exchange: {
      readonly state: string;
      init(options: CheckoutOptions & { readonly authenticationToken: string }): Promise<object>;
      close(): void;
    };
    /** Every message that this window received. */
    readonly posted: { readonly data: unknown; readonly origin: string }[];
    /** The names of the script's events. */
    readonly events: string[];
    /** The result of each opening. */
    readonly results: object[];
  }
}

/** The smallest page of a merchant: the script, one button, and the results. */
export interface ShopPage extends PageServer {
  /** Address of the page that opens the popup with this token when its button is pressed. */
  addressFor(clientId: string, token: string, options?: CheckoutOptions): string;
}

/** The script of a page gives the checkout 15 seconds to answer. A busy machine takes longer, so this ends that limit. */
const WITHOUT_LIMIT = `{
  const start = window.setTimeout;
  window.setTimeout = (callback, after, ...values) => (after === 15000 ? 0 : start(callback, after, ...values));
}`;

/** The exchange that the page starts with. */
const OPTIONS = "env=dev&baseCurrency=cad&baseAmount=100&targetCurrency=btc";

const html = (
  service: Service,
  query: URLSearchParams,
  exchange: string,
): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Test shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>Test shop</h1><button id="buy">Buy</button></main>
<script>${WITHOUT_LIMIT}</script>
<script src="${service.url}/v1/sdk/exchange.js?clientId=${query.get("clientId")}&${exchange}"></script>
<script>
const token = ${JSON.stringify(query.get("token"))};
Object.assign(window, { posted: [], events: [], results: [] });
addEventListener("message", ({ data, origin }) => posted.push({ data, origin }));
window.exchange.on("*", ({ name }) => events.push(name));
document.querySelector("#buy").addEventListener("click", () => {
  const options = { ...${query.get("options") ?? "{}"}, authenticationToken: token };
  window.exchange.init(options).then((result) => results.push(result));
});
</script></body></html>`;

/** On `127.0.0.1` the page is of another site than the service, as every merchant's page is. */
export async function startShopPage(
  service: Service,
  host: "localhost" | "127.0.0.1" = "localhost",
  exchange = OPTIONS,
): Promise<ShopPage> {
  const pages = await servePages(host, ({ searchParams }) => ({
    body: html(service, searchParams, exchange),
  }));
  return {
    ...pages,
    addressFor: (clientId, token, options = {}) => {
      const query = { clientId, token, options: JSON.stringify(options) };
      return `${pages.origin}/?${new URLSearchParams(query)}`;
    },
  };
}
