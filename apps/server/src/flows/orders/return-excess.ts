import type { OrderStatus } from "../../domain/orders/status.ts";
import type { Order } from "../../storage/orders/orders.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { isReturnable, oweRefund } from "../payouts/owe-refund.ts";
import { readHeldMoney } from "./held-money.ts";

/** Where nobody decides any more about what is held beyond the order's spend: it goes back. */
const SETTLED: readonly OrderStatus[] = ["sending", "completed", "failed", "refunded"];

/**
 * Sends back what an order received and has no use for: what was paid too much, in another asset, or
 * a second time. Coins without a refund address stay held until one is told.
 */
export async function returnExcess(tx: Tx, deps: Deps, order: Order): Promise<void> {
  if (!SETTLED.includes(order.status)) return;
  const { held } = await readHeldMoney(tx, order);
  for (const receipt of held) {
    if (!isReturnable(order, receipt)) continue;
    oweRefund(tx, deps, { order, receipt, purpose: "excess_refund" });
  }
}
