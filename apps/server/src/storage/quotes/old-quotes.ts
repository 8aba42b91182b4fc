import { type Queryable, statement } from "../postgres/database.ts";

/** A popup that stayed open is told that its quote has expired, not that it never was. */
const KEPT = "1 day";

const CLEAR = statement(
  "old_quotes_clear",
  `delete from quotes where id in (
     select id from quotes
     where consumed_by_order_id is null
       and expires_at < (select business_now()) - interval '${KEPT}'
     order by expires_at limit $1 for update skip locked)
   returning 1`,
);

/** Deletes quotes that nobody took, a day after they expired. Returns how many, at most `limit`. */
export async function clearOldQuotes(queryable: Queryable, limit: number): Promise<number> {
  return (await queryable.query(CLEAR, [limit])).length;
}
