const AMOUNT = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]\d{1,3}))?$/;
const DECIMALS_MAX = 18;

/**
 * Converts an amount to an exact integer of its smallest units: `toUnits(0.1, 2)` is `10n`. Add and
 * compare amounts as units. `decimals` comes from `currencies.list`. Throws a RangeError for an
 * amount with more decimals.
 */
export function toUnits(amount: number | string, decimals: number): bigint {
  requireDecimals(decimals);
  // The shortest text of the double is the amount in the JSON, which has at most 15 digits.
  const [, sign, whole = "", fraction = "", power = "0"] = AMOUNT.exec(String(amount)) ?? [];
  if (sign === undefined) throw new RangeError("The amount is not a decimal number.");
  const shift = decimals + Number(power) - fraction.length;
  const digits = BigInt(whole + fraction);
  const divisor = 10n ** BigInt(Math.max(-shift, 0));
  if (digits % divisor !== 0n) {
    throw new RangeError(`The amount has more than ${decimals} decimals.`);
  }
  const units = (digits / divisor) * 10n ** BigInt(Math.max(shift, 0));
  return sign === "-" ? -units : units;
}

/**
 * Formats smallest units as an amount in fixed notation: `formatUnits(1n, 8)` is `"0.00000001"`.
 */
export function formatUnits(units: bigint, decimals: number): string {
  requireDecimals(decimals);
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

function requireDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX) return;
  throw new RangeError(`decimals must be a whole number from 0 to ${DECIMALS_MAX}.`);
}
