import { once } from "node:events";
import { createServer } from "node:http";
import type { CheckoutOptions } from "@exchange/contract/frame";
import { freePort } from "./processes.ts";
import type { Service } from "./service.ts";

/** The least page a merchant can have: the script, one button, and what the SDK said. */
export interface ShopPage {
  readonly origin: string;
  /** Address of the page that opens the popup with this token when its button is pressed. */
  addressFor(clientId: string, token: string, options?: CheckoutOptions): string;
  close(): void;
}

/** What the page asks for; a customer would find it filled in. */
const OPTIONS = "env=dev&baseCurrency=cad&baseAmount=100&targetCurrency=btc";

const html = (service: Service, query: URLSearchParams): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Test shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>Test shop</h1><button id="buy">Buy</button></main>
<script src="${service.url}/v1/sdk/exchange.js?clientId=${query.get("clientId")}&${OPTIONS}"></script>
<script>
const token = ${JSON.stringify(query.get("token"))};
document.querySelector("#buy").addEventListener("click", () => {
  window.exchange.init({ ...${query.get("options") ?? "{}"}, authenticationToken: token });
});
</script></body></html>`;

export async function startShopPage(service: Service): Promise<ShopPage> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "/", origin).searchParams;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(html(service, query));
  }).listen(port, "localhost");
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
