import { statement, type Tx } from "../../storage/postgres/database.ts";
import {
  eventParts,
  type OutboxEvent,
  WEBHOOKS_DUE_CHANNEL,
} from "../../storage/webhooks/outbox.ts";

const RECORD_EVENT = statement(
  "outbox_record_event",
  `with told (id, merchant_id, order_id, event_type, payload) as (
     values (ordered_uuid(), $1::text, $2::bigint, $3::text, $4::text)), ${eventParts("told").join(", ")}
   select`,
);

/**
 * Writes the event, and a delivery for each endpoint of the merchant that subscribed to its type,
 * in the database transaction of the change that the event reports.
 */
export async function recordEvent(tx: Tx, event: OutboxEvent): Promise<void> {
  await tx.write(RECORD_EVENT, [event.merchantId, event.orderId, event.eventType, event.payload]);
  tx.hint(WEBHOOKS_DUE_CHANNEL);
}
