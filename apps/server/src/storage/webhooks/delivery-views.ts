import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, type Statement, statement } from "../postgres/database.ts";
import { listConditions, sinceEpoch } from "../postgres/list-conditions.ts";
import { isPending, isPendingOf } from "./pending-deliveries.ts";

/** An attempt as it is shown to the merchant. */
export interface AttemptView {
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number | null;
  readonly status: number | null;
  /** Null when the endpoint accepted the delivery. */
  readonly fault: string | null;
  readonly plantedFault: string | null;
  readonly responseExcerpt: Uint8Array | null;
}

/**
 * A delivery's position in a list. Lists are sorted newest first, and by number among those of one moment.
 */
export interface DeliveryPosition {
  /** Microseconds since 1970, which is the full precision of the column. */
  readonly createdAtMicros: bigint;
  /** A later delivery has a higher number. */
  readonly number: bigint;
}

/** A delivery is `exhausted` after its last attempt. It is `dropped` with its endpoint. */
export type DeliveryStatus = "pending" | "delivered" | "exhausted" | "dropped";

/** A delivery with its latest attempts, oldest first. */
export interface DeliveryView {
  readonly id: string;
  readonly position: DeliveryPosition;
  readonly eventId: string;
  readonly endpointId: string;
  readonly eventType: WebhookEventType;
  readonly orderId: bigint;
  readonly isTest: boolean;
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly payload: string;
  readonly attempts: readonly AttemptView[];
}

/** Selects a merchant's deliveries. A missing member matches all deliveries. */
export interface DeliveryFilter {
  readonly merchantId: string;
  readonly id?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly eventType?: WebhookEventType | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly orderId?: bigint | undefined;
  /** Unix seconds; inclusive. */
  readonly createdFrom?: number | undefined;
  /** Unix seconds; exclusive. */
  readonly createdTo?: number | undefined;
  /** The list begins after this delivery. */
  readonly after?: DeliveryPosition | undefined;
}

const ATTEMPTS_SHOWN_MAX = 50;

const STATES: Readonly<Record<DeliveryStatus, string>> = {
  pending: isPending("d"),
  delivered: "d.status is not null",
  exhausted: "d.given_up = 'exhausted'",
  dropped: "d.given_up = 'dropped'",
};

// A list of pending deliveries reads only the table of pending deliveries.
const PENDING_ONLY = `pending_deliveries pending join deliveries d
  on d.merchant_id = pending.merchant_id and d.id = pending.delivery_id`;

const COLUMNS = `d.id, d.number, d.event_id, d.endpoint_id, d.order_id, d.state,
  d.attempts_begun as attempts, d.created_at, d.created_at_micros,
  d.event_type, d.is_test, d.payload,
  (select p.next_attempt_at from pending_deliveries p where ${isPendingOf("p", "d")})`;

// The attempt that succeeded is stored in the delivery's row. Most deliveries have no other attempt, and for
// them the table of past attempts is not read.
const ATTEMPTS = `select number, started_at, duration_ms, status, error_class, response_excerpt,
    planted_fault
  from past_attempts past
  where past.merchant_id = d.merchant_id and past.delivery_id = d.id
    and d.attempts > (d.status is not null)::int
  union all
  select d.attempts, d.attempted_at, d.duration_ms, d.status, null, d.response_excerpt,
    d.planted_fault
  where d.status is not null`;

/** Lists at most `limit` deliveries that match the filter, the newest first. */
export async function listDeliveryViews(
  queryable: Queryable,
  filter: DeliveryFilter,
  limit: number,
): Promise<DeliveryView[]> {
  const { sql, values } = listStatement(filter);
  const rows = await queryable.query<ViewRow>(sql, [...values, limit]);
  return rows.map(toView);
}

function listStatement(filter: DeliveryFilter): { sql: Statement; values: readonly unknown[] } {
  const { status, after } = filter;
  const isPendingOnly = status === "pending";
  const { name, where, values } = listConditions([
    ["m", [filter.merchantId], (at) => `${isPendingOnly ? "pending" : "d"}.merchant_id = $${at}`],
    ["id", [filter.id], (at) => `d.id = $${at}`],
    ["endpoint", [filter.endpointId], (at) => `d.endpoint_id = $${at}`],
    ["event", [filter.eventType], (at) => `event.event_type = $${at}`],
    // An index finds the events of an order, and the deliveries are found by their events.
    ["order", [filter.orderId], (at) => `event.order_id = $${at}`],
    ["from", [filter.createdFrom], (at) => `d.created_at >= ${sinceEpoch(at, "second")}`],
    ["to", [filter.createdTo], (at) => `d.created_at < ${sinceEpoch(at, "second")}`],
    [
      "after",
      [after?.createdAtMicros, after?.number],
      (at) => `(d.created_at, d.number) < (${sinceEpoch(at, "microsecond")}, $${at + 1})`,
    ],
  ]);
  // The state is a literal, because PostgreSQL uses the partial index of failed deliveries only for a literal.
  const state = status === undefined ? "" : ` and ${STATES[status]}`;
  const text = `select ${COLUMNS}, (
     select jsonb_agg(to_jsonb(a) || jsonb_build_object('response_excerpt',
         encode(a.response_excerpt, 'base64')) order by a.number)
     from (select * from (${ATTEMPTS}) a order by a.number desc limit ${ATTEMPTS_SHOWN_MAX}) a
     ) as attempts_made
   from (
     select d.*, delivery_state(d) as state, d.attempts + is_held(d)::int as attempts_begun,
       (extract(epoch from d.created_at) * 1000000)::bigint as created_at_micros,
       event.event_type, event.is_test, event.payload
     from ${isPendingOnly ? PENDING_ONLY : "deliveries d"}
     join events event on event.merchant_id = d.merchant_id and event.id = d.event_id
     where ${where}${state}
     order by d.created_at desc, d.number desc limit $${values.length + 1}) d
   order by d.created_at desc, d.number desc`;
  return { sql: statement(`delivery_views_list_${name}_${status ?? ""}`, text), values };
}

/** JSON has no dates and no bytes, so they are text. */
interface AttemptJson {
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly status: number | null;
  readonly error_class: string | null;
  readonly planted_fault: string | null;
  readonly response_excerpt: string | null;
}

interface ViewRow {
  readonly id: string;
  readonly number: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly event_type: WebhookEventType;
  readonly order_id: string;
  readonly is_test: boolean;
  readonly state: DeliveryStatus;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly created_at_micros: string;
  readonly payload: string;
  readonly attempts_made: readonly AttemptJson[] | null;
}

const toView = (row: ViewRow): DeliveryView => ({
  id: row.id,
  position: { createdAtMicros: BigInt(row.created_at_micros), number: BigInt(row.number) },
  eventId: row.event_id,
  endpointId: row.endpoint_id,
  eventType: row.event_type,
  orderId: BigInt(row.order_id),
  isTest: row.is_test,
  status: row.state,
  attemptCount: row.attempts,
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
  payload: row.payload,
  attempts: (row.attempts_made ?? []).map(toAttempt),
});

const toAttempt = (attempt: AttemptJson): AttemptView => ({
  number: attempt.number,
  startedAt: new Date(attempt.started_at),
  durationMs: attempt.duration_ms,
  status: attempt.status,
  fault: attempt.error_class,
  plantedFault: attempt.planted_fault,
  responseExcerpt:
    attempt.response_excerpt === null ? null : Buffer.from(attempt.response_excerpt, "base64"),
});
