import type { WebhookEventType } from "@exchange/contract";
import { insertPending, PENDING_COLUMNS } from "./pending-deliveries.ts";

/** An event of an order that the merchant is notified of. */
export interface OutboxEvent {
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly eventType: WebhookEventType;
  /** The exact JSON body. Every attempt signs and sends these bytes. */
  readonly payload: string;
}

/** The dispatchers listen on this channel. A notification is only a hint: they poll as well. */
export const WEBHOOKS_DUE_CHANNEL = "webhooks_due";

/**
 * Returns the id of an event: the order's nth arrival at a status. After a restore the same fact has the same id,
 * so receivers recognize a webhook that they have received already. `order` names a row of orders.
 */
export const eventId = (order: string, type: string, status: string, nth: string): string =>
  `derived_uuid(uuid_time(${order}.created_at),
     concat_ws(':', 'event', ${order}.merchant_id, ${order}.id, ${type}, ${status}, ${nth}))`;

/**
 * Returns parts of a `with` that write the events of a row source, and a delivery for each endpoint that
 * subscribed to their type. The delivery of a disabled endpoint waits until the endpoint is enabled.
 */
export const eventParts = (source: string): readonly string[] => [
  `event as (
     insert into events (id, merchant_id, order_id, event_type, payload)
     select id, merchant_id, order_id, event_type, payload from ${source}
     returning id, merchant_id, order_id, sequence, event_type)`,
  `delivery as (
     insert into deliveries (id, merchant_id, event_id, endpoint_id, order_id, sequence)
     select delivery_id(event.id, endpoint.id), event.merchant_id, event.id, endpoint.id, event.order_id, event.sequence
     from event
     join webhook_endpoints endpoint
       on endpoint.merchant_id = event.merchant_id
      and endpoint.state in ('active', 'disabled')
      and event.event_type = any(endpoint.event_types)
     returning ${PENDING_COLUMNS})`,
  `pending as (${insertPending("delivery")})`,
];
