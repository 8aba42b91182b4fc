import { type Exchange, ExchangeError } from "@exchange/node";

/** Cancels an order, and tells what to do when that does not work. */
export async function cancelOrder(exchange: Exchange, orderId: number): Promise<string> {
  try {
    const order = await exchange.orders.cancel(orderId, { idempotencyKey: `cancel-${orderId}` });
    return order.status;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    if (error.code === "INVALID_ORDER_STATE") return "too late: read the order";
    // It was tried three times. The same key later does it once, whatever became of those.
    if (error.retryable) return `try again, request ${error.requestId}`;
    throw error;
  }
}
