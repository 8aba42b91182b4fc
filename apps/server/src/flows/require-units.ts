import { type Decimal, fromDecimal, normalize } from "@exchange/money";
import type { Currency } from "../domain/catalogue/currency.ts";
import { Refusal } from "./refusal.ts";

/**
 * Returns an amount of whole coins in the smallest units of its currency. `field` is the member of a request that has
 * the amount. Refuses AMOUNT_PRECISION where the amount has a digit below the smallest unit.
 */
export function requireUnits(currency: Currency, amount: Decimal, field?: string): bigint {
  const { code, decimals } = currency;
  if (normalize(amount).scale <= decimals) return fromDecimal(currency, amount, "down").units;
  throw new Refusal("AMOUNT_PRECISION", {
    message: `${code} has ${decimals} decimals.`,
    ...(field !== undefined && {
      details: [{ field, issue: `has more than ${decimals} decimals` }],
    }),
  });
}
