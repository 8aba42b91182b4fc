import {
  compareDecimals,
  type Decimal,
  multiplyDecimals,
  rescale,
  toDecimal,
} from "@exchange/money";
import type { ExchangeSize, Terms } from "./terms.ts";

/**
 * Returns the terms with the lowest delivery fee among those that accept the amount, or among all if none does. The
 * candidates differ in their delivery method only. The first of equals wins.
 */
export function cheapest(candidates: readonly Terms[], size: ExchangeSize): Terms | undefined {
  const [first, ...others] = candidates;
  if (!first || others.length === 0) return first;
  let best = costOf(first, size);
  for (const candidate of others) {
    const cost = costOf(candidate, size);
    if (isLower(cost, best)) best = cost;
  }
  return best.terms;
}

interface Cost {
  readonly terms: Terms;
  readonly takesAmount: boolean;
  /** In the currency of the amount. */
  readonly fee: Decimal;
}

function costOf(terms: Terms, size: ExchangeSize): Cost {
  const { limits, deliveryMethod, spend } = terms;
  const perEuro = terms[size.side].perEuro;
  // amount ÷ perEuro × spend.perEuro is about the amount spent. Multiplied out, the comparison is exact.
  const spent = multiplyDecimals(size.amount, spend.perEuro);
  const min = multiplyDecimals(toDecimal(limits.min), perEuro);
  const max = multiplyDecimals(toDecimal(limits.max), perEuro);
  const part = { units: BigInt(deliveryMethod.feeBasisPoints), scale: 4 };
  return {
    terms,
    takesAmount: compareDecimals(min, spent) <= 0 && compareDecimals(spent, max) <= 0,
    fee: sum(
      multiplyDecimals(size.amount, part),
      multiplyDecimals(deliveryMethod.fixedFeeEuro, perEuro),
    ),
  };
}

function isLower(cost: Cost, than: Cost): boolean {
  if (cost.takesAmount !== than.takesAmount) return cost.takesAmount;
  return compareDecimals(cost.fee, than.fee) < 0;
}

function sum(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: rescale(a, scale, "down").units + rescale(b, scale, "down").units, scale };
}
