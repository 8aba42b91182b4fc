import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Order } from "../../domain/orders/order.ts";
import { ORDER_MOVES, type OrderStatus } from "../../domain/orders/status.ts";
import { type Queryable, type Statement, statement } from "../postgres/database.ts";
import { ORDER_KEY, readOrderRow } from "./table.ts";

/** The operator reads orders of every merchant, by id alone. */

const NEWEST_FIRST = "order by created_at desc, id desc";

// A filter that is left out is null. A page begins after the order with the id $7. One bound on either side of the time is
// where an index begins and ends, also in a plan that knows no values. An order changes after it is placed.
const PREVIOUS = "(select p.created_at from orders p where p.id = $7::bigint)";
const FILTER = `created_at >= coalesce($4::timestamptz, '-infinity')
       and created_at <= coalesce(least($5::timestamptz, $6::timestamptz, ${PREVIOUS}), 'infinity')
       and ($5 is null or created_at < $5) and ($6 is null or updated_at <= $6)
       and ($7 is null or id < $7 or created_at < ${PREVIOUS})`;
const IN_OPERATION = "($3::text is null or operation = $3)";

/** Members of a statement's name and text, so that each filter with an index of its own has a plan of its own. */
const BY_MERCHANT = { any: "$1::text is null", one: "merchant_id = $1" } as const;
type MerchantFilter = keyof typeof BY_MERCHANT;

/** An index has the orders of a status, or of a status and a reason, in the order of the list. */
const IN_STATUS = {
  status: "status = asked.status and $9::text is null",
  reason: "status = asked.status and status_reason = $9",
} as const;

const listNewest = (merchant: MerchantFilter): Statement =>
  statement(
    `operator_orders_list_${merchant}`,
    `select o.*, ${ORDER_KEY("o")} from orders o
     where ${BY_MERCHANT[merchant]} and $3::text is null and $8::text[] is null and $9::text is null and ${FILTER}
     ${NEWEST_FIRST} limit $2`,
  );
// An index has the orders of a merchant's operation. A page of each merchant is read, and they are merged into one page.
const OF_MERCHANT = { any: "$1::text is null", one: "m.id = $1" } as const;
const listInOperation = (merchant: MerchantFilter): Statement =>
  statement(
    `operator_orders_list_${merchant}_operation`,
    `select o.*, ${ORDER_KEY("o")} from merchants m cross join lateral (
       select * from orders where merchant_id = m.id and operation = $3::text and ${FILTER} ${NEWEST_FIRST} limit $2) o
     where ${OF_MERCHANT[merchant]} and $8::text[] is null and $9::text is null
     ${NEWEST_FIRST} limit $2`,
  );
// A page of each asked status is read. They are merged into one page.
const listInStatus = (merchant: MerchantFilter, by: keyof typeof IN_STATUS): Statement =>
  statement(
    `operator_orders_list_${merchant}_${by}`,
    `select o.*, ${ORDER_KEY("o")} from unnest($8::text[]) asked (status) cross join lateral (
       select * from orders where ${BY_MERCHANT[merchant]} and ${IN_STATUS[by]} and ${IN_OPERATION} and ${FILTER}
       ${NEWEST_FIRST} limit $2) o
     ${NEWEST_FIRST} limit $2`,
  );
const listsOf = (merchant: MerchantFilter) => ({
  newest: listNewest(merchant),
  operation: listInOperation(merchant),
  status: listInStatus(merchant, "status"),
  reason: listInStatus(merchant, "reason"),
});
const LIST = { any: listsOf("any"), one: listsOf("one") } as const;

const STATUSES = Object.keys(ORDER_MOVES);

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

/** Lists the newest orders that match the filter. */
export async function listNewestOrders(
  queryable: Queryable,
  filter: OperatorOrderFilter,
): Promise<Order[]> {
  const { merchantId, status, reason } = filter;
  const lists = LIST[merchantId === undefined ? "any" : "one"];
  const by = indexFor(filter);
  const anyStatus = reason === undefined ? null : STATUSES;
  const rows = await queryable.query<object>(lists[by], [
    merchantId ?? null,
    filter.limit,
    filter.operation ?? null,
    filter.from ?? null,
    filter.before ?? null,
    filter.unchangedSince ?? null,
    filter.after ?? null,
    status === undefined ? anyStatus : [status],
    reason ?? null,
  ]);
  return rows.map(readOrderRow);
}

/** Returns the filter whose index is read. The others are compared with each order of it. */
function indexFor({ status, reason, operation }: OperatorOrderFilter): keyof typeof LIST.any {
  if (reason !== undefined) return "reason";
  if (status !== undefined) return "status";
  return operation === undefined ? "newest" : "operation";
}
