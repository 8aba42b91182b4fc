import { type Exchange, ExchangeError } from "@exchange/node";

/** Cancels an order, or says what to do when that fails. */
export async function cancelOrder(exchange: Exchange, orderId: number): Promise<string> {
  try {
    const order = await exchange.orders.cancel(orderId, { idempotencyKey: `cancel-${orderId}` });
    return order.status;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    if (error.code === "INVALID_ORDER_STATE") return "too late: read the order";
    // All three attempts failed. The same key later still cancels the order only once.
    if (error.retryable) return `try again, request ${error.requestId}`;
    throw error;
  }
}
