import { webhooks } from "@exchange/node";

/** Sends your receiver what the service would send. Gives the status it answers with. */
export async function sendTestWebhook(url: string, secret: string): Promise<number> {
  const payload = webhooks.testPayload("OrderFulfillment", { sessionId: "cart-1042" });
  const { body, headers } = webhooks.signForTest({ secret, payload });
  const response = await fetch(url, { method: "POST", body, headers });
  return response.status;
}
