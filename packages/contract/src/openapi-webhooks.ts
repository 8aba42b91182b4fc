import type { Json, SchemaBook } from "./openapi-schemas.ts";
import { WEBHOOK_EVENT_TYPES, type WebhookEventType, WebhookPayload } from "./webhooks.ts";

const SUMMARIES: Readonly<Record<WebhookEventType, string>> = {
  OrderCreated: "A new order has been created",
  OrderFulfillment: "An order has been fulfilled",
  OrderUpdated: "An order changed (only for endpoints that subscribe to it)",
  OrderRefunded: "An order was refunded (only for endpoints that subscribe to it)",
};

const DESCRIPTION =
  "Verify the signature before you use anything, reject webhooks older than 5 minutes, answer 200 at once and do the work afterwards. The same `X-Webhook-Id` may arrive again: handle it once.";

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const HEADERS: readonly Json[] = [
  header("X-Webhook-Id", "UUID of this event at this endpoint, the same on every attempt"),
  header("X-Webhook-Timestamp", "Unix time in seconds when sent"),
  header(
    "X-Webhook-Signature",
    "lower-case hex HMAC-SHA256 of `<id>.<timestamp>.<eventType>.<orderId>` with the whole secret as key",
  ),
  header("X-Webhook-Attempt", "1 for the first try"),
  header("webhook-id", "as Standard Webhooks names it"),
  header("webhook-timestamp", "as Standard Webhooks names it"),
  header(
    "webhook-signature",
    "`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>`, so it covers the exact bytes of the body",
  ),
];

/** The webhooks section: one operation for each event type, on the merchant's server. */
export const WEBHOOKS = (book: SchemaBook): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    WEBHOOK_EVENT_TYPES.map((eventType) => [eventType, { post: operation(eventType, book) }]),
  );

const operation = (eventType: WebhookEventType, book: SchemaBook): Json => ({
  operationId: `on${eventType}`,
  tags: ["Webhooks"],
  summary: SUMMARIES[eventType],
  description: DESCRIPTION,
  security: [],
  parameters: HEADERS,
  requestBody: {
    required: true,
    content: {
      "application/json": { schema: book.refer(WebhookPayload), example: example(eventType) },
    },
  },
  responses: {
    "2XX": { description: "Received. After any other status the delivery is retried." },
    "410": { description: "Gone: the endpoint is disabled." },
  },
});

const example = (eventType: WebhookEventType): Json => ({
  eventType,
  sessionId: "cart-1001",
  details: {
    orderId: 1_785_392_000_042,
    status: eventType === "OrderFulfillment" ? "completed" : "awaiting_payment",
    paymentMethod: "Credit or debit card",
    fulfilled: eventType === "OrderFulfillment",
    totalPrice: 100,
    totalPriceCurrency: "CAD",
    exchangeDetails: {
      baseCurrency: "CAD",
      amountReceived: 100,
      targetCurrency: "BTC",
      amountToSend: 0.00105,
      operationType: "B",
    },
  },
});
