import { webhooks } from "@exchange/node";

/** Sends your receiver a signed sample webhook. Returns the status of its answer. */
export async function sendTestWebhook(url: string, secret: string): Promise<number> {
  const payload = webhooks.testPayload("OrderFulfillment", { sessionId: "cart-1042" });
  const { body, headers } = webhooks.signForTest({ secret, payload });
  const response = await fetch(url, { method: "POST", body, headers });
  return response.status;
}
