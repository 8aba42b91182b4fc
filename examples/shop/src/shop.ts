import type { RequestListener, ServerResponse } from "node:http";
import { startCheckout } from "./checkout-route.ts";
import { LiveView } from "./demo/live-view.ts";
import { demoPages } from "./demo/pages.ts";
import { troubleRoutes } from "./demo/trouble-routes.ts";
import { offeredProducts } from "./demo/variants.ts";
import { BodyTooLarge, type Handler, sendJson } from "./http.ts";
import { Purchases, presentPurchase } from "./purchases.ts";
import { contentSecurityPolicy } from "./security-policy.ts";
import type { Settings } from "./settings.ts";
import { simulatePayment } from "./simulate-route.ts";
import { receiveWebhook } from "./webhook-route.ts";

/** The whole shop as one request handler for `node:http`. */
export function makeShop(settings: Settings): RequestListener {
  const purchases = new Purchases();
  const live = new LiveView();
  const exchangeOrigin = new URL(settings.exchangeUrl).origin;
  const parts = { settings, purchases, products: offeredProducts() };

  const routes = new Map<string, Handler>([
    ["POST /webhooks", receiveWebhook({ secret: settings.webhookSecret, purchases, live })],
    ["POST /api/checkout", startCheckout(parts)],
    ["POST /api/simulate-payment", simulatePayment(settings, purchases)],
    [
      "GET /api/live",
      (request, response) => live.join(response, Number(request.headers["last-event-id"] ?? 0)),
    ],
    ...troubleRoutes(parts),
    ...demoPages(settings),
  ]);

  const route: Handler = async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://shop.invalid");
    const handler = routes.get(`${request.method} ${pathname}`);
    if (handler !== undefined) return handler(request, response);
    const [, sessionId = ""] = /^\/api\/purchases\/([\w.:-]{1,128})$/.exec(pathname) ?? [];
    const purchase = request.method === "GET" ? purchases.find(sessionId) : undefined;
    if (purchase !== undefined) return sendJson(response, 200, presentPurchase(purchase));
    sendJson(response, 404, { message: "There is nothing here." });
  };

  return async (request, response) => {
    setSecurityHeaders(response, exchangeOrigin);
    try {
      await route(request, response);
    } catch (error) {
      const isTooLarge = error instanceof BodyTooLarge;
      if (!isTooLarge) console.error("shop:", error);
      if (response.headersSent) response.destroy();
      else sendJson(response, isTooLarge ? 413 : 500, { message: "That did not work." });
    }
  };
}

function setSecurityHeaders(response: ServerResponse, exchangeOrigin: string): void {
  response.setHeader("content-security-policy", contentSecurityPolicy({ exchangeOrigin }));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "strict-origin-when-cross-origin");
}
