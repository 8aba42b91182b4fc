import { type Queryable, statement } from "../postgres/database.ts";

const READ = statement(
  "orders_trace_parents",
  "select id, trace_parent from orders where id = any ($1::bigint[])",
);

/** Returns the W3C `traceparent` of the request that placed each order; null for an order that is not traced. */
export async function readTraceParents(
  queryable: Queryable,
  orderIds: readonly bigint[],
): Promise<(string | null)[]> {
  const rows = await queryable.query<{ readonly id: string; readonly trace_parent: string | null }>(
    READ,
    [orderIds.map(String)],
  );
  const parents = new Map(rows.map((row) => [row.id, row.trace_parent]));
  return orderIds.map((id) => parents.get(String(id)) ?? null);
}
