import { type Static, Type } from "@sinclair/typebox";
import { OrderExchangeDetails, OrderStatus } from "./orders.ts";
import { literals, named } from "./schema.ts";
import { SessionId } from "./tokens.ts";

/** The two documented events, and two that an endpoint may subscribe to (completion, section 9). */
export const WEBHOOK_EVENT_TYPES = [
  "OrderCreated",
  "OrderFulfillment",
  "OrderUpdated",
  "OrderRefunded",
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

export const DOCUMENTED_EVENT_TYPES = [
  "OrderCreated",
  "OrderFulfillment",
] as const satisfies readonly WebhookEventType[];

export const WebhookPayload = named(
  "WebhookPayload",
  Type.Object({
    eventType: literals(WEBHOOK_EVENT_TYPES),
    sessionId: SessionId,
    details: Type.Object({
      orderId: Type.Integer(),
      status: OrderStatus,
      paymentMethod: Type.String(),
      fulfilled: Type.Boolean(),
      totalPrice: Type.Number(),
      totalPriceCurrency: Type.String(),
      exchangeDetails: OrderExchangeDetails,
    }),
  }),
);
export type WebhookPayload = Static<typeof WebhookPayload>;

/** The string that the documented signature covers (interface, "Signature rules", 1). */
export const documentedSigningString = (fields: {
  readonly webhookId: string;
  readonly timestamp: number;
  readonly eventType: string;
  readonly orderId: number | bigint;
}): string => `${fields.webhookId}.${fields.timestamp}.${fields.eventType}.${fields.orderId}`;

/**
 * The string that the Standard Webhooks signature covers. It contains the exact bytes of the body.
 */
export const standardSigningString = (fields: {
  readonly webhookId: string;
  readonly timestamp: number;
  readonly body: string;
}): string => `${fields.webhookId}.${fields.timestamp}.${fields.body}`;
