import { type Queryable, statement } from "./postgres/database.ts";
import { isPendingOf } from "./webhooks/pending-deliveries.ts";

/** Each function deletes rows past their time and returns how many, at most `limit`. */
type ClearOld = (queryable: Queryable, limit: number) => Promise<number>;

const clearBy =
  (name: string, text: string): ClearOld =>
  async (queryable, limit) =>
    queryable.write(statement(name, text), [limit]);

/** Deletes unused quotes a day after they expired: a popup that stayed open is told of an expired quote. */
export const clearOldQuotes = clearBy(
  "retention_quotes",
  `delete from quotes where id in (
     select id from quotes
     where consumed_by_order_id is null
       and expires_at < (select business_now()) - interval '1 day'
     order by expires_at limit $1 for update skip locked)`,
);

/** Deletes idempotency keys after 24 hours, when a key may name another request. */
export const clearOldKeys = clearBy(
  "retention_idempotency_keys",
  `delete from idempotency_keys where (merchant_id, key) in (
     select merchant_id, key from idempotency_keys
     where created_at < (select business_now()) - interval '24 hours'
     order by created_at limit $1 for update skip locked)`,
);

/** Deletes events after 90 days, with their deliveries and attempts. */
export const clearOldEvents = clearBy(
  "retention_events",
  `with old as materialized (
     select merchant_id, id from events
     where created_at < (select business_now()) - interval '90 days' limit $1
   ), never_sent as (
     delete from pending_deliveries p using old cross join lateral (
       select d.* from deliveries d
       where d.merchant_id = old.merchant_id and d.event_id = old.id) d
     where ${isPendingOf("p", "d")}
   )
   delete from events where (merchant_id, id) in (select merchant_id, id from old)`,
);

/**
 * Deletes sessions without an order 90 days after their last token, when it has long expired. No index
 * orders sessions by age, because it would make each new session slower. Each hour scans a 24th of the
 * table's blocks instead, so a day covers a table that keeps its size. A later day finds the rows that a
 * growing or shrinking table lets slip.
 */
export const clearOldSessions = clearBy(
  "retention_sessions",
  `with part as materialized (
     select pg_relation_size('sessions') / current_setting('block_size')::int as blocks,
       extract(hour from now())::int as hour),
   old as materialized (
     select merchant_id, session_id from sessions
     where ctid >= (select format('(%s,0)', blocks * hour / 24) from part)::tid
       and ctid < (select format('(%s,0)', (blocks * (hour + 1) + 23) / 24) from part)::tid
       and order_id is null and updated_at < (select business_now()) - interval '90 days'
     limit $1 for update skip locked)
   delete from sessions s using old
   where s.merchant_id = old.merchant_id and s.session_id = old.session_id`,
);
