import type { Order, OrderNote } from "../../domain/orders/order.ts";
import type { StatusReason } from "../../domain/orders/status.ts";
import type { OrderEventItem } from "../../domain/orders/view.ts";
import { type Queryable, statement } from "../postgres/database.ts";

/** Returns the timeline item that the latest change of an order wrote. */
export const itemOf = (
  { status, statusReason, updatedAt: at }: Order,
  { actor, note }: OrderNote,
): OrderEventItem => ({ status, statusReason, actor, note, at });

const WAS_HELD_FOR = statement(
  "order_events_was_held_for",
  `select exists (select from order_events
     where order_id = $1 and status = 'in_review' and status_reason = $2) as held`,
);

/** Returns whether the order was ever in review for this reason. */
export async function wasHeldFor(
  queryable: Queryable,
  orderId: bigint,
  reason: StatusReason,
): Promise<boolean> {
  const [row] = await queryable.query<{ held: boolean }>(WAS_HELD_FOR, [orderId, reason]);
  return row?.held === true;
}
