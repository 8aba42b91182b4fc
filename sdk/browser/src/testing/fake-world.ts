import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { renderScript } from "../render-script.ts";
import { FAKE_CHECKOUT_PAGE } from "./fake-checkout.ts";

const TEMPLATE = readFileSync(new URL("../../dist/exchange.template.js", import.meta.url), "utf8");

/** Two sites without DNS: the shop on localhost, the service on 127.0.0.1. */
export interface FakeWorld {
  readonly shopUrl: string;
  readonly serviceUrl: string;
  close(): void;
}

const SHOP_BODY = `<main><h1>Shop</h1><button id="pay">Pay</button> <a href="#terms">Terms</a>
<p>Long page</p></main>`;

const shopPage = (serviceUrl: string, query: URLSearchParams): string => {
  const clientId = query.get("clientId") ?? "client_dev_1";
  const type = query.has("module") ? ' type="module" crossorigin' : "";
  const script = `<script${type} src="${serviceUrl}/sdk/exchange.js?clientId=${clientId}"></script>`;
  const head = query.has("twice") ? script + script : script;
  const early = query.has("early") ? '<script src="/early.js"></script>' : "";
  return `<!doctype html><html lang="en"><head><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}
<script${type} src="/shop.js"></script>${early}</head><body>${SHOP_BODY}</body></html>`;
};

/** Opens on a click like a real shop; `results` and `events` are for the test to read. */
const SHOP_SCRIPT = `
window.results = []; window.events = []; window.domEvents = []; window.violations = []; window.promises = [];
document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
exchange.on("*", (event) => events.push(event));
document.addEventListener("exchange:close", (event) => domEvents.push(event.detail.name));
window.open_ = (options) => {
  const promise = exchange.init({ authenticationToken: "secret.public.token", ...options });
  promises.push(promise);
  promise.then((result) => results.push(result));
  return promise;
};
document.addEventListener("click", ({ target }) => {
  if (target.id === "pay") open_();
});`;

const strictPolicy = (serviceUrl: string, { frames }: { frames: boolean }): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${serviceUrl}`,
    "style-src 'self'",
    `frame-src ${frames ? serviceUrl : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");

const listen = async (server: Server, name: string): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://${name}:${(server.address() as AddressInfo).port}`;
};

const send = (response: ServerResponse, type: string, body: string): void => {
  response.setHeader("content-type", `${type}; charset=utf-8`);
  response.end(body);
};

export async function startFakeWorld(): Promise<FakeWorld> {
  const service = createServer((request, response) => {
    const url = new URL(request.url ?? "/", serviceUrl);
    if (url.pathname === "/checkout") return send(response, "text/html", FAKE_CHECKOUT_PAGE);
    const script = renderScript(TEMPLATE, {
      sdkVersion: "0.1.0",
      environment: "dev",
      checkoutUrl: `${serviceUrl}/checkout`,
      merchantName: "Demo shop",
      options: { clientId: url.searchParams.get("clientId") ?? "", env: "dev" },
    });
    response.setHeader("access-control-allow-origin", "*");
    send(response, "application/javascript", script);
  });
  const serviceUrl = await listen(service, "127.0.0.1");
  const shop = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://shop.invalid");
    if (url.pathname === "/early.js") return send(response, "text/javascript", "open_();");
    if (url.pathname === "/shop.js") return send(response, "text/javascript", SHOP_SCRIPT);
    const policy = url.searchParams.get("policy");
    if (policy !== null) {
      const header = strictPolicy(serviceUrl, { frames: policy === "strict" });
      response.setHeader("content-security-policy", header);
    }
    send(response, "text/html", shopPage(serviceUrl, url.searchParams));
  });
  const shopUrl = await listen(shop, "localhost");
  return {
    shopUrl,
    serviceUrl,
    close: () => {
      service.close();
      shop.close();
    },
  };
}
