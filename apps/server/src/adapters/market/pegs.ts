import type { Decimal } from "@exchange/money";
import { basisPointsApart } from "./exact.ts";

/** Coins that promise the value of a currency. The market sets their price, and the promise is only a check. */
export const COIN_PEGS: ReadonlyMap<string, string> = new Map([
  ...["USDT", "USDC", "DAI", "PYUSD"].map((coin) => [coin, "USD"] as const),
  ["EURC", "EUR"],
]);

/** The distances from the peg, in basis points, beyond which there is a warning, and no price. */
const WARN_BEYOND = 50;
const REFUSE_BEYOND = 300;

/** Returns whether a coin's price is too far from the currency that it promises. */
export function guardPeg(
  price: Decimal,
  promised: Decimal,
): { readonly refusal?: string; readonly warning?: string } {
  const apart = basisPointsApart(price, promised);
  if (apart > REFUSE_BEYOND) return { refusal: `off its peg by ${apart} basis points` };
  return apart > WARN_BEYOND ? { warning: `${apart} basis points off its peg` } : {};
}

/** A rate that a central bank promises: the units of the currency for one `to`. */
export interface OfficialPeg {
  readonly to: "USD" | "EUR";
  readonly units: Decimal;
}

const peg = (to: OfficialPeg["to"], units: bigint, scale: number): OfficialPeg => ({
  to,
  units: { units, scale },
});

/** The currencies that may be priced by their peg, with the operator's consent for each. */
export const OFFICIAL_PEGS: ReadonlyMap<string, OfficialPeg> = new Map([
  ["AED", peg("USD", 36_725n, 4)],
  ["SAR", peg("USD", 375n, 2)],
  ["QAR", peg("USD", 364n, 2)],
  ["BHD", peg("USD", 376n, 3)],
  ["OMR", peg("USD", 3_845n, 4)],
  ["JOD", peg("USD", 709n, 3)],
  ["XOF", peg("EUR", 655_957n, 3)],
]);
