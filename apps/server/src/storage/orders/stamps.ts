import { type Queryable, statement } from "../postgres/database.ts";

/**
 * The version of everything that is shown of an order `o`, built from the database transactions that wrote it.
 * A row that is updated has another `xmin`, and an added or a deleted row changes the list. The start time of
 * the server comes first: after a failover or a restore, transaction numbers may be used a second time. The
 * quote of an order never changes, so it is not in the stamp.
 */
export const STAMP = `(select extract(epoch from pg_postmaster_start_time())) || array(
     select o.xmin
     union all select xmin from payment_attempts where order_id = o.id
     union all select xmin from deposits where order_id = o.id
     union all select xmin from payout_intents where order_id = o.id
     union all select xmin from payment_instructions where order_id = o.id
     union all select xmin from order_events where order_id = o.id
     union all select xmin from revoked_order_pages where order_id = o.id
     union all select xmin from data_keys
       where merchant_id = o.merchant_id and kind = 'session' and row_key = o.session_id)::text`;

const READ = statement(
  "order_stamps_read",
  `select o.id, ${STAMP} as stamp from orders o where o.id = any ($1::bigint[])`,
);

/**
 * Returns a text for each order. The text differs after every change of anything that is shown of the order.
 */
export async function readOrderStamps(
  queryable: Queryable,
  orderIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await queryable.query<{ id: string; stamp: string }>(READ, [orderIds.map(String)]);
  return new Map(rows.map(({ id, stamp }) => [BigInt(id), stamp]));
}
