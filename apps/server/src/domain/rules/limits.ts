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
import type { LimitBound } from "./result.ts";
import { publishedStep } from "./steps.ts";

/** The amounts between which an exchange is offered, in the currency spent. */
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
}

/** An exchange is worth doing from this multiple of its fixed fees; below, little would be left. */
const FIXED_FEES_MULTIPLE = 4n;
/** Published limits keep this many significant digits, rounded inwards: 12, 0.00013, 8700. */
const LIMIT_SIGNIFICANT_DIGITS = 2;

/**
 * The tightest of all limits that apply. Stated in euro and turned by each currency's stable figure,
 * so they do not move with the rate. The minimum may end up above the maximum: then the parties
 * have no amount in common.
 */
export function tightestLimits(parties: LimitParties): Limits {
  const { rule, spend, receive, paymentMethod, deliveryMethod, country } = parties;
  const bounds: readonly (readonly [LimitBound, LimitRange])[] = [
    ["payment_method", paymentMethod.limits],
    ["delivery_method", deliveryMethod.limits],
    ["currency", spend.limits],
    ["currency", receive.limits],
    ...(country ? [["country", country.limits] as const] : []),
    ["merchant", rule.limits],
    ["fees", { minEuro: worthwhileEuro(rule, deliveryMethod), maxEuro: null }],
  ];
  let [minEuro, minBoundBy]: Bound = [ZERO, "merchant"];
  let [maxEuro, maxBoundBy]: Bound = [HIGHEST, "merchant"];
  for (const [boundBy, range] of bounds) {
    if (range.minEuro && compareDecimals(range.minEuro, minEuro) > 0) {
      [minEuro, minBoundBy] = [range.minEuro, boundBy];
    }
    if (range.maxEuro && compareDecimals(range.maxEuro, maxEuro) < 0) {
      [maxEuro, maxBoundBy] = [range.maxEuro, boundBy];
    }
  }
  return {
    min: inCurrency(spend, minEuro, "up"),
    max: inCurrency(spend, maxEuro, "down"),
    minBoundBy,
    maxBoundBy,
  };
}

type Bound = [Decimal, LimitBound];

const ZERO: Decimal = { units: 0n, scale: 0 };
const HIGHEST: Decimal = { units: 10n ** 9n, scale: 0 };

function worthwhileEuro(rule: PricingRule, delivery: DeliveryMethod): Decimal {
  const scale = Math.max(rule.fixedFeeEuro.scale, delivery.fixedFeeEuro.scale);
  const units =
    rescale(rule.fixedFeeEuro, scale, "down").units +
    rescale(delivery.fixedFeeEuro, scale, "down").units;
  return { units: units * FIXED_FEES_MULTIPLE, scale };
}

/** At least one published step, so that a minimum is an amount one can spend. */
function inCurrency(currency: Currency, euro: Decimal, rounding: Rounding): Money {
  const value = multiplyDecimals(euro, currency.perEuro);
  const steps = rescale(value, currency.publishedDecimals, rounding).units;
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
