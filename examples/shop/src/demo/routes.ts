import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fastifyStatic } from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";
import { CHECKOUT_SCHEMA, startCheckout } from "../checkout-route.ts";
import { renderReturnPage } from "../return-page.ts";
import { contentSecurityPolicy } from "../security-policy.ts";
import type { Settings, ShopParts } from "../settings.ts";
import { EXAMPLES, type Example } from "./examples.ts";
import { type PinnedScript, renderExample, renderIndex } from "./pages.ts";

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Pages, files, the event log, and servers that misbehave. A real shop has no use for this file. */
export async function demoRoutes(shop: FastifyInstance, parts: ShopParts) {
  shop.register(fastifyStatic, { root: folder("../../public/") });
  shop.register(fastifyStatic, {
    root: folder("../../dist/page/"),
    prefix: "/page/",
    decorateReply: false,
  });
  for (const example of EXAMPLES) shop.get(example.path, servePage(example, parts.settings));
  shop.get("/examples", async (_request, reply) => sendPage(reply, renderIndex(parts.settings)));
  shop.get("/return", async ({ query }, reply) =>
    sendPage(reply, renderReturnPage(parts.settings, query as Record<string, unknown>)),
  );
  shop.get("/api/live", async ({ headers, query }, reply) => {
    // A browser that connects again by itself sends the header, and a page that is seen again the parameter.
    const { after = 0 } = query as { after?: string };
    const lastEventId = Number(headers["last-event-id"] ?? after);
    return reply.type("text/event-stream").send(parts.live.join(lastEventId));
  });
  misbehavingRoutes(shop, parts);
}

const sendPage = (reply: FastifyReply, page: string): FastifyReply =>
  reply.type("text/html; charset=utf-8").header("cache-control", "no-cache").send(page);

const SLOW_MS = 4_000;
/** The shortest lifetime that Exchange accepts. */
const SHORT_SECONDS = 60;

function misbehavingRoutes(shop: FastifyInstance, parts: ShopParts): void {
  const schema = { schema: CHECKOUT_SCHEMA };
  shop.post("/api/examples/short-token", schema, startCheckout(parts, SHORT_SECONDS));
  const slow = { ...schema, preHandler: async () => sleep(SLOW_MS) };
  shop.post("/api/examples/slow-token", slow, startCheckout(parts));
  shop.post("/api/examples/failing-token", async (_request, reply) =>
    reply.code(503).send({ message: "The shop cannot start a checkout right now." }),
  );
}

function servePage(example: Example, settings: Settings) {
  if (example.hasNonce) return servePageWithNonce(example, settings);
  if (example.opening === "pinned") return servePinnedPage(example, settings);
  const page = renderExample(example, settings, {});
  return async (_request: unknown, reply: FastifyReply) => sendPage(reply, page);
}

function servePageWithNonce(example: Example, settings: Settings) {
  const exchangeOrigin = new URL(settings.exchangeUrl).origin;
  return async (_request: unknown, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString("base64");
    reply.header("content-security-policy", contentSecurityPolicy({ exchangeOrigin, nonce }));
    return sendPage(reply, renderExample(example, settings, { nonce }));
  };
}

/**
 * A real shop looks up address and hash of the script once, tries that version, and writes both into
 * its pages. This page asks for the current version each time, so that the example stays up to date.
 */
const servePinnedPage =
  (example: Example, settings: Settings) => async (_request: unknown, reply: FastifyReply) => {
    const response = await fetch(`${settings.exchangeUrl}/sdk/exchange.json`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    if (!response?.ok) {
      return reply.code(502).send({ message: "Exchange does not say what script it serves." });
    }
    const pinned = (await response.json()) as PinnedScript;
    return sendPage(reply, renderExample(example, settings, { pinned }));
  };
