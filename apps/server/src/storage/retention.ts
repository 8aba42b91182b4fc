import { type Queryable, statement } from "./postgres/database.ts";
import { isPendingOf } from "./webhooks/pending-deliveries.ts";

/** Deletes at most `limit` rows whose time is over and returns their number. */
type ClearOld = (queryable: Queryable, limit: number) => Promise<number>;

const clearBy =
  (name: string, text: string): ClearOld =>
  async (queryable, limit) =>
    queryable.write(statement(name, text), [limit]);

/**
 * Deletes unused quotes a day after they expired. Until then a popup that stayed open receives an error that
 * says the quote expired, and not that it does not exist.
 */
export const clearOldQuotes = clearBy(
  "retention_quotes",
  `delete from quotes where id in (
     select id from quotes
     where consumed_by_order_id is null
       and expires_at < (select business_now()) - interval '1 day'
     order by expires_at limit $1 for update skip locked)`,
);

/** Deletes idempotency keys after 24 hours. From then on a key may name another request. */
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
 * Deletes sessions without an order 90 days after their last token was issued; that token has long expired.
 * No index orders sessions by age, because it would make each new session slower. Each hour scans a 24th of
 * the table's blocks instead, so one day covers a table of constant size. While the table grows or shrinks, a
 * scan can miss rows; a later day finds them.
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
