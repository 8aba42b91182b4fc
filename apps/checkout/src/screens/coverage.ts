import type { CheckoutOrderData } from "@exchange/contract";
import { addWire } from "../amounts/format.ts";
import { awaitsRest } from "../machine/orders.ts";

/** Returns the money that was seen and is not lost, final or not, in the currency that the order is for. */
export function seenOf({ payment, quote }: CheckoutOrderData): number {
  const { currencyCode } = quote.spend;
  const seen = payment.deposits
    .filter((deposit) => deposit.status !== "lost" && deposit.currencyCode === currencyCode)
    .reduce((sum, { amount }) => addWire(sum, amount), 0);
  return Math.max(seen, payment.received);
}

/** Returns the part of the payment that was not seen. It is negative where too much was. */
export const missingOf = (order: CheckoutOrderData): number =>
  addWire(order.quote.spend.amount, -seenOf(order));

/** Whether a payment was seen that is too little, and the rest may follow: while it is not final, or in review. */
export const lacksRest = (order: CheckoutOrderData): boolean =>
  (awaitsRest(order) ||
    (order.status === "payment_pending" && order.payment.deposits.length > 0)) &&
  missingOf(order) > 0;
