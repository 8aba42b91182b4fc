import { readFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { startCheckout } from "./checkout-route.ts";
import { BodyTooLarge, type Handler, send, sendJson } from "./http.ts";
import { LiveView } from "./live-view.ts";
import { renderPage } from "./page.ts";
import { describe } from "./products.ts";
import { type Purchase, Purchases } from "./purchases.ts";
import type { Settings } from "./settings.ts";
import { simulatePayment } from "./simulate-route.ts";
import { receiveWebhook } from "./webhook-route.ts";

const asset = (path: string): Buffer => readFileSync(new URL(path, import.meta.url));
const ASSETS = new Map([
  ["/shop.css", { type: "text/css", body: asset("../public/shop.css") }],
  ["/shop.js", { type: "text/javascript", body: asset("../dist/page/shop-page.js") }],
]);

/** The whole shop as one request handler for `node:http`. */
export function makeShop(settings: Settings): RequestListener {
  const purchases = new Purchases();
  const live = new LiveView();
  const page = renderPage(settings);
  const exchangeOrigin = new URL(settings.exchangeUrl).origin;

  const checkOut = startCheckout(settings, purchases);
  const simulate = simulatePayment(settings, purchases);
  const receive = receiveWebhook({ secret: settings.webhookSecret, purchases, live });

  const route: Handler = async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://shop.invalid");
    const file = ASSETS.get(pathname);
    const [, sessionId] = /^\/api\/purchases\/([\w.:-]{1,128})$/.exec(pathname) ?? [];
    const asked = `${request.method} ${pathname}`;
    if (asked === "GET /") return send(response, "text/html", page);
    if (file !== undefined && request.method === "GET") {
      return send(response, file.type, file.body);
    }
    if (asked === "GET /api/live") return live.join(response);
    if (asked === "POST /webhooks") return receive(request, response);
    if (asked === "POST /api/checkout") return checkOut(request, response);
    if (asked === "POST /api/simulate-payment") return simulate(request, response);
    if (request.method === "GET" && sessionId !== undefined) {
      const purchase = purchases.find(sessionId);
      if (purchase !== undefined) return sendJson(response, 200, present(purchase));
    }
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

const present = ({ sessionId, product, status, orderId }: Purchase) => ({
  sessionId,
  productId: product.id,
  product: describe(product),
  status,
  orderId: orderId ?? null,
});

/** Only our own files, the exchange.js script and the checkout's frame. Nothing inline. */
function setSecurityHeaders(response: ServerResponse, exchangeOrigin: string): void {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${exchangeOrigin}`,
    `frame-src ${exchangeOrigin}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  response.setHeader("content-security-policy", policy.join("; "));
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "strict-origin-when-cross-origin");
}
