import { createExchange } from "@exchange/node";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { CHECKOUT_SCHEMA, startCheckout } from "./checkout-route.ts";
import { EXAMPLES } from "./demo/examples.ts";
import { LiveView } from "./demo/live-view.ts";
import { demoRoutes } from "./demo/routes.ts";
import { purchaseRoutes } from "./purchase-routes.ts";
import { Purchases } from "./purchases.ts";
import { contentSecurityPolicy } from "./security-policy.ts";
import type { Settings, ShopParts } from "./settings.ts";
import { walletRoutes } from "./test-wallet/wallet-routes.ts";
import { webhookRoute } from "./webhook-route.ts";

const EXCHANGE_TIMEOUT_MS = 5_000;

/** The whole shop. It listens where its caller says. */
export function makeShop(settings: Settings): FastifyInstance {
  const { exchangeUrl: baseUrl, apiKey, clientId } = settings;
  const parts: ShopParts = {
    settings,
    exchange: createExchange({ baseUrl, apiKey, clientId, timeoutMs: EXCHANGE_TIMEOUT_MS }),
    purchases: new Purchases(),
    products: [...new Set(EXAMPLES.flatMap(({ shelf }) => shelf.products))],
    live: new LiveView(),
  };
  const shop = Fastify({
    bodyLimit: 64 * 1024,
    requestTimeout: 30_000,
    forceCloseConnections: true,
  });
  const policy = contentSecurityPolicy({ exchangeOrigin: new URL(baseUrl).origin });
  shop.addHook("onRequest", async (_request, reply) => {
    reply.headers({
      "cache-control": "no-store",
      "content-security-policy": policy,
      "referrer-policy": "strict-origin-when-cross-origin",
      "x-content-type-options": "nosniff",
    });
  });
  shop.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ message: "There is nothing here." }),
  );
  shop.setErrorHandler((error: FastifyError, _request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode >= 500) console.error("shop:", error);
    return reply.code(statusCode).send({ message: "That did not work." });
  });
  shop.post("/api/checkout", { schema: CHECKOUT_SCHEMA }, startCheckout(parts));
  shop.register(webhookRoute, parts);
  shop.register(purchaseRoutes, parts);
  shop.register(demoRoutes, parts);
  shop.register(walletRoutes, settings);
  return shop;
}
