/** How a division rounds. `down` is towards minus infinity, `up` towards plus infinity. */
export type Rounding = "down" | "up" | "half_up";

/** Divides integers and rounds as named. Throws a RangeError when the divisor is not positive. */
export function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (divisor <= 0n) throw new RangeError("the divisor must be positive");
  switch (rounding) {
    case "down":
      return floorDivide(dividend, divisor);
    case "up":
      return -floorDivide(-dividend, divisor);
    case "half_up":
      return floorDivide(2n * dividend + divisor, 2n * divisor);
  }
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
