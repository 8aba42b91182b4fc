import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { CheckoutQuoteRequest, OperationType } from "@exchange/contract";
import {
  type CheckoutOpening,
  type CheckoutOptions,
  OPENING_ID,
  OPERATOR_ID,
} from "@exchange/contract/frame";
import { ROOT } from "../support/service/service.ts";
import { lookUp, NOW, ok, quoteFor, type Reply, session } from "./answers.ts";
import { CURRENCIES, methodsOf } from "./catalogue.ts";

const DIST = path.join(ROOT, "apps/checkout/dist");
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
};

/** A call of the checkout. */
export interface Call {
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Answers by endpoint, such as `POST /quotes`; numbers in an address are written `:id`. */
export type Answers = Readonly<Record<string, (call: Call) => Reply>>;

export interface Opening {
  readonly answers?: Answers;
  readonly options?: CheckoutOptions;
  /** How the page was opened; `page` is the page of an order, and `none` a link that somebody typed. */
  readonly by?: "redirect" | "popup" | "page" | "none";
  /** A script that runs before the checkout's own. */
  readonly script?: string;
  /** The operator that the service names in the page. */
  readonly operator?: object;
}

const USUAL: Answers = {
  "GET /session": () => ok(session()),
  "GET /currencies": () => ok(CURRENCIES),
  "GET /payment-methods": ({ query }) => ok(methodsOf(query.get("operationType") as OperationType)),
  "POST /quotes": ({ body }) => quoteFor(body as CheckoutQuoteRequest),
  "GET /wallets/lookup": ({ query }) =>
    lookUp(query.get("walletAddress") ?? "", query.get("networkCode")),
  "POST /cards": () => ok({ cardToken: "card_0001", brand: "Visa", lastFour: "2701" }),
};

/**
 * Disables the timer that renews a price after 25 s. On a busy machine it would fire within a scene, so that pictures and
 * counts of requests would not repeat.
 */
const HOLD_RENEWAL = `<script>{
  const start = window.setTimeout;
  window.setTimeout = (callback, after, ...values) => (after > 20000 ? 0 : start(callback, after, ...values));
}</script>`;

interface CheckoutSettings {
  /** HTML to add to the page's head. */
  readonly head?: string;
}

/** Serves the built checkout and a service that answers the same each time, so that pictures repeat. */
export async function startCheckout({ head = "" }: CheckoutSettings = {}) {
  let answers: Answers = USUAL;
  let page = "";
  const server = createServer(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://service");
    if (pathname === "/bank") return send(response, ".html", BANK);
    if (pathname === "/checkout" || pathname.startsWith("/o/"))
      return send(response, ".html", page);
    if (pathname.startsWith("/checkout/")) return sendFile(response, pathname);
    const place = pathname.replace("/v1/checkout", "").replace(/\/\d+/, "/:id");
    const call = { query, body: await readJson(request) };
    response.setHeader("date", NOW.toUTCString());
    reply(response, answers[`${request.method} ${place}`]?.(call) ?? "silence");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** Replaces some of the service's answers. */
    answer(changed: Answers): void {
      answers = { ...answers, ...changed };
    },
    /** Returns the address that opens the checkout for a scene. */
    addressFor(opening: Opening): string {
      answers = { ...USUAL, ...opening.answers };
      const built = readFileSync(path.join(DIST, "index.html"), "utf8");
      const script = opening.script === undefined ? "" : `<script>${opening.script}</script>`;
      const { operator } = opening;
      const named = operator ? dataElement(OPERATOR_ID, operator) : "";
      page = built.replace(
        "<head>",
        `<head>${HOLD_RENEWAL}${head}${script}${named}${openingElement(opening)}`,
      );
      const by = opening.by ?? "redirect";
      if (by === "page") return `${origin}/o/secret`;
      const fragment = by === "popup" ? "#i=0123456789abcdef&o=https://shop.example" : "";
      return `${origin}/checkout?clientId=shop&mode=${by}${fragment}`;
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The issuer's page for the 3-D Secure challenge. */
const BANK = `<!doctype html><html lang="en"><title>Bank</title><style>
body { margin: 24px; font: 16px sans-serif; color-scheme: light; background: #fff; color: #222 }
</style><h1>Demo bank</h1><p>Pay Northwind Tea?</p><button>Approve</button></html>`;

/** Returns the element in which the service passes the opening to the page. */
function openingElement({ by = "redirect", options = {} }: Opening): string {
  if (by === "none" || by === "page") return "";
  const opening: CheckoutOpening =
    by === "popup"
      ? { mode: by, origins: ["https://shop.example"] }
      : { mode: by, token: "token", returnUrl: "https://shop.example/", options };
  return dataElement(OPENING_ID, opening);
}

const dataElement = (id: string, data: object): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(data)}</script>`;

function sendFile(response: ServerResponse, pathname: string): void {
  const name = pathname.replace("/checkout/", "");
  response.setHeader("cache-control", "max-age=600");
  send(response, path.extname(name), readFileSync(path.join(DIST, name)));
}

function send(response: ServerResponse, extension: string, content: string | Buffer): void {
  response.setHeader("content-type", TYPES[extension] ?? "application/octet-stream");
  response.end(content);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}

function reply(response: ServerResponse, answer: Reply): void {
  if (answer === "silence") return;
  if (answer === "cut") {
    response.socket?.destroy();
    return;
  }
  if ("events" in answer) {
    const events = answer.events.map((data) => `event: order\ndata: ${JSON.stringify(data)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" }).end(events.join(""));
    return;
  }
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
}
