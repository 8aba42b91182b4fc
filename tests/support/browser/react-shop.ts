import { once } from "node:events";
import { createServer } from "node:http";
import path from "node:path";
import { build, type Rolldown } from "vite";
import { freePort } from "../service/processes.ts";
import { ROOT, type Service } from "../service/service.ts";

/** A merchant's React page: built with a bundler, and served with a strict policy. */
export interface ReactShop {
  readonly origin: string;
  addressFor(clientId: string, token: string): string;
  close(): void;
}

const TESTS = path.join(ROOT, "tests");

/** With the React of these tests, which is the oldest that the library works with. */
async function bundlePage(): Promise<string> {
  const built = (await build({
    root: TESTS,
    configFile: false,
    // The directives that a bundle for browsers does without would be warned of.
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
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const ours = new URL(service.url).origin;
  const policy = `default-src 'none'; script-src 'self' ${ours}; frame-src ${ours}`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const isCode = pathname === "/page.js";
    const type = isCode ? "text/javascript" : "text/html";
    const headers = { "content-type": `${type}; charset=utf-8` };
    response.writeHead(200, { ...headers, "content-security-policy": policy });
    response.end(isCode ? code : html(service, searchParams));
  }).listen(port, "localhost");
  await once(server, "listening");
  return {
    origin,
    addressFor: (clientId, token) => `${origin}/?${new URLSearchParams({ clientId, token })}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
