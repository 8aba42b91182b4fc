import { divide, type Rounding } from "./divide.ts";
import { powerOfTen } from "./power-of-ten.ts";

/**
 * An exact decimal number: `units` × 10^-`scale`. Scales are not normalised: 1.50 is `{ 150n, 2 }`.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const DECIMAL_TEXT = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** Reads "12.30", "-4" or "1e-7"; undefined when the text is not a finite decimal number. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL_TEXT.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  const units = scale < 0 ? digits * powerOfTen(-scale) : digits;
  return { units: sign === "-" ? -units : units, scale: Math.max(scale, 0) };
}

/** The same number without trailing zeros after the point. */
export function normalize(value: Decimal): Decimal {
  const { units, scale } = value;
  if (scale === 0) return value;
  if (units === 0n) return { units, scale: 0 };
  const zeros = Math.min(trailingZeros(units.toString()), scale);
  return zeros === 0 ? value : { units: units / powerOfTen(zeros), scale: scale - zeros };
}

// Comparing digits of text takes a fraction of the time of dividing big integers.
function trailingZeros(digits: string): number {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.length - end;
}

const ZERO = 0x30;

/** The number in fixed notation, without trailing zeros: "0.00000001", "100", "-2.5". */
export function formatDecimal({ units, scale }: Decimal): string {
  if (scale === 0) return units.toString();
  if (units < 0n) return `-${formatDecimal({ units: -units, scale })}`;
  const digits = units.toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  const end = Math.max(digits.length - trailingZeros(digits), point);
  const whole = digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

/** Returns the number at another scale. Rounding matters only when digits are dropped. */
export function rescale(value: Decimal, scale: number, rounding: Rounding): Decimal {
  if (scale >= value.scale) {
    return { units: value.units * powerOfTen(scale - value.scale), scale };
  }
  return { units: divide(value.units, powerOfTen(value.scale - scale), rounding), scale };
}

/** -1, 0 or 1, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const left = rescale(a, scale, "down").units;
  const right = rescale(b, scale, "down").units;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Exact product; scales add up. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/**
 * Counts the digits of the number without trailing zeros after the point: 2 for 0.0120, 3 for 120.
 */
export function significantDigits(value: Decimal): number {
  const { units } = normalize(value);
  return (units < 0n ? -units : units).toString().length;
}
