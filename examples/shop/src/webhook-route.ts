import type { Handler } from "./http.ts";
import { readBody, sendJson } from "./http.ts";
import type { LiveView } from "./live-view.ts";
import type { Purchases } from "./purchases.ts";
import { verifyWebhook } from "./webhook-signature.ts";

export interface WebhookRouteParts {
  readonly secret: string;
  readonly purchases: Purchases;
  readonly live: LiveView;
}

/** `POST /webhooks`: 400 for what cannot be trusted; 200 at once for what can, first time or not. */
export function receiveWebhook({ secret, purchases, live }: WebhookRouteParts): Handler {
  return async (request, response) => {
    const rawBody = await readBody(request);
    const now = Math.floor(Date.now() / 1000);
    const verification = verifyWebhook(secret, { headers: request.headers, rawBody, now });
    if (!verification.ok) {
      const { reason } = verification;
      const unknown = { eventType: "Rejected", orderId: null, sessionId: null, sentAt: null };
      live.show({ ...unknown, signature: "invalid", note: reason });
      return sendJson(response, 400, { message: `The webhook was rejected: ${reason}.` });
    }
    const { webhook } = verification;
    const { eventType, sessionId, sentAt, details } = webhook;
    // This is quick. Give longer work to a queue, and answer first.
    const note = purchases.apply(webhook);
    sendJson(response, 200, { received: true });
    const { orderId } = details;
    live.show({ eventType, orderId, sessionId, sentAt, signature: "valid", note });
  };
}
