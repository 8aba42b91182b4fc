import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import { type Queryable, type Statement, statement } from "../postgres/database.ts";
import { ORDER_KEY, readOrderRow } from "./table.ts";

/** The operator reads orders of every merchant, by id alone. */

const FIND = statement(
  "operator_orders_find",
  `select o.*, ${ORDER_KEY("o")} from orders o where id = $1`,
);

const NEWEST_FIRST = "order by created_at desc, id desc";

// A filter that is left out is null. A page begins after the order with the id $7.
const FILTER = `($3::text is null or operation = $3)
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
       and ($6::timestamptz is null or updated_at <= $6) and ($8::text is null or status_reason = $8)
       and (created_at, id) < (coalesce((select p.created_at from orders p where p.id = $7), 'infinity'),
         coalesce($7::bigint, 9223372036854775807))`;

/** Members of a statement's name and text, so that each filter with an index of its own has a plan of its own. */
const BY_MERCHANT = { any: "$1::text is null", one: "merchant_id = $1" } as const;
const BY_STATUS = {
  any: "$9::text is null",
  in_review: "status = 'in_review' and $9::text is null",
  one: "status = $9",
} as const;

type MerchantFilter = keyof typeof BY_MERCHANT;
type StatusFilter = keyof typeof BY_STATUS;

const listBy = (merchant: MerchantFilter, status: StatusFilter): Statement =>
  statement(
    `operator_orders_list_${merchant}_${status}`,
    `select o.*, ${ORDER_KEY("o")} from orders o
     where ${BY_MERCHANT[merchant]} and ${BY_STATUS[status]} and ${FILTER} ${NEWEST_FIRST} limit $2`,
  );
const listsOf = (merchant: MerchantFilter): Readonly<Record<StatusFilter, Statement>> => ({
  any: listBy(merchant, "any"),
  in_review: listBy(merchant, "in_review"),
  one: listBy(merchant, "one"),
});
const LIST = { any: listsOf("any"), one: listsOf("one") } as const;

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
  /** The stored reason of the status. */
  readonly reason?: string | undefined;
  /** The page begins after the order with this id. */
  readonly after?: bigint | undefined;
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
  const { merchantId, status } = filter;
  const statements = LIST[merchantId === undefined ? "any" : "one"];
  const byStatus = status === undefined || status === "in_review" ? (status ?? "any") : "one";
  const rows = await queryable.query<object>(statements[byStatus], [
    merchantId ?? null,
    filter.limit,
    filter.operation ?? null,
    filter.from ?? null,
    filter.before ?? null,
    filter.unchangedSince ?? null,
    filter.after ?? null,
    filter.reason ?? null,
    byStatus === "one" ? (status ?? null) : null,
  ]);
  return rows.map(readOrderRow);
}
