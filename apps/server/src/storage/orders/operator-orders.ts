import type { Order } from "../../domain/orders/order.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { ORDER_KEY, readOrderRow } from "./table.ts";

/** The operator reads orders of every merchant, by id alone. */

const FIND = statement(
  "operator_orders_find",
  `select o.*, ${ORDER_KEY("o")} from orders o where id = $1`,
);

const LIST = {
  all: statement(
    "operator_orders_list",
    `select o.*, ${ORDER_KEY("o")} from orders o where $1::text is null or merchant_id = $1
     order by created_at desc, id desc limit $2`,
  ),
  in_review: statement(
    "operator_orders_list_in_review",
    `select o.*, ${ORDER_KEY("o")} from orders o where status = 'in_review' and ($1::text is null or merchant_id = $1)
     order by created_at desc, id desc limit $2`,
  ),
  ofStatus: statement(
    "operator_orders_list_status",
    `select o.*, ${ORDER_KEY("o")} from orders o where status = $3 and ($1::text is null or merchant_id = $1)
     order by created_at desc, id desc limit $2`,
  ),
} as const;

export interface OperatorOrderFilter {
  readonly merchantId?: string | undefined;
  readonly status?: OrderStatus | undefined;
  readonly limit: number;
}

// A derived id has milliseconds where the order has microseconds.
const PLACED_AT = statement(
  "operator_orders_placed_at",
  `select o.*, ${ORDER_KEY("o")} from orders o where created_at >= $1::timestamptz - interval '1 millisecond'
     and created_at <= $1::timestamptz + interval '1 millisecond'`,
);

/** Lists the orders that were placed at a time, to the millisecond. */
export async function listOrdersPlacedAt(queryable: Queryable, at: Date): Promise<Order[]> {
  return (await queryable.query<object>(PLACED_AT, [at])).map(readOrderRow);
}

export async function findOrder(queryable: Queryable, id: bigint): Promise<Order | undefined> {
  const [row] = await queryable.query<object>(FIND, [id]);
  return row && readOrderRow(row);
}

/** Lists the newest orders that match the filter. */
export async function listNewestOrders(
  queryable: Queryable,
  { merchantId, status, limit }: OperatorOrderFilter,
): Promise<Order[]> {
  const values = [merchantId ?? null, limit];
  const rows = await (status === undefined
    ? queryable.query<object>(LIST.all, values)
    : status === "in_review"
      ? queryable.query<object>(LIST.in_review, values)
      : queryable.query<object>(LIST.ofStatus, [...values, status]));
  return rows.map(readOrderRow);
}
