import { type Queryable, statement } from "../postgres/database.ts";
import { isPendingOf } from "./pending-deliveries.ts";

const CLEAR = statement(
  "old_events_clear",
  `with old as materialized (
     select merchant_id, id from events
     where created_at < (select business_now()) - interval '90 days' limit $1
   ), never_sent as (
     delete from pending_deliveries p using old cross join lateral (
       select d.* from deliveries d
       where d.merchant_id = old.merchant_id and d.event_id = old.id) d
     where ${isPendingOf("p", "d")}
   )
   delete from events where (merchant_id, id) in (select merchant_id, id from old)
   returning 1`,
);

/** Deletes events past their 90 days, with deliveries and attempts. Returns how many, at most `limit`. */
export async function clearOldEvents(queryable: Queryable, limit: number): Promise<number> {
  return (await queryable.query(CLEAR, [limit])).length;
}
