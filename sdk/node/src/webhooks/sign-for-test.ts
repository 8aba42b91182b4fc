import { randomUUID } from "node:crypto";
import type { WebhookEventType, WebhookPayload } from "../generated/types.ts";
import { readPayload } from "./payload.ts";
import { readSecrets } from "./secrets.ts";
import { documentedSignature, standardSignature } from "./signatures.ts";

export interface TestWebhook {
  /** The endpoint's secret. Of several, as during a rotation, the first is the current one. */
  readonly secret: string | readonly string[];
  /** The result of `testPayload`, or JSON text of your own. */
  readonly payload: WebhookPayload | string;
  /** Default: a random UUID. */
  readonly id?: string | undefined;
  /** Default: now. */
  readonly sentAt?: Date | undefined;
  /** Default: 1. */
  readonly attempt?: number | undefined;
}

/** A request like one of the service. */
export interface SignedTestWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs a webhook as the service does, for the tests of your receiver. */
export function signForTest(webhook: TestWebhook): SignedTestWebhook {
  const { payload, id = randomUUID(), sentAt = new Date(), attempt = 1 } = webhook;
  const keys = readSecrets(webhook.secret);
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const bytes = Buffer.from(body, "utf8");
  const { eventType, details } = readPayload(bytes);
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const documented = { id, timestamp, eventType, orderId: details.orderId };
  const [first] = keys.map((key) => documentedSignature(key.documented, documented));
  return {
    body,
    headers: {
      "content-type": "application/json",
      "x-webhook-id": id,
      "x-webhook-timestamp": timestamp,
      "x-webhook-signature": first ?? "",
      "x-webhook-attempt": String(attempt),
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": keys
        .map(({ standard }) => standardSignature(standard, { id, timestamp, body: bytes }))
        .join(" "),
    },
  };
}

/** Returns the body of a webhook about one purchase. Your own values replace the defaults. */
export function testPayload(
  eventType: WebhookEventType,
  own: {
    readonly sessionId?: string | undefined;
    readonly details?: Partial<WebhookPayload["details"]> | undefined;
  } = {},
): WebhookPayload {
  const isFulfilled = eventType === "OrderFulfillment";
  return {
    eventType,
    sessionId: own.sessionId ?? "test-session",
    details: {
      orderId: 1_785_392_000_042,
      status: isFulfilled ? "completed" : "awaiting_payment",
      paymentMethod: "Credit or debit card",
      fulfilled: isFulfilled,
      totalPrice: 100,
      totalPriceCurrency: "CAD",
      exchangeDetails: {
        baseCurrency: "CAD",
        amountReceived: 100,
        targetCurrency: "BTC",
        amountToSend: 0.00105,
        operationType: "B",
      },
      ...own.details,
    },
  };
}
