import { randomUUID } from "node:crypto";
import { createPublicToken } from "./exchange-client.ts";
import { type Handler, readBody, readJson, sendJson } from "./http.ts";
import type { Product } from "./products.ts";
import type { Purchases } from "./purchases.ts";
import type { Settings } from "./settings.ts";

export interface CheckoutParts {
  readonly settings: Settings;
  readonly purchases: Purchases;
  readonly products: readonly Product[];
  readonly expiresIn?: number;
}

// #region checkout
/**
 * `POST /api/checkout`: a public token for the page, for a new session or, to show what happens then,
 * for one that was used before.
 */
export function startCheckout({
  settings,
  purchases,
  products,
  expiresIn,
}: CheckoutParts): Handler {
  return async (request, response) => {
    const body = readJson(await readBody(request));
    const asked = body["sessionId"];
    const known = typeof asked === "string" ? purchases.find(asked) : undefined;
    const product = known?.product ?? products.find(({ id }) => id === body["productId"]);
    if (product === undefined) return sendJson(response, 400, { message: "Choose a product." });
    // One session for each purchase attempt. It ends with the order that is placed in it.
    const sessionId = known?.sessionId ?? `shop-${randomUUID()}`;
    const answer = await createPublicToken(settings, { sessionId, product, expiresIn });
    if (!answer.ok) {
      const status = answer.code === "SESSION_ALREADY_USED" ? 409 : 502;
      return sendJson(response, status, { code: answer.code, message: answer.message });
    }
    if (known === undefined) purchases.add(sessionId, product);
    sendJson(response, 201, { sessionId, token: answer.token });
  };
}
// #endregion
