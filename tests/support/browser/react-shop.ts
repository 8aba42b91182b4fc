import path from "node:path";
import { build, type Rolldown } from "vite";
import { ROOT, type Service } from "../service/service.ts";
import { type PageServer, servePages } from "./page-server.ts";

/** A merchant's React page: built with a bundler, and served with a strict policy. */
export interface ReactShop extends PageServer {
  addressFor(clientId: string, token: string): string;
}

const TESTS = path.join(ROOT, "tests");

/** Bundles the page with the oldest React that the library supports. */
async function bundlePage(): Promise<string> {
  const built = (await build({
    root: TESTS,
    configFile: false,
    // Vite warns of directives that a bundle for browsers leaves out.
    logLevel: "error",
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { dedupe: ["react", "react-dom"] },
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      rolldownOptions: { input: path.join(TESTS, "support/browser/react-page.ts") },
    },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

const html = (service: Service, query: URLSearchParams): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>React shop</title></head>
<body><main><h1>React shop</h1><div id="root" data-base-url="${service.url}"
  data-client-id="${query.get("clientId")}" data-token="${query.get("token")}"></div></main>
<script type="module" src="/page.js"></script></body></html>`;

export async function startReactShop(service: Service): Promise<ReactShop> {
  const code = await bundlePage();
  const ours = new URL(service.url).origin;
  const policy = `default-src 'none'; script-src 'self' ${ours}; frame-src ${ours}`;
  const pages = await servePages("localhost", ({ pathname, searchParams }) => {
    const headers = { "content-security-policy": policy };
    if (pathname !== "/page.js") return { body: html(service, searchParams), headers };
    return {
      body: code,
      headers: { ...headers, "content-type": "text/javascript; charset=utf-8" },
    };
  });
  return {
    ...pages,
    addressFor: (clientId, token) => `${pages.origin}/?${new URLSearchParams({ clientId, token })}`,
  };
}
