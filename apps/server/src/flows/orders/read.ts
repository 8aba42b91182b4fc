import { findOrderStamp } from "../../storage/orders/stamps.ts";
import {
  findOrderView,
  findStampedOrderView,
  type OrderView,
  type StampedOrderView,
} from "../../storage/orders/views.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

export type { OrderView } from "../../storage/orders/views.ts";

/** Names an order of a merchant, or of one session of it. */
export interface OrderKey {
  readonly merchantId: string;
  readonly orderId: bigint;
  readonly sessionId?: string;
}

/** Reads an order with its whole story. Refuses NOT_FOUND. */
export async function readOrder(deps: Pick<Deps, "database">, key: OrderKey): Promise<OrderView> {
  const view = await findOrderView(deps.database, key);
  requireOwn(view, key);
  return view;
}

/** The same with a stamp: while `readOrderStamp` gives it, the order shows nothing else. */
export async function readStampedOrder(
  deps: Pick<Deps, "database">,
  key: OrderKey,
): Promise<StampedOrderView> {
  const found = await findStampedOrderView(deps.database, key);
  requireOwn(found?.view, key);
  return found as StampedOrderView;
}

/** What the order's stamp is now. Costs a fifth of reading it. */
export const readOrderStamp = (
  deps: Pick<Deps, "database">,
  orderId: bigint,
): Promise<string | undefined> => findOrderStamp(deps.database, orderId);

function requireOwn(view: OrderView | undefined, key: OrderKey): asserts view is OrderView {
  if (!view || (key.sessionId !== undefined && view.order.sessionId !== key.sessionId)) {
    throw new Refusal("NOT_FOUND", { message: "There is no such order." });
  }
}
