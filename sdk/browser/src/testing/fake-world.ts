import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { panelTexts } from "../panel-texts.ts";
import { renderScript } from "../render-script.ts";
import { FAKE_CHECKOUT_PAGE } from "./fake-checkout.ts";
import { SHOP_SCRIPT, shopPage, strictPolicy } from "./shop-page.ts";

const TEMPLATE = readFileSync(new URL("../../dist/exchange.template.js", import.meta.url), "utf8");

/** Two sites without DNS: the shop on localhost, the service on 127.0.0.1. */
export interface FakeWorld {
  readonly shopUrl: string;
  readonly serviceUrl: string;
  /** Bodies posted to the checkout, with their path and query. */
  readonly posted: readonly { readonly path: string; readonly body: string }[];
  close(): void;
}

const listen = async (server: Server, name: string): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://${name}:${(server.address() as AddressInfo).port}`;
};

const send = (response: ServerResponse, type: string, body: string): void => {
  response.setHeader("content-type", `${type}; charset=utf-8`);
  response.end(body);
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

export async function startFakeWorld(): Promise<FakeWorld> {
  const posted: { path: string; body: string }[] = [];
  const service = createServer((request, response) => {
    const url = new URL(request.url ?? "/", serviceUrl);
    if (url.pathname === "/checkout" && request.method === "POST") {
      return void textOf(request).then((body) => {
        posted.push({ path: request.url ?? "", body });
        send(response, "text/html", "<!doctype html><title>Posted</title>");
      });
    }
    if (url.pathname === "/checkout") return send(response, "text/html", FAKE_CHECKOUT_PAGE);
    response.setHeader("access-control-allow-origin", "*");
    send(
      response,
      "application/javascript",
      scriptFor(serviceUrl, url.searchParams, request.headers["accept-language"]),
    );
  });
  const serviceUrl = await listen(service, "127.0.0.1");
  const shop = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop.invalid");
    if (pathname === "/early.js") return send(response, "text/javascript", "open_();");
    if (pathname === "/shop.js") return send(response, "text/javascript", SHOP_SCRIPT);
    const policy = searchParams.get("policy");
    if (policy) {
      response.setHeader("content-security-policy", strictPolicy(serviceUrl, policy));
    }
    const isolation = searchParams.get("coop");
    if (isolation) response.setHeader("cross-origin-opener-policy", isolation);
    send(response, "text/html", shopPage(serviceUrl, searchParams));
  });
  const shopUrl = await listen(shop, "localhost");
  const close = (): void => {
    service.close();
    shop.close();
  };
  return { shopUrl, serviceUrl, posted, close };
}

/** Renders the script as the service does. A pinned script has no client. */
function scriptFor(serviceUrl: string, query: URLSearchParams, language?: string): string {
  const clientId = query.get("clientId");
  return renderScript(TEMPLATE, {
    sdkVersion: "0.1.0",
    environment: "dev",
    checkoutUrl: `${serviceUrl}/checkout`,
    texts: panelTexts(language, clientId === null ? "" : "Demo shop"),
    options: clientId === null ? {} : { clientId, env: "dev" },
  });
}
