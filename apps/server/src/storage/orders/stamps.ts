import { type Queryable, statement } from "../postgres/database.ts";

/**
 * What an order `o` shows, by the transactions that wrote it: a row that is written again has another
 * `xmin`, whoever wrote it and however, and one that is added or gone makes another list. The server's
 * start stands before them: on a server that took over after another, or was put back to an earlier
 * day, transactions may have numbers that were used before. What an order was quoted never changes.
 */
export const STAMP = `(select extract(epoch from pg_postmaster_start_time())) || array(
     select o.xmin
     union all select xmin from payment_attempts where order_id = o.id
     union all select xmin from deposits where order_id = o.id
     union all select xmin from payout_intents where order_id = o.id
     union all select xmin from payment_instructions where order_id = o.id
     union all select xmin from order_events where order_id = o.id)::text`;

const READ = statement(
  "order_stamps_read",
  `select o.id, ${STAMP} as stamp from orders o where o.id = any ($1::bigint[])`,
);

/** A text for each order that is another one after every change of what is shown of it. */
export async function readOrderStamps(
  queryable: Queryable,
  orderIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await queryable.query<{ id: string; stamp: string }>(READ, [orderIds.map(String)]);
  return new Map(rows.map(({ id, stamp }) => [BigInt(id), stamp]));
}
