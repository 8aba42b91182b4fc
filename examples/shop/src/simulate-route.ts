import { payInSandbox } from "./exchange-client.ts";
import { type Handler, readBody, readJson, sendJson } from "./http.ts";
import type { Purchases } from "./purchases.ts";
import type { Settings } from "./settings.ts";

/**
 * `POST /api/simulate-payment`: makes the bank transfer or the coins of a purchase arrive, which
 * nobody really sends in a sandbox. A real shop has no such route.
 */
export function simulatePayment(settings: Settings, purchases: Purchases): Handler {
  return async (request, response) => {
    const { sessionId } = readJson(await readBody(request));
    const purchase = typeof sessionId === "string" ? purchases.find(sessionId) : undefined;
    const orderId = purchase?.orderId;
    if (settings.environment === "prod" || orderId === undefined) {
      return sendJson(response, 404, { message: "There is no order to pay for." });
    }
    const paid = await payInSandbox(settings, orderId);
    if (paid) return sendJson(response, 202, { orderId });
    sendJson(response, 409, { message: "This order is not waiting for a payment." });
  };
}
