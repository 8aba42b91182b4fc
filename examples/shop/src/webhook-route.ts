import type { LiveView } from "./demo/live-view.ts";
import type { Handler } from "./http.ts";
import { readBody, sendJson } from "./http.ts";
import type { Purchases } from "./purchases.ts";
import { verifyWebhook } from "./webhook-signature.ts";

export interface WebhookRouteParts {
  readonly secret: string;
  readonly purchases: Purchases;
  readonly live: LiveView;
}

// #region webhook
/** `POST /webhooks`: 400 for what cannot be trusted; 200 at once for what can, first time or not. */
export function receiveWebhook({ secret, purchases, live }: WebhookRouteParts): Handler {
  return async (request, response) => {
    const { headers } = request;
    const rawBody = await readBody(request);
    const now = Math.floor(Date.now() / 1000);
    const verification = verifyWebhook(secret, { headers, rawBody, now });
    if (!verification.ok) {
      const { reason } = verification;
      live.show({ ...UNTRUSTED, id: String(headers["x-webhook-id"] ?? "") || null, note: reason });
      return sendJson(response, 400, { message: `The webhook was rejected: ${reason}.` });
    }
    const { webhook } = verification;
    // This is quick. Give longer work to a queue, and answer first.
    const note = purchases.apply(webhook);
    sendJson(response, 200, { received: true });
    live.show({ ...webhook, orderId: webhook.details.orderId, signature: "valid", note });
  };
}
// #endregion

const UNTRUSTED = {
  eventType: "Rejected",
  orderId: null,
  sessionId: null,
  signature: "invalid",
  sentAt: null,
  details: null,
} as const;
