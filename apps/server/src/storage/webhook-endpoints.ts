import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement } from "./database.ts";

export type WebhookEndpointState = "active" | "disabled" | "removed";
/** `gone`: it answered 410. `failing`: only failures for days. `operator`: switched off by hand. */
export type DisabledReason = "gone" | "failing" | "operator";

/** A merchant's URL for webhooks. Its secret never leaves storage in clear. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly state: WebhookEndpointState;
  /** The first failure since the last success. */
  readonly firstFailureAt: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: Date;
}

export interface NewWebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  /** Sealed for `webhookSecretPlace` of this row. */
  readonly secretSealed: Uint8Array;
}

export interface EndpointKey {
  readonly merchantId: string;
  readonly endpointId: string;
}

interface EndpointRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly url: string;
  readonly event_types: WebhookEventType[];
  readonly state: WebhookEndpointState;
  readonly first_failure_at: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisabledReason | null;
  readonly created_at: Date;
}

const COLUMNS = `id, merchant_id, url, event_types, state, first_failure_at, disabled_at,
  disabled_reason, created_at`;

const INSERT = statement(
  "webhook_endpoints_insert",
  `insert into webhook_endpoints (id, merchant_id, url, event_types, secret_sealed)
   select $2::uuid, merchants.id, $3, $4, $5 from merchants where merchants.id = $1
   returning ${COLUMNS}`,
);

const LIST = statement(
  "webhook_endpoints_list",
  `select ${COLUMNS} from webhook_endpoints
   where merchant_id = $1 and state <> 'removed' order by created_at, id`,
);

const REMOVE = statement(
  "webhook_endpoints_remove",
  `update webhook_endpoints set state = 'removed', secret_sealed = null
   where merchant_id = $1 and id = $2 and state <> 'removed' returning id`,
);

const NOTE_FAILURE = statement(
  "webhook_endpoints_note_failure",
  `update webhook_endpoints set first_failure_at = business_now()
   where merchant_id = $1 and id = $2 and first_failure_at is null`,
);

const DISABLE_GONE = statement(
  "webhook_endpoints_disable_gone",
  `update webhook_endpoints
   set state = 'disabled', disabled_at = business_now(), disabled_reason = 'gone'
   where merchant_id = $1 and id = $2 and state = 'active' returning id`,
);

const DISABLE_FAILING = statement(
  "webhook_endpoints_disable_failing",
  `update webhook_endpoints
   set state = 'disabled', disabled_at = business_now(), disabled_reason = 'failing'
   where merchant_id = $1 and id = $2 and state = 'active'
     and first_failure_at <= business_now() - interval '5 days' returning id`,
);

/** What a sealed webhook secret is bound to: moved to another row it does not open. */
export const webhookSecretPlace = ({ merchantId, endpointId }: EndpointKey): string =>
  `webhook_endpoints|${merchantId}|${endpointId}|secret_sealed`;

/** Undefined when there is no such merchant. */
export async function insertWebhookEndpoint(
  queryable: Queryable,
  endpoint: NewWebhookEndpoint,
): Promise<WebhookEndpoint | undefined> {
  const { merchantId, id, url, eventTypes, secretSealed } = endpoint;
  const values = [merchantId, id, url, eventTypes, Buffer.from(secretSealed)];
  const [row] = await queryable.query<EndpointRow>(INSERT, values);
  return row && toEndpoint(row);
}

/** Active and disabled ones, oldest first. */
export async function listWebhookEndpoints(
  queryable: Queryable,
  merchantId: string,
): Promise<WebhookEndpoint[]> {
  const rows = await queryable.query<EndpointRow>(LIST, [merchantId]);
  return rows.map(toEndpoint);
}

/** False when there is no such endpoint, or it was removed before. */
export async function removeWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<boolean> {
  const rows = await queryable.query(REMOVE, [key.merchantId, key.endpointId]);
  return rows.length > 0;
}

/** Starts the time of only failures, unless it runs already. */
export async function noteEndpointFailure(queryable: Queryable, key: EndpointKey): Promise<void> {
  await queryable.query(NOTE_FAILURE, [key.merchantId, key.endpointId]);
}

/** `gone` disables at once, `failing` after 5 days of only failures. True when it did. */
export async function disableEndpoint(
  queryable: Queryable,
  endpoint: EndpointKey & { readonly reason: "gone" | "failing" },
): Promise<boolean> {
  const disable = endpoint.reason === "gone" ? DISABLE_GONE : DISABLE_FAILING;
  const rows = await queryable.query(disable, [endpoint.merchantId, endpoint.endpointId]);
  return rows.length > 0;
}

const toEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  merchantId: row.merchant_id,
  url: row.url,
  eventTypes: row.event_types,
  state: row.state,
  firstFailureAt: row.first_failure_at,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
});
