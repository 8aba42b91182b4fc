import {
  compareDecimals,
  type Decimal,
  divide,
  formatDecimal,
  type Money,
  money,
  multiplyDecimals,
  type Rounding,
  rescale,
  toDecimal,
} from "@exchange/money";
import type { Country } from "../catalogue/country.ts";
import type { Currency, LimitRange } from "../catalogue/currency.ts";
import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { publishedStep } from "./published-step.ts";
import type { LimitBound } from "./result.ts";
import { rangeWords, type Trace } from "./trace.ts";

/** The least and the most of an exchange, in the currency spent. */
export interface Limits {
  readonly min: Money;
  readonly max: Money;
  readonly minBoundBy: LimitBound;
  readonly maxBoundBy: LimitBound;
}

export interface LimitParties {
  readonly rule: PricingRule;
  readonly spend: Currency;
  readonly receive: Currency;
  readonly paymentMethod: PaymentMethod;
  readonly deliveryMethod: DeliveryMethod;
  readonly country?: Country | undefined;
  readonly trace?: Trace;
}

/** The least exchange is this multiple of its fixed fees: below it, little would be left. */
export const FIXED_FEES_MULTIPLE = 4n;
/** Published limits have this many significant digits, rounded inwards: 12, 0.00013, 8700. */
const LIMIT_SIGNIFICANT_DIGITS = 2;

/**
 * Returns the tightest of all limits that apply. They are stated in euro and converted at each currency's
 * stable rate, so they do not move with the market. A minimum above the maximum means that the parties
 * have no amount in common.
 */
export function tightestLimits(parties: LimitParties): Limits {
  const { spend } = parties;
  const bounds = boundsOf(parties);
  let min: Bound | undefined;
  let max: Bound | undefined;
  let [minEuro, maxEuro] = [ZERO, HIGHEST];
  for (const bound of bounds) {
    const { range } = bound;
    if (range.minEuro && compareDecimals(range.minEuro, minEuro) > 0) {
      [minEuro, min] = [range.minEuro, bound];
    }
    if (range.maxEuro && compareDecimals(range.maxEuro, maxEuro) < 0) {
      [maxEuro, max] = [range.maxEuro, bound];
    }
  }
  const limits = {
    min: inCurrency(spend, minEuro, "up"),
    max: inCurrency(spend, maxEuro, "down"),
    minBoundBy: min?.by ?? "merchant",
    maxBoundBy: max?.by ?? "merchant",
  };
  if (parties.trace) traceBounds(parties, bounds, { ...limits, minBound: min, maxBound: max });
  return limits;
}

/** The range of one party, in euro. `whose` names the party. */
interface Bound {
  readonly by: LimitBound;
  readonly whose: string;
  readonly range: LimitRange;
}

function boundsOf(parties: LimitParties): readonly Bound[] {
  const { rule, spend, receive, paymentMethod, deliveryMethod, country } = parties;
  return [
    { by: "payment_method", whose: paymentMethod.reference, range: paymentMethod.limits },
    { by: "delivery_method", whose: deliveryMethod.reference, range: deliveryMethod.limits },
    { by: "currency", whose: spend.reference, range: spend.limits },
    { by: "currency", whose: receive.reference, range: receive.limits },
    ...(country ? [{ by: "country", whose: country.code, range: country.limits } as const] : []),
    { by: "merchant", whose: rule.reference, range: rule.limits },
    {
      by: "fees",
      whose: `${FIXED_FEES_MULTIPLE} times the fixed fees`,
      range: { minEuro: worthwhileEuro(rule, deliveryMethod), maxEuro: null },
    },
  ];
}

function traceBounds(
  { trace, deliveryMethod }: LimitParties,
  bounds: readonly Bound[],
  tightest: Pick<Limits, "min" | "max"> & {
    readonly minBound: Bound | undefined;
    readonly maxBound: Bound | undefined;
  },
): void {
  const { min, max, minBound, maxBound } = tightest;
  for (const bound of bounds) {
    const sets = [
      ...(bound === minBound ? [`sets the least, ${describeMoney(min)}`] : []),
      ...(bound === maxBound ? [`sets the most, ${describeMoney(max)}`] : []),
    ];
    trace?.({
      rule: "limit",
      subject: `${bound.by} ${bound.whose} (by ${deliveryMethod.reference})`,
      figures: rangeWords(bound.range),
      verdict: sets.length > 0 ? "applies" : "passes",
      why: sets.join(" and "),
    });
  }
}

const ZERO: Decimal = { units: 0n, scale: 0 };
const HIGHEST: Decimal = { units: 10n ** 9n, scale: 0 };

function worthwhileEuro(rule: PricingRule, delivery: DeliveryMethod): Decimal {
  const scale = Math.max(rule.fixedFeeEuro.scale, delivery.fixedFeeEuro.scale);
  const units =
    rescale(rule.fixedFeeEuro, scale, "down").units +
    rescale(delivery.fixedFeeEuro, scale, "down").units;
  return { units: units * FIXED_FEES_MULTIPLE, scale };
}

/** Raises the minimum to an amount that the fees of the moment need. */
export const withLeast = (limits: Limits, min: Money): Limits =>
  min.units > limits.min.units ? { ...limits, min, minBoundBy: "fees" } : limits;

/** Returns a published minimum: two significant digits, rounded up. */
export const publishedLeast = (spend: Currency, steps: bigint): Money =>
  ofSteps(spend, steps, "up");

function inCurrency(currency: Currency, euro: Decimal, rounding: Rounding): Money {
  const value = multiplyDecimals(euro, currency.perEuro);
  return ofSteps(currency, rescale(value, currency.publishedDecimals, rounding).units, rounding);
}

/** At least one published step, so that a minimum is an amount one can spend. */
function ofSteps(currency: Currency, steps: bigint, rounding: Rounding): Money {
  const friendly = roundSignificant(steps, rounding);
  const atLeastOne = rounding === "up" && friendly < 1n ? 1n : friendly;
  return money(currency, atLeastOne * publishedStep(currency));
}

function roundSignificant(units: bigint, rounding: Rounding): bigint {
  const surplus = units.toString().length - LIMIT_SIGNIFICANT_DIGITS;
  if (surplus <= 0) return units;
  const step = 10n ** BigInt(surplus);
  return divide(units, step, rounding) * step;
}

/** "10 EUR", for sentences. */
export const describeMoney = (amount: Money): string =>
  `${formatDecimal(toDecimal(amount))} ${amount.asset.code}`;
