import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { ORDER_KEY, readOrderRow } from "./table.ts";

/** The operator reads orders of every merchant, by id alone. */

const FIND = statement(
  "operator_orders_find",
  `select o.*, ${ORDER_KEY("o")} from orders o where id = $1`,
);

const NEWEST_FIRST = "order by created_at desc, id desc";

// A filter that is left out is null.
const FILTER = `($1::text is null or merchant_id = $1) and ($3::text is null or operation = $3)
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
       and ($6::timestamptz is null or updated_at <= $6)`;

const LIST = {
  all: statement(
    "operator_orders_list",
    `select o.*, ${ORDER_KEY("o")} from orders o where ${FILTER} ${NEWEST_FIRST} limit $2`,
  ),
  in_review: statement(
    "operator_orders_list_in_review",
    `select o.*, ${ORDER_KEY("o")} from orders o where status = 'in_review' and ${FILTER}
     ${NEWEST_FIRST} limit $2`,
  ),
  ofStatus: statement(
    "operator_orders_list_status",
    `select o.*, ${ORDER_KEY("o")} from orders o where status = $7 and ${FILTER} ${NEWEST_FIRST} limit $2`,
  ),
} as const;

/** A member that is left out does not filter. */
export interface OperatorOrderFilter {
  readonly merchantId?: string | undefined;
  readonly status?: OrderStatus | undefined;
  readonly operation?: Operation | undefined;
  /** Placed at this time or later. */
  readonly from?: Date | undefined;
  /** Placed before this time. */
  readonly before?: Date | undefined;
  /** Not changed since this time. */
  readonly unchangedSince?: Date | undefined;
  readonly limit: number;
}

const LIST_BY_ID = statement(
  "operator_orders_list_by_id",
  `select o.*, ${ORDER_KEY("o")} from orders o where id = any($1::bigint[]) ${NEWEST_FIRST}`,
);

/** Lists the orders with these ids, the newest first. */
export async function listOrders(queryable: Queryable, ids: readonly bigint[]): Promise<Order[]> {
  return (await queryable.query<object>(LIST_BY_ID, [ids])).map(readOrderRow);
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
  filter: OperatorOrderFilter,
): Promise<Order[]> {
  const { status } = filter;
  const values = [
    filter.merchantId ?? null,
    filter.limit,
    filter.operation ?? null,
    filter.from ?? null,
    filter.before ?? null,
    filter.unchangedSince ?? null,
  ];
  const rows = await (status === undefined
    ? queryable.query<object>(LIST.all, values)
    : status === "in_review"
      ? queryable.query<object>(LIST.in_review, values)
      : queryable.query<object>(LIST.ofStatus, [...values, status]));
  return rows.map(readOrderRow);
}
