import type { Operation } from "../../domain/catalogue/operation.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { lookup, type Queryable, statement } from "../postgres/database.ts";
import { listConditions, sinceEpoch } from "../postgres/list-conditions.ts";
import { type OrderViewRow, toOrderView, VIEW_COLUMNS, VIEW_JOINS } from "./view-row.ts";

// One statement reads all rows, so that they are of one moment.
const FIND = lookup(
  "order_views_find",
  ["bigint", "text"],
  `select ${VIEW_COLUMNS} from orders o ${VIEW_JOINS} where o.id = $1 and o.merchant_id = $2`,
);

export interface OrderViewKey {
  readonly merchantId: string;
  readonly orderId: bigint;
}

/** Reads an order with its rows. Returns undefined when there is no such order. */
export async function findOrderView(
  queryable: Queryable,
  { merchantId, orderId }: OrderViewKey,
): Promise<OrderView | undefined> {
  const [row] = await queryable.query<OrderViewRow>(FIND, [orderId, merchantId]);
  return row && toOrderView(row);
}

/** An order's position in a list. Lists are sorted newest first, and by id among orders of one moment. */
export interface OrderPosition {
  /** Microseconds since 1970, which is the full precision of the column. */
  readonly createdAtMicros: bigint;
  readonly id: bigint;
}

/** Selects a merchant's orders. A missing member matches all orders. */
export interface OrderFilter {
  readonly merchantId: string;
  readonly status?: OrderStatus | undefined;
  readonly operation?: Operation | undefined;
  readonly sessionId?: string | undefined;
  /** Unix seconds; inclusive. */
  readonly createdFrom?: number | undefined;
  /** Unix seconds; exclusive. */
  readonly createdTo?: number | undefined;
  /** The list begins after this order. */
  readonly after?: OrderPosition | undefined;
}

export interface ListedOrder {
  readonly view: OrderView;
  readonly position: OrderPosition;
}

/** Lists at most `limit` orders that match the filter, the newest first. */
export async function listOrderViews(
  queryable: Queryable,
  filter: OrderFilter,
  limit: number,
): Promise<ListedOrder[]> {
  const { sql, values } = listStatement(filter);
  const rows = await queryable.query<ListRow>(sql, [...values, limit]);
  return rows.map((row) => {
    const view = toOrderView(row);
    return {
      view,
      position: { createdAtMicros: BigInt(row.created_at_micros), id: view.order.id },
    };
  });
}

interface ListRow extends OrderViewRow {
  readonly created_at_micros: string;
}

function listStatement(filter: OrderFilter) {
  const { merchantId, status, operation, sessionId, createdFrom, createdTo, after } = filter;
  const { name, where, values } = listConditions([
    ["m", [merchantId], (at) => `merchant_id = $${at}`],
    ["status", [status], (at) => `status = $${at}`],
    ["operation", [operation], (at) => `operation = $${at}`],
    ["session", [sessionId], (at) => `session_id = $${at}`],
    ["from", [createdFrom], (at) => `created_at >= ${sinceEpoch(at, "second")}`],
    ["to", [createdTo], (at) => `created_at < ${sinceEpoch(at, "second")}`],
    [
      "after",
      [after?.createdAtMicros, after?.id],
      (at) => `(created_at, id) < (${sinceEpoch(at, "microsecond")}, $${at + 1})`,
    ],
  ]);
  const text = `select ${VIEW_COLUMNS},
     (extract(epoch from o.created_at) * 1000000)::bigint as created_at_micros
   from (select * from orders where ${where}
     order by created_at desc, id desc limit $${values.length + 1}) o ${VIEW_JOINS}
   order by o.created_at desc, o.id desc`;
  return { sql: statement(`order_views_list_${name}`, text), values };
}
