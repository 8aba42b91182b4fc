import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";
import { nullable, table, text, texts, timestamp, uuid } from "../postgres/table.ts";
import { WEBHOOKS_DUE_CHANNEL } from "./outbox.ts";

export type WebhookEndpointState = "active" | "disabled" | "removed";
/**
 * `gone`: the endpoint responded 410. `failing`: it only failed for days. `operator` and `merchant` name who
 * disabled it.
 */
export type DisabledReason = "gone" | "failing" | "operator" | "merchant";

/** A merchant's URL for webhooks. Its secrets never leave storage unsealed. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly state: WebhookEndpointState;
  /** The first failure since the last success. */
  readonly firstFailureAt: Date | null;
  /** The circuit breaker is open until then: too many recent requests failed. Null once it is closed. */
  readonly pausedUntil: Date | null;
  /** The secret before the last rotation signs too until then. Null once it no longer signs. */
  readonly previousSecretUntil: Date | null;
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

/** A change by a merchant or an operator. An undefined member is not changed. */
export interface EndpointChange extends EndpointKey {
  readonly url?: string | undefined;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  readonly enabled?: boolean | undefined;
  /** The one that makes the change, stored as the reason of a disabled endpoint. */
  readonly by: "merchant" | "operator";
}

export const ENDPOINTS = table({
  id: uuid(),
  merchant_id: text(),
  url: text(),
  event_types: texts<WebhookEventType>(),
  state: text<WebhookEndpointState>(),
  first_failure_at: nullable(timestamp()),
  paused_until: nullable(timestamp()),
  previous_secret_until: nullable(timestamp()),
  disabled_at: nullable(timestamp()),
  disabled_reason: nullable(text<DisabledReason>()),
  created_at: timestamp(),
});

/** A pause that has ended, and an overlap of secrets that has ended, are read as null. */
const COLUMNS = `${ENDPOINTS.omit("paused_until", "previous_secret_until").names},
  case when paused_until > business_now() then paused_until end as paused_until,
  case when previous_secret_until > business_now() then previous_secret_until end
    as previous_secret_until`;

const LOCK_MERCHANT = statement(
  "webhook_endpoints_lock_merchant",
  "select id from merchants where id = $1 for no key update",
);

const INSERT = statement(
  "webhook_endpoints_insert",
  `insert into webhook_endpoints (id, merchant_id, url, event_types, secret_sealed)
   values ($2::uuid, $1, $3, $4, $5) returning ${COLUMNS}`,
);

const LIST = statement(
  "webhook_endpoints_list",
  `select ${COLUMNS} from webhook_endpoints
   where merchant_id = $1 and state <> 'removed' order by created_at, id`,
);

const FIND = statement(
  "webhook_endpoints_find",
  `select ${COLUMNS} from webhook_endpoints
   where merchant_id = $1 and id = $2 and state <> 'removed'`,
);

const LOCK = statement(
  "webhook_endpoints_lock",
  `select ${COLUMNS} from webhook_endpoints
   where merchant_id = $1 and id = $2 and state <> 'removed' for no key update`,
);

const LOCK_SECRETS = statement(
  "webhook_endpoints_lock_secrets",
  `select secret_sealed,
     case when previous_secret_until > business_now() then previous_secret_sealed end as previous
   from webhook_endpoints
   where merchant_id = $1 and id = $2 and state <> 'removed' for no key update`,
);

const ROTATE = statement(
  "webhook_endpoints_rotate",
  `update webhook_endpoints set secret_sealed = $3, previous_secret_sealed = $4,
     previous_secret_until = case when $4::bytea is not null
       then business_now() + $5 * interval '1 second' end
   where merchant_id = $1 and id = $2 returning ${COLUMNS}`,
);

const END_OVERLAP = statement(
  "webhook_endpoints_end_overlap",
  `update webhook_endpoints set previous_secret_sealed = null, previous_secret_until = null
   where merchant_id = $1 and id = $2 and previous_secret_until is not null returning id`,
);

// An endpoint that is enabled or has a new URL starts as healthy. A new URL has proven nothing yet, so it shares the places of
// new endpoints. The operator's reason replaces any other, because only the operator may enable the endpoint then.
const CHANGE = statement(
  "webhook_endpoints_change",
  `update webhook_endpoints set
     url = coalesce($3, url), event_types = coalesce($4, event_types),
     state = case $5::boolean when true then 'active' when false then 'disabled' else state end,
     disabled_at = case $5 when true then null
       when false then coalesce(disabled_at, business_now()) else disabled_at end,
     disabled_reason = case $5 when true then null
       when false then case $6 when 'operator' then $6 else coalesce(disabled_reason, $6) end
       else disabled_reason end,
     first_failure_at = case when $5 or $3 <> url then null else first_failure_at end,
     failures = case when $5 or $3 <> url then 0 else failures end,
     failing_told_at = case when $5 or $3 <> url then null else failing_told_at end,
     window_started_at = case when $5 or $3 <> url then null else window_started_at end,
     paused_until = case when $5 or $3 <> url then null else paused_until end,
     proven_at = case when $3 <> url then null else proven_at end,
     slow_until = case when $3 <> url then null else slow_until end
   where merchant_id = $1 and id = $2 and state <> 'removed' returning ${COLUMNS}`,
);

