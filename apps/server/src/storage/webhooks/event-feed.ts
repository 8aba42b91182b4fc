import type { WebhookEventType } from "@exchange/contract";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** An event with its position in the merchant's feed. */
export interface FeedEvent {
  readonly id: string;
  readonly position: number;
  readonly eventType: WebhookEventType;
  readonly createdAt: Date;
  /** The exact JSON body of the event's webhooks. */
  readonly payload: string;
}

const LIST = statement(
  "event_feed_list",
  `select id, position, event_type, created_at, payload from events
   where merchant_id = $1 and position > $2 order by position limit $3`,
);
const LIST_OF_TYPE = statement(
  "event_feed_list_of_type",
  `select id, position, event_type, created_at, payload from events
   where merchant_id = $1 and position > $2 and position <= $3 and event_type = $4
   order by position limit $5`,
);
const LAST_POSITION = statement(
  "event_feed_last_position",
  "select last_position from event_feeds where merchant_id = $1",
);
const HAS_UNPLACED = statement(
  "event_feed_has_unplaced",
  "select 1 from events where merchant_id = $1 and position is null and not is_test limit 1",
);
const LOCK = statement(
  "event_feed_lock",
  `insert into event_feeds (merchant_id) values ($1)
   on conflict (merchant_id) do update set merchant_id = excluded.merchant_id`,
);
// Within one order a lower sequence commits first, because the order's row was locked when it was drawn. Each
// row is updated by its ctid. A second search, by a plan that was made while events were few, would read all
// of the merchant's events for each row. A row that the clearing deletes meanwhile leaves its position unused, so
// the last position is the highest one, and not the number of placed rows.
const PLACE = statement(
  "event_feed_place",
  `with unplaced as (
     select place, row_number() over (order by sequence) as number from (
       select ctid as place, sequence from events
       where merchant_id = $1 and position is null and not is_test
       order by sequence limit $2) earliest
   ), placed as (
     update events set position = feed.last_position + unplaced.number
     from unplaced, event_feeds feed
     where events.ctid = unplaced.place and feed.merchant_id = $1
     returning position
   )
   update event_feeds set last_position = greatest(last_position, (select max(position) from placed))
   where merchant_id = $1`,
);

/** Lists at most `limit` events after a position, in order. */
export async function listFeedEvents(
  queryable: Queryable,
  from: { readonly merchantId: string; readonly after: number },
  limit: number,
): Promise<FeedEvent[]> {
  const rows = await queryable.query<FeedRow>(LIST, [from.merchantId, from.after, limit]);
  return rows.map(toFeedEvent);
}

/** Lists at most `limit` events of a type between two positions, the second included, in order. */
export async function listFeedEventsOfType(
  queryable: Queryable,
  span: {
    readonly merchantId: string;
    readonly after: number;
    readonly until: number;
    readonly eventType: WebhookEventType;
  },
  limit: number,
): Promise<FeedEvent[]> {
  const { merchantId, after, until, eventType } = span;
  const values = [merchantId, after, until, eventType, limit];
  return (await queryable.query<FeedRow>(LIST_OF_TYPE, values)).map(toFeedEvent);
}

/** Returns the position of the last event that has one; 0 before the first. */
export async function readLastPosition(queryable: Queryable, merchantId: string): Promise<number> {
  const [row] = await queryable.query<{ last_position: string }>(LAST_POSITION, [merchantId]);
  return Number(row?.last_position ?? 0);
}

/** Returns whether there are committed events without a position. */
export async function hasUnplacedEvents(
  queryable: Queryable,
  merchantId: string,
): Promise<boolean> {
  return (await queryable.query(HAS_UNPLACED, [merchantId])).length > 0;
}

/**
 * Assigns positions to the earliest committed events, after all events that have one. The lock comes first, in
 * a statement of its own, so that the next statement sees the positions that earlier readers assigned.
 */
export async function placeEvents(tx: Tx, merchantId: string, limit: number): Promise<void> {
  await tx.query(LOCK, [merchantId]);
  await tx.query(PLACE, [merchantId, limit]);
}

interface FeedRow {
  readonly id: string;
  readonly position: string;
  readonly event_type: WebhookEventType;
  readonly created_at: Date;
  readonly payload: string;
}

const toFeedEvent = (row: FeedRow): FeedEvent => ({
  id: row.id,
  position: Number(row.position),
  eventType: row.event_type,
  createdAt: row.created_at,
  payload: row.payload,
});
