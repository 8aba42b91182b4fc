import type { Tx } from "../storage/database.ts";
import type { Order } from "../storage/orders.ts";
import type { Deps } from "./deps.ts";

/** Whether exchanging the order would take our own position in the asset received beyond its limit. */
export async function findShortfall(
  _tx: Tx,
  _deps: Pick<Deps, "catalogue">,
  _order: Order,
): Promise<boolean> {
  return false;
}
