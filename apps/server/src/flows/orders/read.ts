import type { Order } from "../../domain/orders/order.ts";
import type { OrderView } from "../../domain/orders/view.ts";
import { findOrder } from "../../storage/orders/orders.ts";
import { findOrderView, listOrderViews, type OrderFilter } from "../../storage/orders/views.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";
import { Refusal } from "../refusal.ts";

export type { OrderFilter, OrderPosition } from "../../storage/orders/views.ts";

/** Identifies an order of a merchant, or of one of its sessions. */
export interface OrderKey {
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly sessionId?: string;
}

/** Reads an order with its payments, payouts and timeline. Refuses NOT_FOUND. */
export async function readOrder(deps: Pick<Deps, "database">, key: OrderKey): Promise<OrderView> {
  const view = await findOrderView(deps.database, key);
  if (!view || !isOwn(view.order, key)) throw noSuchOrder();
  return view;
}

/** Reads the order's row alone. Refuses NOT_FOUND. */
export async function requireOwnOrder(deps: Pick<Deps, "database">, key: OrderKey): Promise<Order> {
  const order = await findOrder(deps.database, key.orderId);
  if (!order || !isOwn(order, key)) throw noSuchOrder();
  return order;
}

const isOwn = (order: Order, { merchantId, sessionId }: OrderKey): boolean =>
  order.merchantId === merchantId && (sessionId === undefined || order.sessionId === sessionId);

const noSuchOrder = (): Refusal => new Refusal("NOT_FOUND", { message: "There is no such order." });

/** Lists a merchant's orders, newest first. */
export async function listOrders(
  deps: Pick<Deps, "database">,
  filter: OrderFilter,
  limit: number,
): Promise<Page<OrderView, OrderFilter["after"]>> {
  const found = await listOrderViews(deps.database, filter, limit + 1);
  const { items, last } = pageOf(found, limit);
  return { items: items.map(({ view }) => view), last: last?.position };
}
