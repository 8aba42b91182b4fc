// A stand-in for the service and for a shop, to drive the built checkout in a browser.
//   node dev/mock-server.mjs [port]      the shop listens on port + 1
// The token names a scenario: "<scenario>.<anything>"; see `respond`.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { CURRENCIES, METHODS, TEST_CARDS } from "./mock-catalogue.mjs";
import { advance, makeQuote, payOrder, placeOrder } from "./mock-orders.mjs";

const port = Number(process.argv[2] ?? 8190);
const shopOrigin = `http://localhost:${port + 1}`;
const dist = new URL("../dist/", import.meta.url).pathname;
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
  `frame-ancestors 'self' ${shopOrigin}`,
].join("; ");
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8" };

const worlds = new Map();
const worldOf = (token) => {
  if (!worlds.has(token)) {
    const scenario = token.split(".")[0];
    worlds.set(token, {
      scenario,
      sessionId: `s-${token}`,
      quotes: 0,
      placed: 0,
      paid: 0,
      lookups: 0,
    });
  }
  return worlds.get(token);
};

const session = (world) => ({
  sessionId: world.sessionId,
  status: world.order ? "expired" : "active",
  environment: world.scenario === "prod" ? "prod" : "dev",
  expiresAt: Math.floor(Date.now() / 1000) + 1800,
  scope: ["merchant.read", "order.read"],
  merchant: {
    name: "Northwind Tea",
    logoUrl: null,
    primaryColor: world.scenario === "coloured" ? "#0a6b4b" : null,
  },
  operationTypes: ["B"],
  countryCode: "DE",
  defaults: { baseCurrency: "EUR", targetCurrency: "BTC" },
  lock: world.scenario === "locked" ? LOCK : {},
  customer: {},
  returnUrl: null,
  locale: null,
  orderId: world.order?.orderId ?? null,
  testCards: TEST_CARDS,
});
const LOCK = {
  baseCurrency: "EUR",
  baseAmount: 100,
  targetCurrency: "BTC",
  paymentMethod: "card",
  walletAddress: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
};

const USED = { error: 409, code: "SESSION_EXPIRED", message: "used" };
const DOWN = { error: 500, code: "INTERNAL_ERROR", message: "down" };

async function respond(world, request) {
  const { method, path, query, body } = request;
  if (path === "/session") return readSession(world);
  if (path === "/currencies") return CURRENCIES;
  if (path === "/payment-methods") return METHODS;
  if (path === "/wallets/lookup") return lookUp(query);
  if (path === "/quotes") {
    if (world.scenario === "slowquote") await sleep(4000);
    if (world.scenario === "noquote") return DOWN;
    const quote = makeQuote(world, body);
    if (!quote.error) world.quote = quote;
    return quote;
  }
  if (path === "/orders" && method === "POST") return place(world, body);
  if (path.endsWith("/payments")) {
    world.paid += 1;
    if (world.scenario === "lostpay" && world.paid === 1) return "cut";
    payOrder(world, body);
    if (world.scenario === "cutpay") return "cut";
    return world.order;
  }
  if (path.startsWith("/orders/")) return advance(world) ?? { error: 404, code: "NOT_FOUND" };
  return { error: 404, code: "NOT_FOUND", message: "" };
}

async function readSession(world) {
  if (world.scenario === "slowboot") await sleep(60_000);
  if (world.scenario === "expired") return { error: 401, code: "TOKEN_EXPIRED" };
  if (world.scenario === "invalid") return { error: 401, code: "TOKEN_INVALID" };
  if (world.scenario === "downboot" && !world.failed) {
    world.failed = true;
    return DOWN;
  }
  return session(world);
}

