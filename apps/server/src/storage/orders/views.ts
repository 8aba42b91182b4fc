import type { Operation } from "../../domain/catalogue/operation.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import { sharedBatcher } from "../postgres/batches.ts";
import { type Queryable, type Statement, statement } from "../postgres/database.ts";
import { listConditions, sinceEpoch } from "../postgres/list-conditions.ts";
import { STAMP } from "./stamps.ts";
import {
  type OrderView,
  type OrderViewRow,
  toOrderView,
  VIEW_COLUMNS,
  VIEW_JOINS,
} from "./view-row.ts";

export type { OrderView } from "./view-row.ts";

// One statement: one moment and one round trip for all orders that are asked for at the same time.
const found = (columns: string): string =>
  `select ${columns}, wanted.line::int
   from unnest($1::text[], $2::bigint[]) with ordinality as wanted (merchant_id, id, line)
     cross join lateral (select *, xmin from orders where id = wanted.id offset 0) o ${VIEW_JOINS}
   where o.merchant_id = wanted.merchant_id`;
const FIND = statement("order_views_find", found(VIEW_COLUMNS));
const FIND_STAMPED = statement(
  "order_views_find_stamped",
  found(`${VIEW_COLUMNS}, ${STAMP} as stamp`),
);

export interface OrderViewKey {
  readonly merchantId: string;
  readonly orderId: bigint;
}

/** An order, and what `readOrderStamps` says of it for as long as it is so. */
export interface StampedOrderView {
  readonly view: OrderView;
  readonly stamp: string;
}

interface FoundRow extends OrderViewRow {
  readonly line: number;
}

/** Finds what is asked for at the same time at one moment; undefined where there is no such order. */
const sharedFind = <Row extends FoundRow, Found>(find: Statement, toFound: (row: Row) => Found) =>
  sharedBatcher<Queryable, OrderViewKey, Found | undefined>((queryable) => ({
    run: async (keys) => {
      const rows = await queryable.query<Row>(find, [
        keys.map((key) => key.merchantId),
        keys.map((key) => key.orderId),
      ]);
      const all: (Found | undefined)[] = keys.map(() => undefined);
      for (const row of rows) all[row.line - 1] = toFound(row);
      return all;
    },
    batchesInFlightMax: 3,
    itemsMax: 32,
  }));

/** Reads an order. Those that are asked for at the same time share a statement. */
export const findOrderView = sharedFind(FIND, toOrderView);

/** The same with its stamp, which is of the very moment that the order was read at. */
export const findStampedOrderView = sharedFind(
  FIND_STAMPED,
  (row: FoundRow & { readonly stamp: string }): StampedOrderView => ({
    view: toOrderView(row),
    stamp: row.stamp,
  }),
);

/** Where an order stands in a list: newest first, and by id among those of one moment. */
export interface OrderPosition {
  /** Microseconds since 1970, as exact as the row has it. */
  readonly createdAtMicros: bigint;
  readonly id: bigint;
}

/** Which of a merchant's orders are listed; what is left out matches all. */
export interface OrderFilter {
  readonly merchantId: string;
  readonly status?: OrderStatus | undefined;
  readonly operation?: Operation | undefined;
  readonly sessionId?: string | undefined;
  /** Unix seconds; inclusive. */
  readonly createdFrom?: number | undefined;
  /** Unix seconds; exclusive. */
  readonly createdTo?: number | undefined;
  /** The order before the first one listed. */
  readonly after?: OrderPosition | undefined;
}

export interface ListedOrder {
  readonly view: OrderView;
  readonly position: OrderPosition;
}

/** The newest orders that match, at most `limit`. */
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
