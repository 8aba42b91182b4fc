import { WebhookError, webhooks } from "@exchange/node";
import type { FastifyInstance } from "fastify";
import type { ShopParts } from "./settings.ts";

// #region webhook
/** `POST /webhooks`: 400 for a webhook that cannot be trusted; 200 at once for any other. */
export async function webhookRoute(
  shop: FastifyInstance,
  { settings, purchases, live }: ShopParts,
) {
  // The signature covers the bytes as they came: no parser may touch the body before.
  shop.removeAllContentTypeParsers();
  shop.addContentTypeParser("*", { parseAs: "buffer" }, async (_: unknown, body: Buffer) => body);

  shop.post<{ Body: Buffer }>("/webhooks", async ({ body, headers }, reply) => {
    try {
      const secret = settings.webhookSecrets;
      const webhook = webhooks.verify({ body, headers, secret, scheme: "both" });
      // This is quick. Give longer work to a queue, and answer first.
      const effect = purchases.apply(webhook);
      live.showVerified(webhook, effect);
      return { received: true };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      live.showRejected(headers["x-webhook-id"], error.reason);
      return reply.code(400).send({ message: `The webhook was rejected: ${error.reason}.` });
    }
  });
}
// #endregion