const REMOVE = statement(
  "webhook_endpoints_remove",
  `update webhook_endpoints set state = 'removed', secret_sealed = null,
     previous_secret_sealed = null, previous_secret_until = null
   where merchant_id = $1 and id = $2 and state <> 'removed' returning id`,
);

/**
 * Returns the place that a sealed webhook secret is bound to. In another row or column it cannot be
 * unsealed.
 */
export const webhookSecretPlace = (
  { merchantId, endpointId }: EndpointKey,
  which: "secret_sealed" | "previous_secret_sealed" = "secret_sealed",
): string => `webhook_endpoints|${merchantId}|${endpointId}|${which}`;

/**
 * Locks a merchant, so that its endpoints are added one at a time. Returns false when there is no such
 * merchant.
 */
export async function lockMerchantEndpoints(tx: Tx, merchantId: string): Promise<boolean> {
  return (await tx.query(LOCK_MERCHANT, [merchantId])).length > 0;
}

export async function insertWebhookEndpoint(
  queryable: Queryable,
  endpoint: NewWebhookEndpoint,
): Promise<WebhookEndpoint> {
  const { merchantId, id, url, eventTypes, secretSealed } = endpoint;
  const values = [merchantId, id, url, eventTypes, Buffer.from(secretSealed)];
  const [row] = await queryable.query<object>(INSERT, values);
  if (!row) throw new Error("the insert of the webhook endpoint returned no row");
  return ENDPOINTS.read(row);
}

/** Lists active and disabled endpoints, oldest first. */
export async function listWebhookEndpoints(
  queryable: Queryable,
  merchantId: string,
): Promise<WebhookEndpoint[]> {
  return (await queryable.query(LIST, [merchantId])).map(ENDPOINTS.read);
}

/** Returns undefined when there is no such endpoint, or it was removed. */
export async function findWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await queryable.query<object>(FIND, [key.merchantId, key.endpointId]);
  return row && ENDPOINTS.read(row);
}

/** Locks an endpoint until the database transaction ends. Returns undefined when there is none. */
export async function lockWebhookEndpoint(
  tx: Tx,
  key: EndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await tx.query<object>(LOCK, [key.merchantId, key.endpointId]);
  return row && ENDPOINTS.read(row);
}

/**
 * Locks an endpoint and returns the sealed secrets that sign now. Returns undefined when there is no
 * endpoint.
 */
export async function lockWebhookSecrets(
  tx: Tx,
  key: EndpointKey,
): Promise<{ readonly current: Uint8Array; readonly previous: Uint8Array | null } | undefined> {
  const [row] = await tx.query<{ secret_sealed: Buffer; previous: Buffer | null }>(LOCK_SECRETS, [
    key.merchantId,
    key.endpointId,
  ]);
  return row && { current: row.secret_sealed, previous: row.previous };
}

export interface RotatedSecrets extends EndpointKey {
  readonly secretSealed: Uint8Array;
  /** Null when only the new secret signs. */
  readonly previousSealed: Uint8Array | null;
  readonly overlapSeconds: number;
}

/** Stores a new secret. The caller has locked the endpoint. */
export async function rotateWebhookSecret(
  tx: Tx,
  rotated: RotatedSecrets,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await tx.query<object>(ROTATE, [
    rotated.merchantId,
    rotated.endpointId,
    Buffer.from(rotated.secretSealed),
    rotated.previousSealed && Buffer.from(rotated.previousSealed),
    rotated.overlapSeconds,
  ]);
  return row && ENDPOINTS.read(row);
}

/** Deletes the secret before the last rotation. Returns false when there was none. */
export async function endSecretOverlap(queryable: Queryable, key: EndpointKey): Promise<boolean> {
  const rows = await queryable.query(END_OVERLAP, [key.merchantId, key.endpointId]);
  return rows.length > 0;
}

/** Changes an endpoint. Returns undefined when there is no such endpoint. */
export async function changeWebhookEndpoint(
  queryable: Queryable,
  change: EndpointChange,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await queryable.query<object>(CHANGE, [
    change.merchantId,
    change.endpointId,
    change.url ?? null,
    change.eventTypes ?? null,
    change.enabled ?? null,
    change.by,
  ]);
  // An endpoint that was enabled again may have deliveries that are due.
  queryable.hint(WEBHOOKS_DUE_CHANNEL);
  return row && ENDPOINTS.read(row);
}

/** Removes an endpoint. Returns false when there is no such endpoint, or it was removed before. */
export async function removeWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<boolean> {
  const rows = await queryable.query(REMOVE, [key.merchantId, key.endpointId]);
  return rows.length > 0;
}
