import { once } from "node:events";
import { createServer } from "node:http";
import type { CheckoutOptions } from "@exchange/contract/frame";
import { freePort } from "../service/processes.ts";
import type { Service } from "../service/service.ts";

declare global {
  /** On the page of a merchant. */
  interface Window {
    readonly exchange: {
      readonly state: string;
      init(options: CheckoutOptions & { readonly authenticationToken: string }): Promise<object>;
      close(): void;
    };
    /** Everything that this window was sent. */
    readonly posted: { readonly data: unknown; readonly origin: string }[];
    /** Names of what the script told. */
    readonly events: string[];
    /** How each opening ended. */
    readonly results: object[];
  }
}

/** The least page a merchant can have: the script, one button, and what came of it. */
export interface ShopPage {
  readonly origin: string;
  /** Address of the page that opens the popup with this token when its button is pressed. */
  addressFor(clientId: string, token: string, options?: CheckoutOptions): string;
  close(): void;
}

/** The exchange that the page starts with. */
const OPTIONS = "env=dev&baseCurrency=cad&baseAmount=100&targetCurrency=btc";

const html = (service: Service, query: URLSearchParams): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Test shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>Test shop</h1><button id="buy">Buy</button></main>
<script src="${service.url}/v1/sdk/exchange.js?clientId=${query.get("clientId")}&${OPTIONS}"></script>
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

/** On `127.0.0.1` the page is of another site than the service, as every merchant's is. */
export async function startShopPage(
  service: Service,
  host: "localhost" | "127.0.0.1" = "localhost",
): Promise<ShopPage> {
  const port = await freePort();
  const origin = `http://${host}:${port}`;
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "/", origin).searchParams;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(html(service, query));
  }).listen(port, host);
  await once(server, "listening");
  return {
    origin,
    addressFor: (clientId, token, options = {}) => {
      const query = { clientId, token, options: JSON.stringify(options) };
      return `${origin}/?${new URLSearchParams(query)}`;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
