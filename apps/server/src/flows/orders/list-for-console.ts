import type { Operation } from "../../domain/catalogue/operation.ts";
import type { Order } from "../../domain/orders/order.ts";
import type { OrderStatus } from "../../domain/orders/status.ts";
import { listMerchants } from "../../storage/merchants/merchants.ts";
import { listNewestOrders } from "../../storage/orders/operator-orders.ts";
import type { Deps } from "../deps.ts";
import { type Page, pageOf } from "../page.ts";

/** A filter of the console's list of orders. A member that is undefined does not filter. */
export interface ConsoleOrderFilter {
  readonly merchantId: string | undefined;
  readonly status: OrderStatus | undefined;
  readonly reason: string | undefined;
  readonly operation: Operation | undefined;
  readonly from: Date | undefined;
  readonly before: Date | undefined;
  readonly unchangedSince: Date | undefined;
  /** The page begins after the order with this id. */
  readonly after: bigint | undefined;
}

/** Lists one page of orders, the newest first. */
export async function listOrdersForConsole(
  { database }: Pick<Deps, "database">,
  filter: ConsoleOrderFilter,
  limit: number,
): Promise<Page<Order, Order>> {
  return pageOf(await listNewestOrders(database, { ...filter, limit: limit + 1 }), limit);
}

/** Reads the names of all merchants by their client ids. Lists show them beside the ids. */
export async function readMerchantNames({
  database,
}: Pick<Deps, "database">): Promise<ReadonlyMap<string, string>> {
  return new Map((await listMerchants(database)).map(({ id, name }) => [id, name]));
}
