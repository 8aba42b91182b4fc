import { type Decimal, divide, powerOfTen, ratio, rescale } from "@exchange/money";

/** The digits of a price that follows from a division. */
const DIGITS = 24;
const WHOLE = 10_000n;

/** Returns both numbers' units at one scale. */
function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [rescale(a, scale, "down").units, rescale(b, scale, "down").units, scale];
}

/** Returns the exact midpoint of two numbers. */
export function midpointOf(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b);
  return { units: (left + right) * 5n, scale: scale + 1 };
}

/** Returns a ÷ b for numbers above zero. */
export const quotient = (a: Decimal, b: Decimal): Decimal =>
  ratio(a.units * powerOfTen(b.scale), b.units * powerOfTen(a.scale), {
    digits: DIGITS,
    rounding: "half_up",
  });

/** Returns how far `a` is from `b`, in basis points of `b`, rounded up. */
export function basisPointsApart(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b);
  const distance = left > right ? left - right : right - left;
  return Number(divide(distance * WHOLE, right, "up"));
}
