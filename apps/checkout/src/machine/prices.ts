import type { QuoteData } from "@exchange/contract";
import { compareDecimals, multiplyDecimals } from "@exchange/money";
import { decimalOf } from "../amounts/format.ts";

// A result worse by more than a thousandth needs the customer's word.
const STILL_FINE = { units: 999n, scale: 3 };

/** Whether the newer quote gives clearly less for the money, or asks clearly more for the coins. */
export function isWorse(newer: QuoteData, seen: QuoteData): boolean {
  // Cross-multiplied so that nothing is divided: receive/spend, newer against seen.
  const newerGives = multiplyDecimals(
    decimalOf(newer.receive.amount),
    decimalOf(seen.spend.amount),
  );
  const seenGives = multiplyDecimals(decimalOf(seen.receive.amount), decimalOf(newer.spend.amount));
  return compareDecimals(newerGives, multiplyDecimals(seenGives, STILL_FINE)) < 0;
}

/** Whether two quotes are for the same two currencies, so that their prices can be compared. */
export const isSamePair = (a: QuoteData, b: QuoteData): boolean =>
  a.spend.currencyCode === b.spend.currencyCode &&
  a.receive.currencyReference === b.receive.currencyReference;
