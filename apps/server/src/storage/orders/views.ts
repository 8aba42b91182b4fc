import type { Operation } from "../../domain/catalogue/operation.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import { sharedBatcher } from "../postgres/batches.ts";
import { type Queryable, statement } from "../postgres/database.ts";
import { listConditions, sinceEpoch } from "../postgres/list-conditions.ts";
import {
  type OrderView,
  type OrderViewRow,
  toOrderView,
  VIEW_COLUMNS,
  VIEW_JOINS,
} from "./view-row.ts";

export type { OrderView } from "./view-row.ts";

// One statement: one moment and one round trip for all orders that are read at the same time.
const FIND = statement(
  "order_views_find",
  `select ${VIEW_COLUMNS}, wanted.line::int
   from unnest($1::text[], $2::bigint[]) with ordinality as wanted (merchant_id, id, line)
     cross join lateral (select * from orders where id = wanted.id offset 0) o ${VIEW_JOINS}
   where o.merchant_id = wanted.merchant_id`,
);

export interface OrderViewKey {
  readonly merchantId: string;
  readonly orderId: bigint;
}

interface FoundRow extends OrderViewRow {
  readonly line: number;
}

/**
 * Reads an order; undefined where there is no such order. Reads that start at the same time share a
 * statement.
 */
export const findOrderView = sharedBatcher<Queryable, OrderViewKey, OrderView | undefined>(
  (queryable) => ({
    run: async (keys) => {
      const rows = await queryable.query<FoundRow>(FIND, [
        keys.map((key) => key.merchantId),
        keys.map((key) => key.orderId),
      ]);
      const views: (OrderView | undefined)[] = keys.map(() => undefined);
      for (const row of rows) views[row.line - 1] = toOrderView(row);
      return views;
    },
    batchesInFlightMax: 3,
    itemsMax: 32,
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
