import { type Queryable, statement } from "../postgres/database.ts";

/** As long as events: by then a merchant has heard of everything else, and its token is long dead. */
const KEPT = "90 days";

// Nothing orders sessions by age, since that would make each new one dearer. So each hour looks through a
// 24th of the table, block by block.
const CLEAR = statement(
  "old_sessions_clear",
  `with part as materialized (
     select pg_relation_size('sessions') / current_setting('block_size')::int as blocks,
       extract(hour from now())::int as hour),
   old as materialized (
     select merchant_id, session_id from sessions
     where ctid >= (select format('(%s,0)', blocks * hour / 24) from part)::tid
       and ctid < (select format('(%s,0)', (blocks * (hour + 1) + 23) / 24) from part)::tid
       and order_id is null and updated_at < (select business_now()) - interval '${KEPT}'
     limit $1 for update skip locked)
   delete from sessions s using old
   where s.merchant_id = old.merchant_id and s.session_id = old.session_id
   returning 1`,
);

/**
 * Deletes sessions in which no order was placed, 90 days after their last token. Returns how many, at most
 * `limit`. Within a day all are looked at where the table keeps its size; what a part misses as it grows or
 * shrinks, a later day finds.
 */
export async function clearOldSessions(queryable: Queryable, limit: number): Promise<number> {
  return (await queryable.query(CLEAR, [limit])).length;
}
