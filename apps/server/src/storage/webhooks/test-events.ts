import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement } from "../postgres/database.ts";
import type { EndpointKey } from "./endpoints.ts";
import { WEBHOOKS_DUE_CHANNEL } from "./outbox.ts";
import { insertPending, PENDING_COLUMNS } from "./pending-deliveries.ts";

/** The order id of test events. No order has this id. */
export const TEST_ORDER_ID = 0n;

const RECORD_TEST = statement(
  "webhook_tests_record",
  `with event as (
     insert into events (merchant_id, order_id, event_type, payload, is_test)
     select merchant_id, ${TEST_ORDER_ID}, $3, $4, true from webhook_endpoints
     where merchant_id = $1 and id = $2 and state = 'active'
     returning id, merchant_id, order_id, sequence
   ), delivery as (
     insert into deliveries (merchant_id, event_id, endpoint_id, order_id, sequence)
     select merchant_id, id, $2, order_id, sequence from event
     returning ${PENDING_COLUMNS}
   ), pending as (
     ${insertPending("delivery", "true")}
   ), notified as (
     select pg_notify('${WEBHOOKS_DUE_CHANNEL}', '') from delivery
   )
   select id from delivery, notified`,
);

/**
 * Writes a test event and its delivery to one endpoint. One test does not wait for another. Returns the
 * delivery's id, or undefined when the endpoint is not active.
 */
export async function recordTestEvent(
  queryable: Queryable,
  test: EndpointKey & { readonly eventType: WebhookEventType; readonly payload: string },
): Promise<string | undefined> {
  const { merchantId, endpointId, eventType, payload } = test;
  const values = [merchantId, endpointId, eventType, payload];
  const [row] = await queryable.query<{ id: string }>(RECORD_TEST, values);
  return row?.id;
}
