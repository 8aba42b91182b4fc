import type { Actor, OrderStatus, StatusReason } from "../domain/orders/status.ts";
import { type Queryable, statement } from "./database.ts";

/** One item of an order's timeline. */
export interface OrderEventItem {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly actor: Actor;
  readonly note: string;
  readonly at: Date;
}

const LIST = statement(
  "order_events_list",
  `select status, status_reason as "statusReason", actor, note, at
   from order_events where order_id = $1 order by sequence`,
);

export const listOrderEvents = (
  queryable: Queryable,
  orderId: bigint,
): Promise<OrderEventItem[]> => queryable.query<OrderEventItem>(LIST, [orderId]);
