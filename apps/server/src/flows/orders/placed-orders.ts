import type { Database } from "../../storage/postgres/database.ts";
import { makeKept } from "../kept.ts";
import type { OrderKey, OrderView } from "./read.ts";

/** Most customers pay right after they placed. */
const placed = makeKept<bigint, OrderView>(2_000);

/** Remembers an order as it was placed, for the call that pays it. */
export function keepPlaced(database: Database, view: OrderView): OrderView {
  placed.keep(database, view.order.id, view);
  return view;
}

/** An order as this process placed it; it may have changed since. */
export function takePlaced(database: Database, key: OrderKey): OrderView | undefined {
  const view = placed.take(database, key.orderId);
  const isTheirs =
    view?.order.merchantId === key.merchantId &&
    (key.sessionId === undefined || view.order.sessionId === key.sessionId);
  return isTheirs ? view : undefined;
}