async function place(world, body) {
  if (world.scenario === "usedonplace" || world.order) {
    if (!world.order) {
      world.quote = { ...world.quote, quoteId: "of-another-window" };
      placeOrder(world, { walletAddress: "other" });
    }
    return USED;
  }
  if (world.scenario === "slowplace") await sleep(7000);
  if (world.scenario === "requote" && !world.requoted) {
    world.requoted = true;
    const quote = {
      ...world.quote,
      quoteId: "fresh",
      expiresAt: Math.floor(Date.now() / 1000) + 30,
    };
    world.quote = quote;
    return { error: 409, code: "QUOTE_EXPIRED", message: "", quote };
  }
  if (world.scenario === "cutbefore" && !world.cut) {
    world.cut = true;
    return "cut";
  }
  world.quote = { ...world.quote, quoteId: body.quoteId };
  placeOrder(world, body);
  if (world.scenario === "cutafter") return "cut";
  return { created: world.order };
}

function lookUp({ walletAddress, networkCode }) {
  const none = {
    success: false,
    message: "",
    wallet: null,
    availableNetworks: [],
    requiresNetworkCode: false,
  };
  const networks = walletAddress.startsWith("T")
    ? ["tron"]
    : walletAddress.startsWith("0x")
      ? ["ethereum", "tron"]
      : walletAddress.startsWith("bc1q") && walletAddress.length === 42
        ? ["bitcoin"]
        : walletAddress.startsWith("r") || walletAddress.startsWith("G")
          ? [networkCode]
          : [];
  if (networks.includes(networkCode))
    return { ...none, success: true, availableNetworks: networks };
  if (!networkCode && networks.length > 1)
    return { ...none, availableNetworks: networks, requiresNetworkCode: true };
  return { ...none, availableNetworks: networks };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const service = createServer(async (request, response) => {
  const url = new URL(request.url, "http://service");
  if (url.pathname.startsWith("/v1/checkout")) return answer(request, response, url);
  if (url.pathname === "/mock/worlds") return send(response, 200, Object.fromEntries(worlds));
  if (url.pathname === "/mock/challenge") return serveChallenge(request, response);
  if (url.pathname === "/mock/challenge/done") {
    for (const world of worlds.values()) world.challenged = true;
    return serveChallenge(request, response);
  }
  const name =
    url.pathname === "/checkout" ? "index.html" : normalize(url.pathname.replace("/checkout/", ""));
  try {
    const content = await readFile(join(dist, name));
    response.writeHead(200, {
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "content-security-policy": POLICY,
    });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
});

function serveChallenge(_, response) {
  response.writeHead(200, { "content-type": TYPES[".html"] });
  response.end(
    `<!doctype html><html lang="en"><title>Bank</title><main><h1>Demo bank</h1><p>Pay Northwind Tea?</p><form action="/mock/challenge/done"><button>Approve</button></form></main></html>`,
  );
}

async function answer(request, response, url) {
  const token = (request.headers.authorization ?? "").replace("Bearer ", "");
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const result = await respond(worldOf(token), {
    method: request.method,
    path: url.pathname.replace("/v1/checkout", ""),
    query: Object.fromEntries(url.searchParams),
    body: text ? JSON.parse(text) : undefined,
  });
  if (result === "cut") return cut(response);
  if (result.error) {
    const { error, ...body } = result;
    return send(response, error, body);
  }
  if (result.created)
    return send(response, 201, { success: true, code: "ok", data: result.created });
  return send(response, 200, { success: true, code: "ok", data: result });
}

// A part of an answer, then nothing: a browser does not repeat such a request by itself.
function cut(response) {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  response.write("{");
  setTimeout(() => response.destroy(), 50);
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const shop = createServer(async (request, response) => {
  const script = request.url === "/host.js";
  const file = new URL(script ? "mock-host.js" : "mock-host.html", import.meta.url);
  response.writeHead(200, { "content-type": script ? TYPES[".js"] : TYPES[".html"] });
  response.end(
    (await readFile(file, "utf8")).replaceAll("{{service}}", `http://127.0.0.1:${port}`),
  );
});

service.listen(port, "127.0.0.1");
shop.listen(port + 1, "localhost", () => console.log(`shop ${shopOrigin}`));
