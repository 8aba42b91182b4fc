import { HAS_ENDED } from "./customers/customers.ts";
import { type Queryable, statement } from "./postgres/database.ts";
import { isPendingOf } from "./webhooks/pending-deliveries.ts";

/** Deletes at most `limit` rows whose time is over and returns their number. */
type ClearOld = (queryable: Queryable, limit: number) => Promise<number>;

/** The same, for rows whose time is a setting in days. */
export type ClearAfter = (queryable: Queryable, limit: number, days: number) => Promise<number>;

const clearBy =
  (name: string, text: string): ClearOld =>
  async (queryable, limit) =>
    queryable.write(statement(name, text), [limit]);

const clearAfter =
  (name: string, text: string): ClearAfter =>
  async (queryable, limit, days) =>
    queryable.write(statement(name, text), [limit, days]);

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

/** Deletes idempotency keys after 24 hours of real time. From then on a key may name another request. */
export const clearOldKeys = clearBy(
  "retention_idempotency_keys",
  `delete from idempotency_keys where (merchant_id, key) in (
     select merchant_id, key from idempotency_keys
     where created_at < now() - interval '24 hours'
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

/** Deletes callbacks of providers after 30 days. Providers repeat them for some days only. */
export const clearOldCallbacks = clearBy(
  "retention_callbacks",
  `delete from provider_callbacks where (provider, event_key) in (
     select provider, event_key from provider_callbacks
     where received_at < (select business_now()) - interval '30 days'
     order by received_at limit $1 for update skip locked)`,
);

/** Deletes the log of requests after 7 days. */
export const clearOldRequests = clearBy(
  "retention_api_requests",
  `delete from api_requests where (merchant_id, id) in (
     select merchant_id, id from api_requests
     where at < (select business_now()) - interval '7 days'
     limit $1 for update skip locked)`,
);

/**
 * Deletes sessions without an order, with their data keys, a time after their last token was issued; that token
 * has long expired.
 * No index orders sessions by age, because it would make each new session slower. Each hour scans a 24th of
 * the table's blocks instead, so one day covers a table of constant size. While the table grows or shrinks, a
 * scan can miss rows; a later day finds them.
 */
export const clearOldSessions = clearAfter(
  "retention_sessions",
  `with part as materialized (
     select pg_relation_size('sessions') / current_setting('block_size')::int as blocks,
       extract(hour from now())::int as hour),
   old as materialized (
     select merchant_id, session_id from sessions
     where ctid >= (select format('(%s,0)', blocks * hour / 24) from part)::tid
       and ctid < (select format('(%s,0)', (blocks * (hour + 1) + 23) / 24) from part)::tid
       and order_id is null
       and updated_at < (select business_now()) - make_interval(days => $2::int)
     limit $1 for update skip locked),
   keys as (
     delete from data_keys k using old
     where k.merchant_id = old.merchant_id and k.kind = 'session' and k.row_key = old.session_id)
   delete from sessions s using old
   where s.merchant_id = old.merchant_id and s.session_id = old.session_id`,
);

/**
 * Destroys the data keys of orders that ended long ago, locked or not. The order's sealed columns stay, and
 * nothing opens them again. A key is never newer than the end of its order, so only old keys are looked at.
 */
export const eraseOldOrders = clearAfter(
  "retention_orders",
  `delete from data_keys where (merchant_id, kind, row_key) in (
     select k.merchant_id, k.kind, k.row_key from data_keys k
       join orders o on o.merchant_id = k.merchant_id and o.session_id = k.row_key
     where k.kind = 'session'
       and k.created_at < (select business_now()) - make_interval(days => $2::int)
       and o.updated_at < (select business_now()) - make_interval(days => $2::int)
       and ${HAS_ENDED}
     limit $1 for update of k skip locked)`,
);

/** Destroys the data keys of the names beside saved wallets. The wallets stay, without a name. */
export const eraseOldWalletNames = clearAfter(
  "retention_wallet_names",
  `delete from data_keys where (merchant_id, kind, row_key) in (
     select merchant_id, kind, row_key from data_keys
     where kind = 'wallet'
       and created_at < (select business_now()) - make_interval(days => $2::int)
     limit $1 for update skip locked)`,
);

/** Deletes the addresses that API keys were used from. Their times are real time. */
export const clearOldKeyAddresses = clearAfter(
  "retention_key_addresses",
  `delete from api_key_addresses where (key_id, address) in (
     select key_id, address from api_key_addresses
     where last_used_at < clock_timestamp() - make_interval(days => $2::int)
     limit $1 for update skip locked)`,
);
