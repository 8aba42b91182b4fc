import { divide, type Money } from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";

/**
 * The value of an amount in euro cents at the catalogue's stable figure, the unit that limits are
 * stated in; rounded up, so that nothing slips under a limit.
 */
export function euroCentsOf(amount: Money & { readonly asset: Currency }): bigint {
  const { perEuro, decimals } = amount.asset;
  const numerator = amount.units * 100n * 10n ** BigInt(perEuro.scale);
  return divide(numerator, perEuro.units * 10n ** BigInt(decimals), "up");
}
