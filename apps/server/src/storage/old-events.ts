import { type Queryable, statement } from "./database.ts";

const CLEAR = statement(
  "old_events_clear",
  `delete from events where (merchant_id, id) in (
     select merchant_id, id from events
     where created_at < (select business_now()) - interval '90 days' limit $1)
   returning 1`,
);

/** Deletes events past their 90 days, with deliveries and attempts. Returns how many, at most `limit`. */
export async function clearOldEvents(queryable: Queryable, limit: number): Promise<number> {
  return (await queryable.query(CLEAR, [limit])).length;
}
