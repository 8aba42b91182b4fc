import type { OrderView } from "../../domain/orders/view.ts";
import type { Deps } from "../deps.ts";

/** Returns the address of the order's own page. Null once the page was revoked or the customer was erased. */
export const customerUrlOf = (
  { order, isPageRevoked }: Pick<OrderView, "order" | "isPageRevoked">,
  { orderPages, publicUrl }: Pick<Deps, "orderPages" | "publicUrl">,
): string | null =>
  isPageRevoked || order.dataKey === null
    ? null
    : `${publicUrl}/o/${orderPages.secretOf(order.id)}`;
