import type { Tx } from "../storage/database.ts";
import type { Order } from "../storage/orders.ts";
import type { Deps } from "./deps.ts";
import { owe } from "./owe.ts";

/** What the order's customer gets, on the rail of its delivery method. */
export function owePayout(tx: Tx, deps: Deps, order: Order): string {
  const delivery = deps.catalogue().deliveryMethodById(order.deliveryMethodId);
  const rail = delivery?.type === "on_chain" ? ("chain" as const) : ("bank" as const);
  return owe(tx, deps, {
    order,
    owed: {
      purpose: "payout",
      rail,
      assetId: order.receiveAssetId,
      units: order.receiveUnits,
      networkCode: order.networkCode,
      address: order.walletAddress,
      memo: order.memo,
    },
  });
}
