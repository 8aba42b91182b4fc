import type { Order } from "../../storage/orders/orders.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { type Owed, type OwedParts, owe, owedParts } from "./owe.ts";

/** What the order's customer gets, on the rail of its delivery method, in the caller's database transaction. */
export const owePayout = (tx: Tx, deps: Deps, order: Order): string =>
  owe(tx, deps, { order, owed: payoutOf(deps, order) });

/** The same, to be written with an order's step. */
export const payoutParts = (deps: Deps, order: Order): OwedParts =>
  owedParts(deps, order, payoutOf(deps, order));

function payoutOf(deps: Deps, order: Order): Owed {
  const delivery = deps.catalogue().deliveryMethodById(order.deliveryMethodId);
  return {
    purpose: "payout",
    rail: delivery?.type === "on_chain" ? "chain" : "bank",
    assetId: order.receiveAssetId,
    units: order.receiveUnits,
    networkCode: order.networkCode,
    address: order.walletAddress,
    memo: order.memo,
  };
}
