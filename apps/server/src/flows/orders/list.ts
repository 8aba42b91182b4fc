import type { OrderView } from "../../domain/orders/view.ts";
import { listOrderViews, type OrderFilter } from "../../storage/orders/views.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

export type { OrderFilter, OrderPosition } from "../../storage/orders/views.ts";

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
