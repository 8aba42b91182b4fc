import { type LockedOrder, lockOrder } from "../../storage/orders/orders.ts";
import type { Tx } from "../../storage/postgres/database.ts";

/** Locks an order that a job is about: it is there, or something of ours is broken. */
export async function requireOrder(tx: Tx, id: bigint): Promise<LockedOrder> {
  const order = await lockOrder(tx, id);
  if (!order) throw new Error(`order ${id} is missing`);
  return order;
}
