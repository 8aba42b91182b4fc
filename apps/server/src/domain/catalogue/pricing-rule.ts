import {
  AMOUNT_SIGNIFICANT_DIGITS_MAX,
  compareDecimals,
  type Decimal,
  multiplyDecimals,
  powerOfTen,
} from "@exchange/money";
import type { Currency, LimitRange } from "./currency.ts";
import type { Operation } from "./operation.ts";

/**
 * The price and the limits of the exchanges that it matches. A selector of null matches everything.
 * `Catalogue.pricingRulesFor` decides the precedence of rules.
 */
export interface PricingRule {
  readonly reference: string;
  readonly merchantId: string | null;
  readonly operation: Operation | null;
  readonly paymentMethodReference: string | null;
  /** Lower-case reference or code of the currency on either side. */
  readonly currency: string | null;
  readonly spreadBasisPoints: number;
  readonly feeBasisPoints: number;
  readonly fixedFeeEuro: Decimal;
  readonly limits: LimitRange;
  readonly enabled: boolean;
  /** The change that made it so. Absent where the rule is as the catalogue's files have it. */
  readonly changeId?: number;
}

/** The highest spread and the highest fee of a rule: 20 percent. */
export const BASIS_POINTS_MAX = 2_000;

/** Published amounts are below this number of steps, and twice the limit must fit. */
const AMOUNT_STEPS_MAX: Decimal = { units: powerOfTen(AMOUNT_SIGNIFICANT_DIGITS_MAX), scale: 0 };

/** Returns whether amounts up to the maximum, in euro, can be sent in the currency. */
export const fitsAmounts = (
  maxEuro: Decimal,
  { perEuro, publishedDecimals }: Pick<Currency, "perEuro" | "publishedDecimals">,
): boolean => {
  const twice = { units: 2n * powerOfTen(publishedDecimals), scale: 0 };
  const steps = multiplyDecimals(multiplyDecimals(maxEuro, perEuro), twice);
  return compareDecimals(steps, AMOUNT_STEPS_MAX) < 0;
};
