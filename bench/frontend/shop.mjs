import { once } from "node:events";
import { createServer } from "node:http";

const OPTIONS = "env=dev&baseCurrency=eur&baseAmount=100&targetCurrency=btc";

/** The least page a merchant can have, on an origin of its own: the script and a button. */
export async function startShop({ url, clientId }) {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url, "http://localhost");
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(pageFor({ url, clientId, searchParams }));
  }).listen(0, "localhost");
  await once(server, "listening");
  const origin = `http://localhost:${server.address().port}`;
  return {
    origin,
    addressFor: (token, display) => `${origin}/?${new URLSearchParams({ token, display })}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pageFor({ url, clientId, searchParams }) {
  const options = JSON.stringify({
    authenticationToken: searchParams.get("token"),
    display: searchParams.get("display"),
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head>
<body><main><h1>Shop</h1><button id="buy">Buy</button></main>
<script src="${url}/sdk/exchange.js?clientId=${clientId}&${OPTIONS}"></script>
<script>
document.querySelector("#buy").addEventListener("click", () => exchange.init(${options.replaceAll("<", "\\u003c")}));
</script></body></html>`;
}
