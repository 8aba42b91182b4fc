import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

export type WebhookEndpointState = "active" | "disabled" | "removed";
/**
 * `gone`: it answered 410. `failing`: only failures for days. `operator`, `merchant`: switched off by
 * one of them.
 */
export type DisabledReason = "gone" | "failing" | "operator" | "merchant";

/** A merchant's URL for webhooks. Its secrets never leave storage in clear. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly state: WebhookEndpointState;
  /** The first failure since the last success. */
  readonly firstFailureAt: Date | null;
  /** Too many of its latest answers failed: nothing is sent before. Null once that is over. */
  readonly pausedUntil: Date | null;
  /** Until then the secret before the last rotation signs too. Null once that is over. */
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

/** What a merchant or an operator changes; what is undefined stays as it is. */
export interface EndpointChange extends EndpointKey {
  readonly url?: string | undefined;
  readonly eventTypes?: readonly WebhookEventType[] | undefined;
  readonly enabled?: boolean | undefined;
  /** Who disables it. */
  readonly by: "merchant" | "operator";
}

interface EndpointRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly url: string;
  readonly event_types: WebhookEventType[];
  readonly state: WebhookEndpointState;
  readonly first_failure_at: Date | null;
  readonly paused_until: Date | null;
  readonly previous_secret_until: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisabledReason | null;
  readonly created_at: Date;
}

const COLUMNS = `id, merchant_id, url, event_types, state, first_failure_at,
  case when paused_until > business_now() then paused_until end as paused_until,
  case when previous_secret_until > business_now() then previous_secret_until end
    as previous_secret_until,
  disabled_at, disabled_reason, created_at`;

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

// Whoever enables it vouches for it: it begins healthy.
const CHANGE = statement(
  "webhook_endpoints_change",
  `update webhook_endpoints set
     url = coalesce($3, url), event_types = coalesce($4, event_types),
     state = case $5::boolean when true then 'active' when false then 'disabled' else state end,
     disabled_at = case $5 when true then null
       when false then coalesce(disabled_at, business_now()) else disabled_at end,
     disabled_reason = case $5 when true then null
       when false then coalesce(disabled_reason, $6) else disabled_reason end,
     first_failure_at = case when $5 or $3 is not null then null else first_failure_at end,
     failures = case when $5 or $3 is not null then 0 else failures end,
     failing_told_at = case when $5 or $3 is not null then null else failing_told_at end,
     window_started_at = case when $5 or $3 is not null then null else window_started_at end,
     paused_until = case when $5 or $3 is not null then null else paused_until end
   where merchant_id = $1 and id = $2 and state <> 'removed' returning ${COLUMNS}`,
);

const REMOVE = statement(
  "webhook_endpoints_remove",
  `update webhook_endpoints set state = 'removed', secret_sealed = null,
     previous_secret_sealed = null, previous_secret_until = null
   where merchant_id = $1 and id = $2 and state <> 'removed' returning id`,
);

/** What a sealed webhook secret is bound to: moved to another row or column it does not open. */
export const webhookSecretPlace = (
  { merchantId, endpointId }: EndpointKey,
  which: "secret_sealed" | "previous_secret_sealed" = "secret_sealed",
): string => `webhook_endpoints|${merchantId}|${endpointId}|${which}`;

/** Lets one at a time add endpoints to a merchant. False when there is no such merchant. */
export async function lockMerchantEndpoints(tx: Tx, merchantId: string): Promise<boolean> {
  return (await tx.query(LOCK_MERCHANT, [merchantId])).length > 0;
}

export async function insertWebhookEndpoint(
  queryable: Queryable,
  endpoint: NewWebhookEndpoint,
): Promise<WebhookEndpoint> {
  const { merchantId, id, url, eventTypes, secretSealed } = endpoint;
  const values = [merchantId, id, url, eventTypes, Buffer.from(secretSealed)];
  const [row] = await queryable.query<EndpointRow>(INSERT, values);
  if (!row) throw new Error("an insert returned no row");
  return toEndpoint(row);
}

/** Active and disabled ones, oldest first. */
export async function listWebhookEndpoints(
  queryable: Queryable,
  merchantId: string,
): Promise<WebhookEndpoint[]> {
  const rows = await queryable.query<EndpointRow>(LIST, [merchantId]);
  return rows.map(toEndpoint);
}

/** Undefined when there is none, or it was removed. */
export async function findWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await queryable.query<EndpointRow>(FIND, [key.merchantId, key.endpointId]);
  return row && toEndpoint(row);
}

/** The sealed secrets that sign now, the endpoint locked. Undefined when there is none. */
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
  /** Null: nothing signs beside the new secret. */
  readonly previousSealed: Uint8Array | null;
  readonly overlapSeconds: number;
}

/** Stores a new secret. The endpoint was locked before. */
export async function rotateWebhookSecret(
  tx: Tx,
  rotated: RotatedSecrets,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await tx.query<EndpointRow>(ROTATE, [
    rotated.merchantId,
    rotated.endpointId,
    Buffer.from(rotated.secretSealed),
    rotated.previousSealed && Buffer.from(rotated.previousSealed),
    rotated.overlapSeconds,
  ]);
  return row && toEndpoint(row);
}

/** Forgets the secret before the last rotation. False when there was none. */
export async function endSecretOverlap(queryable: Queryable, key: EndpointKey): Promise<boolean> {
  const rows = await queryable.query(END_OVERLAP, [key.merchantId, key.endpointId]);
  return rows.length > 0;
}

/** Undefined when there is no such endpoint. */
export async function changeWebhookEndpoint(
  queryable: Queryable,
  change: EndpointChange,
): Promise<WebhookEndpoint | undefined> {
  const [row] = await queryable.query<EndpointRow>(CHANGE, [
    change.merchantId,
    change.endpointId,
    change.url ?? null,
    change.eventTypes ?? null,
    change.enabled ?? null,
    change.by,
  ]);
  return row && toEndpoint(row);
}

/** False when there is no such endpoint, or it was removed before. */
export async function removeWebhookEndpoint(
  queryable: Queryable,
  key: EndpointKey,
): Promise<boolean> {
  const rows = await queryable.query(REMOVE, [key.merchantId, key.endpointId]);
  return rows.length > 0;
}

const toEndpoint = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  merchantId: row.merchant_id,
  url: row.url,
  eventTypes: row.event_types,
  state: row.state,
  firstFailureAt: row.first_failure_at,
  pausedUntil: row.paused_until,
  previousSecretUntil: row.previous_secret_until,
  disabledAt: row.disabled_at,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
});
