import { type Queryable, statement } from "./database.ts";

// Every change a customer can see: of the order, its card attempt, its deposits, what is sent.
const READ = statement(
  "order_stamps_read",
  `select o.id, concat_ws(' ', o.version, o.updated_at,
     (select max(a.updated_at) from payment_attempts a where a.order_id = o.id),
     (select max(d.updated_at) from deposits d where d.order_id = o.id),
     (select max(p.updated_at) from payout_intents p where p.order_id = o.id),
     (select i.created_at from payment_instructions i where i.order_id = o.id)) as stamp
   from orders o where o.id = any ($1::bigint[])`,
);

/** A text for each order that is another one after every change of what is shown of it. */
export async function readOrderStamps(
  queryable: Queryable,
  orderIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await queryable.query<{ id: string; stamp: string }>(READ, [orderIds.map(String)]);
  return new Map(rows.map(({ id, stamp }) => [BigInt(id), stamp]));
}
