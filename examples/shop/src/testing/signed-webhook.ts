import { createHmac, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";

export const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
export const OTHER_SECRET = `whsec_${Buffer.from("another secret, 32 bytes long...").toString("base64")}`;

export interface Sent {
  readonly sessionId: string;
  readonly eventType?: string;
  readonly secret?: string;
  readonly ageSeconds?: number;
  readonly id?: string;
  readonly details?: Record<string, unknown>;
}

export interface SignedWebhook {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Signs as the service does: documented and standard. */
export function signedWebhook({
  sessionId,
  eventType = "OrderFulfillment",
  ...sent
}: Sent): SignedWebhook {
  const { secret = SECRET, ageSeconds = 0, id = randomUUID() } = sent;
  const details = {
    orderId: 4200017,
    status: "completed",
    paymentMethod: "Card",
    fulfilled: eventType === "OrderFulfillment",
    totalPrice: 100,
    totalPriceCurrency: "EUR",
    ...sent.details,
  };
  const body = JSON.stringify({ eventType, sessionId, details });
  const sentAt = new Date(Date.now() - ageSeconds * 1_000);
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signature = createHmac("sha256", secret)
    .update(`${id}.${timestamp}.${eventType}.${details.orderId}`)
    .digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-webhook-id": id,
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": signature,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
  return { method: "POST", headers, body };
}
