import type { Catalogue } from "../catalogue/catalogue.ts";
import type { PaymentMethod } from "../catalogue/methods.ts";
import type { Transition } from "../orders/transition.ts";

const DAY_SECONDS = 24 * 60 * 60;
const CARD_WINDOW_SECONDS = 30 * 60;
const TRANSFER_DAYS = 3;
/** The time in which coins must be seen to keep their locked rate (completion, section 6). */
export const COIN_WINDOW_SECONDS = 15 * 60;
/** The time in which a customer answers a new price. Without an answer the money is returned. */
const PRICE_ANSWER_SECONDS = DAY_SECONDS;

/** Returns the time for which an order waits for a payment by this method (completion, section 6). */
export function paymentWindowSeconds(method: Pick<PaymentMethod, "type" | "days">): number {
  switch (method.type) {
    case "card":
      return CARD_WINDOW_SECONDS;
    case "crypto":
      return COIN_WINDOW_SECONDS;
    default:
      return transferDays(method.days.max ?? 0) * DAY_SECONDS;
  }
}

/** Returns the seconds of the window that a transition opens; null where the order's window does not change. */
export function windowSecondsAfter(
  { opensAnswer, reopensPayment }: Pick<Transition, "opensAnswer" | "reopensPayment">,
  { paymentMethodId }: { readonly paymentMethodId: number },
  catalogue: Pick<Catalogue, "paymentMethodById">,
): number | null {
  if (opensAnswer) return PRICE_ANSWER_SECONDS;
  if (!reopensPayment) return null;
  const method = catalogue.paymentMethodById(paymentMethodId);
  if (!method) throw new Error(`payment method ${paymentMethodId} is not in the catalogue`);
  return paymentWindowSeconds(method);
}

/**
 * Returns the calendar days that a transfer may take: three if it can arrive in them (completion, section 6). A
 * slower transfer has one more working day, in which the customer sends it. Every five working days may contain a
 * weekend (docs/decisions/0108-wait-for-a-slow-transfer-as-long-as-it-takes.md).
 */
function transferDays(arrivalDays: number): number {
  if (arrivalDays <= TRANSFER_DAYS) return TRANSFER_DAYS;
  const workingDays = 1 + arrivalDays;
  return workingDays + 2 * Math.ceil(workingDays / 5);
}
