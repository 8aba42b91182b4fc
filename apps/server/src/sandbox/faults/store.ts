import type { WebhookEventType, WebhookFaultKind } from "@exchange/contract";
import { type Queryable, statement } from "../../storage/postgres/database.ts";

/** A fault that the sandbox plants into a merchant's next webhooks. */
export interface WebhookFault {
  readonly id: string;
  readonly kind: WebhookFaultKind;
  readonly endpointId: string | null;
  readonly eventType: WebhookEventType | null;
  readonly delaySeconds: number | null;
  readonly deliveriesLeft: number;
  readonly createdAt: Date;
}

export type NewWebhookFault = Omit<WebhookFault, "createdAt"> & { readonly merchantId: string };

const COLUMNS = `id, kind, endpoint_id as "endpointId", event_type as "eventType",
  delay_seconds as "delaySeconds", deliveries_left as "deliveriesLeft", created_at as "createdAt"`;

const INSERT = statement(
  "webhook_faults_insert",
  `insert into sandbox.webhook_faults
     (merchant_id, id, kind, endpoint_id, event_type, delay_seconds, deliveries_left)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
);

const LIST = statement(
  "webhook_faults_list",
  `select ${COLUMNS} from sandbox.webhook_faults
   where merchant_id = $1 and deliveries_left > 0 order by number`,
);

const CLEAR = statement(
  "webhook_faults_clear",
  "delete from sandbox.webhook_faults where merchant_id = $1",
);

// Takes the oldest fault that fits. A second worker waits for the first, and takes one of the deliveries that are left.
const TAKE = statement(
  "webhook_faults_take",
  `update sandbox.webhook_faults set deliveries_left = deliveries_left - 1
   where merchant_id = $1 and deliveries_left > 0 and id = (
     select id from sandbox.webhook_faults
     where merchant_id = $1 and deliveries_left > 0
       and (endpoint_id is null or endpoint_id = $2) and (event_type is null or event_type = $3)
     order by number limit 1 for update)
   returning ${COLUMNS}`,
);

const MERCHANTS = statement(
  "webhook_faults_merchants",
  `select distinct merchant_id from sandbox.webhook_faults
   where merchant_id = any($1::text[]) and deliveries_left > 0`,
);

/** Returns those of the merchants that have a fault with deliveries left to hit. */
export async function merchantsWithFaults(
  queryable: Queryable,
  merchantIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ merchant_id: string }>(MERCHANTS, [merchantIds]);
  return new Set(rows.map((row) => row.merchant_id));
}

export async function insertWebhookFault(
  queryable: Queryable,
  fault: NewWebhookFault,
): Promise<WebhookFault | undefined> {
  const [row] = await queryable.query<WebhookFault>(INSERT, [
    fault.merchantId,
    fault.id,
    fault.kind,
    fault.endpointId,
    fault.eventType,
    fault.delaySeconds,
    fault.deliveriesLeft,
  ]);
  return row;
}

/** Returns the faults with deliveries left to hit, oldest first. */
export const listWebhookFaults = (
  queryable: Queryable,
  merchantId: string,
): Promise<WebhookFault[]> => queryable.query<WebhookFault>(LIST, [merchantId]);

export async function clearWebhookFaults(queryable: Queryable, merchantId: string): Promise<void> {
  await queryable.query(CLEAR, [merchantId]);
}

/** Uses up one delivery of the fault that hits this delivery; returns undefined if there is none. */
export async function takeWebhookFault(
  queryable: Queryable,
  delivery: {
    readonly merchantId: string;
    readonly endpointId: string;
    readonly eventType: WebhookEventType;
  },
): Promise<WebhookFault | undefined> {
  const { merchantId, endpointId, eventType } = delivery;
  const [fault] = await queryable.query<WebhookFault>(TAKE, [merchantId, endpointId, eventType]);
  return fault;
}
