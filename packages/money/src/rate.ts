import type { Decimal } from "./decimal.ts";
import { normalize } from "./decimal.ts";
import { divide, type Rounding } from "./divide.ts";
import type { Asset, Money } from "./money.ts";
import { powerOfTen } from "./power-of-ten.ts";

/** A rate or price is a positive decimal: target coins per base coin. */
export type Rate = Decimal;

/** Rates are published with at most this many significant digits (completion, section 1). */
export const RATE_SIGNIFICANT_DIGITS_MAX = 12;

/**
 * Returns the quotient of two positive integers with at most `digits` significant digits. Throws a
 * RangeError when either is not positive.
 */
export function ratio(
  numerator: bigint,
  denominator: bigint,
  options: { readonly digits: number; readonly rounding: Rounding },
): Rate {
  if (numerator <= 0n || denominator <= 0n) throw new RangeError("a rate is positive");
  const size = numerator.toString().length - denominator.toString().length;
  // The quotient has `size` or `size + 1` digits before the point.
  let scale = options.digits - size;
  let units = shiftedQuotient({ numerator, denominator, rounding: options.rounding }, scale);
  while (units >= powerOfTen(options.digits)) {
    scale -= 1;
    units = shiftedQuotient({ numerator, denominator, rounding: options.rounding }, scale);
  }
  return scale < 0 ? { units: units * powerOfTen(-scale), scale: 0 } : normalize({ units, scale });
}

/** Converts the amount at the rate to the target's smallest units, rounded as named. */
export function convert(
  amount: Money,
  rate: Rate,
  into: { readonly target: Asset; readonly rounding: Rounding },
): Money {
  const scale = amount.asset.decimals + rate.scale - into.target.decimals;
  const product = amount.units * rate.units;
  const units =
    scale >= 0 ? divide(product, powerOfTen(scale), into.rounding) : product * powerOfTen(-scale);
  return { asset: into.target, units };
}

interface Division {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly rounding: Rounding;
}

/** The quotient times 10^`scale`, as an integer. */
function shiftedQuotient({ numerator, denominator, rounding }: Division, scale: number): bigint {
  return scale >= 0
    ? divide(numerator * powerOfTen(scale), denominator, rounding)
    : divide(numerator, denominator * powerOfTen(-scale), rounding);
}
