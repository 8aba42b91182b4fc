import { setTimeout as sleep } from "node:timers/promises";
import { type CheckoutParts, startCheckout } from "../checkout-route.ts";
import { type Handler, sendJson } from "../http.ts";

const SLOW_MS = 4_000;
/** The least that Exchange gives. */
const SHORT_SECONDS = 60;

/** Servers that are slow, refuse, or gave a token long ago: for the examples only. */
export function troubleRoutes(parts: CheckoutParts): ReadonlyMap<string, Handler> {
  const checkOut = startCheckout(parts);
  return new Map<string, Handler>([
    ["POST /api/examples/short-token", startCheckout({ ...parts, expiresIn: SHORT_SECONDS })],
    [
      "POST /api/examples/slow-token",
      async (request, response) => {
        await sleep(SLOW_MS);
        await checkOut(request, response);
      },
    ],
    [
      "POST /api/examples/failing-token",
      (_request, response) =>
        sendJson(response, 503, { message: "The shop cannot start a checkout right now." }),
    ],
  ]);
}
