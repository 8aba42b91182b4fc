import { randomUUID } from "node:crypto";
import { ExchangeError } from "@exchange/node";
import type { FastifyReply, FastifyRequest } from "fastify";
import { browserOf } from "./browser-cookie.ts";
import type { ShopParts } from "./settings.ts";

export const CHECKOUT_SCHEMA = {
  body: {
    type: "object",
    properties: { productId: { type: "string" }, sessionId: { type: "string" } },
  },
} as const;

interface CheckoutBody {
  readonly productId?: string;
  /** Sent by the example that uses a session again. */
  readonly sessionId?: string;
}

const UNAVAILABLE = {
  code: "CHECKOUT_UNAVAILABLE",
  message: "Checkout is not available right now. Please try again in a moment.",
};

// #region checkout
/**
 * `POST /api/checkout`: creates the public token of one session for the page. The API key stays on
 * this server; the token may go to the browser.
 */
export function startCheckout(parts: ShopParts, expiresIn?: number) {
  const { exchange, purchases, products, settings } = parts;
  return async (request: FastifyRequest<{ Body: CheckoutBody }>, reply: FastifyReply) => {
    const { body } = request;
    const browser = browserOf(request, settings);
    // A session is used again only in the browser that began it.
    const earlier = purchases.findIn(browser.id, body.sessionId ?? "");
    const product = earlier?.product ?? products.find(({ id }) => id === body.productId);
    if (product === undefined) return reply.code(400).send({ message: "Choose a product." });
    // One session for each purchase attempt. It ends with the order that is placed in it.
    const sessionId = earlier?.sessionId ?? `shop-${randomUUID()}`;
    try {
      const { accessToken } = await exchange.publicTokens.create({
        sessionId,
        expiresIn,
        // Fixes what is sold: nothing that a browser changes can change the price.
        lock: product.lock,
        metadata: { productId: product.id },
      });
      if (earlier === undefined) purchases.add({ sessionId, product, browserId: browser.id });
      reply.header("set-cookie", browser.setCookie);
      return reply.code(201).send({ sessionId, token: accessToken });
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      // The one refusal that a customer can do something about: a new purchase has a new session.
      if (error.code === "SESSION_ALREADY_USED") return reply.code(409).send(error.body);
      console.error("shop:", error.message);
      return reply.code(502).send(UNAVAILABLE);
    }
  };
}
// #endregion
