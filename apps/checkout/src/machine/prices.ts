import type { QuoteData } from "@exchange/contract";
import { compareDecimals, type Decimal, multiplyDecimals } from "@exchange/money";
import { decimalOf } from "../amounts/format.ts";

// A result worse by more than a thousandth needs the customer's word.
const STILL_FINE: Decimal = { units: 999n, scale: 3 };
const ALL: Decimal = { units: 1n, scale: 0 };

/** Whether the newer quote gives clearly less for the money, or asks clearly more for the coins. */
export const isWorse = (newer: QuoteData, seen: QuoteData): boolean =>
  givesLess(newer, seen, STILL_FINE);

/** Whether the newer quote gives more for the same, however little. */
export const isBetter = (newer: QuoteData, seen: QuoteData): boolean => givesLess(seen, newer, ALL);

/** Whether one quote gives less than a share of what the other gives for the same. */
function givesLess(one: QuoteData, other: QuoteData, share: Decimal): boolean {
  // Cross-multiplied so that nothing is divided: receive/spend of the one against the other's.
  const oneGives = multiplyDecimals(decimalOf(one.receive.amount), decimalOf(other.spend.amount));
  const otherGives = multiplyDecimals(decimalOf(other.receive.amount), decimalOf(one.spend.amount));
  return compareDecimals(oneGives, multiplyDecimals(otherGives, share)) < 0;
}

/** Whether two quotes are for the same two currencies, so that their prices can be compared. */
export const isSamePair = (a: QuoteData, b: QuoteData): boolean =>
  a.spend.currencyCode === b.spend.currencyCode &&
  a.receive.currencyReference === b.receive.currencyReference;
