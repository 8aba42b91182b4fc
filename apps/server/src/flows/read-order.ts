import type { Quote } from "../domain/quotes/quote.ts";
import type { Queryable } from "../storage/database.ts";
import { listOrderEvents, type OrderEventItem } from "../storage/order-events.ts";
import { findOrder, type Order } from "../storage/orders.ts";
import { latestPaymentAttempt, type PaymentAttempt } from "../storage/payment-attempts.ts";
import { findPayoutIntent, type PayoutIntent } from "../storage/payout-intents.ts";
import { readQuote } from "../storage/quotes.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";

/** An order with all that belongs to it. */
export interface OrderView {
  readonly order: Order;
  readonly quote: Quote;
  readonly attempt: PaymentAttempt | undefined;
  readonly payout: PayoutIntent | undefined;
  readonly timeline: readonly OrderEventItem[];
}

/** Reads an order of the merchant, or of one session of it. Refuses NOT_FOUND. */
export async function readOrder(
  deps: Deps,
  key: { readonly merchantId: string; readonly orderId: bigint; readonly sessionId?: string },
): Promise<OrderView> {
  const order = await findOrder(deps.database, key);
  if (!order || (key.sessionId !== undefined && order.sessionId !== key.sessionId)) {
    throw new Refusal("NOT_FOUND", { message: "There is no such order." });
  }
  return viewOrder(deps.database, order);
}

/** Reads what belongs to an order that was read already. */
export async function viewOrder(queryable: Queryable, order: Order): Promise<OrderView> {
  const [stored, attempt, payout, timeline] = await Promise.all([
    readQuote(queryable, order),
    latestPaymentAttempt(queryable, order.id),
    findPayoutIntent(queryable, order.id),
    listOrderEvents(queryable, order.id),
  ]);
  if (!stored) throw new Error(`the quote of order ${order.id} is missing`);
  return { order, quote: stored.quote, attempt, payout, timeline };
}
