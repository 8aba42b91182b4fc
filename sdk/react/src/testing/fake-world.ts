import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { build, type Rolldown } from "vite";
import { Shop } from "./shop.tsx";
import { stubScript } from "./stub-script.ts";

/** Two sites without DNS: the shop on localhost, the service on 127.0.0.1. */
export interface FakeWorld {
  readonly shopUrl: string;
  readonly serviceUrl: string;
  /** Returns the number of script requests since the last call. */
  takeScriptRequests(): number;
  /** Number of script requests of client `held` that are waiting. */
  scriptsHeld(): number;
  /** Answers the waiting requests. */
  sendHeldScripts(): void;
  close(): void;
}

const PAGE = fileURLToPath(new URL("shop-page.tsx", import.meta.url));

/**
 * Uses React's development build: only that build repeats effects and reports hydration mismatches.
 */
async function bundlePage(): Promise<string> {
  const built = (await build({
    configFile: false,
    // Hides warnings about directives that a browser bundle does not need.
    logLevel: "error",
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    build: { write: false, minify: false, modulePreload: false, rolldownOptions: { input: PAGE } },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

const listen = async (server: Server, name: string): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://${name}:${(server.address() as AddressInfo).port}`;
};

const send = (response: ServerResponse, type: string, body: string): void => {
  response.setHeader("content-type", `${type}; charset=utf-8`);
  response.end(body);
};

/**
 * The client id chooses the answer: `silent` never answers, `held` waits for the test, `refused`
 * fails, `other` is not the script.
 */
function answerScript(url: URL, response: ServerResponse, held: (() => void)[]): void {
  const clientId = url.searchParams.get("clientId") ?? "";
  if (clientId === "silent") return;
  response.statusCode = clientId === "refused" ? 500 : 200;
  const script = clientId === "other" ? "window.somethingElse = 1;" : stubScript(clientId);
  const answer = (): void => send(response, "application/javascript", script);
  if (clientId === "held") held.push(answer);
  else setTimeout(answer, clientId === "slow" ? 400 : 0);
}

const POLICIES: Readonly<Record<string, string>> = {
  closed: "script-src 'self'",
  nonce: "script-src 'nonce-a1b2c3'",
  types: "require-trusted-types-for 'script'",
};

function shopHtml(serviceUrl: string, query: URLSearchParams): string {
  const clientId = query.get("clientId") ?? "client_dev_1";
  const common = { baseUrl: serviceUrl, clientId, env: "dev", authenticationToken: "t" } as const;
  const shop = createElement(Shop, { common, offers: [{ children: "Buy" }] });
  const address = `${serviceUrl}/v1/sdk/exchange.js?clientId=${clientId}&env=dev&baseCurrency=eur`;
  const tag = `<script nonce="a1b2c3" async src="${address}"></script>`;
  return `<!doctype html><html lang="en"><head><title>Shop</title></head><body>
<div id="root" data-service="${serviceUrl}">${query.has("hydrate") ? renderToString(shop) : ""}</div>
${query.has("tag") ? tag : ""}
<script nonce="a1b2c3" type="module" src="/page.js"></script></body></html>`;
}

export async function startFakeWorld(): Promise<FakeWorld> {
  const code = await bundlePage();
  let scriptRequests = 0;
  const held: (() => void)[] = [];
  const service = createServer((request, response) => {
    scriptRequests += 1;
    answerScript(new URL(request.url ?? "/", "http://service.invalid"), response, held);
  });
  const serviceUrl = await listen(service, "127.0.0.1");
  const shop = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop.invalid");
    if (pathname === "/page.js") return send(response, "text/javascript", code);
    const policy = POLICIES[searchParams.get("policy") ?? ""];
    if (policy !== undefined) response.setHeader("content-security-policy", policy);
    send(response, "text/html", shopHtml(serviceUrl, searchParams));
  });
  const shopUrl = await listen(shop, "localhost");
  return {
    shopUrl,
    serviceUrl,
    takeScriptRequests: () => {
      const taken = scriptRequests;
      scriptRequests = 0;
      return taken;
    },
    scriptsHeld: () => held.length,
    sendHeldScripts: () => {
      for (const answer of held.splice(0)) answer();
    },
    close: () => {
      for (const server of [service, shop]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
