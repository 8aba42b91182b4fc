import type { CheckoutOrderData } from "@exchange/contract";
import { addWire } from "../amounts/format.ts";

/** Returns the money that was seen and is not lost, final or not, in the currency that the order is for. */
export function seenOf({ payment, quote }: CheckoutOrderData): number {
  const { currencyCode } = quote.spend;
  return payment.deposits
    .filter((deposit) => deposit.status !== "lost" && deposit.currencyCode === currencyCode)
    .reduce((sum, { amount }) => addWire(sum, amount), 0);
}

/** Whether a payment was seen that is too little, while it is not final. The rest may follow. */
export const isShort = (order: CheckoutOrderData): boolean =>
  order.status === "payment_pending" &&
  order.payment.deposits.length > 0 &&
  seenOf(order) < order.quote.spend.amount;
