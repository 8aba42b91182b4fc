import {
  type Decimal,
  divide,
  type Money,
  money,
  normalize,
  RATE_SIGNIFICANT_DIGITS_MAX,
  type Rate,
  ratio,
  rescale,
} from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import type { ExchangeSize, Terms } from "../rules/exchange.ts";
import { describeMoney, publishedStep } from "../rules/limits.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import { type FeeSchedule, feeSchedule, grossFor, splitGross } from "./fees.ts";
import type { Quote } from "./quote.ts";

/** Dollars for one coin of each side, at one moment. */
export interface PricePair {
  readonly spend: Decimal;
  readonly receive: Decimal;
}

/** The priced part of a quote. */
export type Pricing = Pick<
  Quote,
  "spend" | "receive" | "rate" | "midRate" | "fees" | "transactionFee" | "deliveryFee" | "spread"
>;

/** The mid rate keeps more digits than the published one, so that the spread comes out exact. */
const MID_RATE_SIGNIFICANT_DIGITS = 24;
const WHOLE_BASIS_POINTS = 10_000n;
/** An amount that leaves has at most 15 digits at its published scale. */
const STEPS_MAX = 10n ** 15n;

/**
 * Prices an exchange exactly. Amounts are counted in steps: integers at the currency's published
 * scale. Gross = spend × published rate, floored once; fees are whole steps, rounded down in the
 * customer's favour; the customer receives the rest. So spend × rate, at the target's scale, is
 * always receive + transaction fee + delivery fee.
 */
export function priceExchange(
  terms: Terms,
  size: ExchangeSize,
  prices: PricePair,
): RuleResult<Pricing> {
  const { spend, receive: target } = terms;
  const rate = rateOf(prices, {
    spreadBasisPoints: terms.rule.spreadBasisPoints,
    digits: RATE_SIGNIFICANT_DIGITS_MAX,
  });
  const fees = feeSchedule(terms);
  const steps = size.side === "spend" ? stepsOf(spend, size) : stepsOf(target, size);
  if (!steps.ok) return steps;
  const spendSteps =
    size.side === "spend" ? steps.value : spendStepsFor(grossFor(steps.value, fees), terms, rate);
  const paid = money(spend, spendSteps * publishedStep(spend));
  if (paid.units < terms.limits.min.units) return outOfLimits(terms, "AMOUNT_BELOW_MINIMUM");
  if (paid.units > terms.limits.max.units) return outOfLimits(terms, "AMOUNT_ABOVE_MAXIMUM");
  return pricingOf({ terms, paid, spendSteps, rate, prices, fees });
}

interface Priced {
  readonly terms: Terms;
  readonly paid: Money;
  readonly spendSteps: bigint;
  readonly rate: Rate;
  readonly prices: PricePair;
  readonly fees: FeeSchedule;
}

function pricingOf(priced: Priced): RuleResult<Pricing> {
  const { terms, paid, spendSteps, rate, prices, fees } = priced;
  const { receive: target } = terms;
  const gross = grossSteps(spendSteps, terms, rate);
  const split = splitGross(gross, fees);
  if (split.receive <= 0n) return outOfLimits(terms, "AMOUNT_BELOW_MINIMUM");
  if (gross >= STEPS_MAX) return outOfLimits(terms, "AMOUNT_ABOVE_MAXIMUM");
  const midRate = rateOf(prices, { spreadBasisPoints: 0, digits: MID_RATE_SIGNIFICANT_DIGITS });
  const step = publishedStep(target);
  const inTarget = (steps: bigint): Money => money(target, steps * step);
  return granted({
    spend: paid,
    receive: inTarget(split.receive),
    rate,
    midRate,
    fees: [
      { type: "percentage" as const, amount: inTarget(split.percentageFee) },
      { type: "fixed" as const, amount: inTarget(split.fixedFee) },
    ].filter(({ amount }) => amount.units > 0n),
    transactionFee: inTarget(split.percentageFee + split.fixedFee),
    deliveryFee: inTarget(split.deliveryFee),
    spread: inTarget(grossSteps(spendSteps, terms, midRate) - gross),
  });
}

/** Target coins for one coin spent, less the spread, rounded down to so many significant digits. */
function rateOf(
  prices: PricePair,
  options: { readonly spreadBasisPoints: number; readonly digits: number },
): Rate {
  const kept = WHOLE_BASIS_POINTS - BigInt(options.spreadBasisPoints);
  return ratio(
    prices.spend.units * 10n ** BigInt(prices.receive.scale) * kept,
    prices.receive.units * 10n ** BigInt(prices.spend.scale) * WHOLE_BASIS_POINTS,
    { digits: options.digits, rounding: "down" },
  );
}

type Pair = Pick<Terms, "spend" | "receive">;

/** Spend × rate in steps of the target, floored. */
const grossSteps = (spendSteps: bigint, { spend, receive }: Pair, rate: Rate): bigint =>
  (spendSteps * rate.units * 10n ** BigInt(receive.publishedDecimals)) /
  10n ** BigInt(spend.publishedDecimals + rate.scale);

/** The fewest steps to spend whose gross reaches `gross`: the inverse of `grossSteps`. */
const spendStepsFor = (gross: bigint, { spend, receive }: Pair, rate: Rate): bigint =>
  divide(
    gross * 10n ** BigInt(spend.publishedDecimals + rate.scale),
    rate.units * 10n ** BigInt(receive.publishedDecimals),
    "up",
  );

function stepsOf(currency: Currency, { amount }: ExchangeSize): RuleResult<bigint> {
  const exact = normalize(amount);
  if (exact.scale > currency.publishedDecimals) {
    return refused(
      "AMOUNT_PRECISION",
      `${currency.code} has at most ${currency.publishedDecimals} decimals.`,
    );
  }
  return granted(rescale(exact, currency.publishedDecimals, "down").units);
}

function outOfLimits(
  terms: Terms,
  code: "AMOUNT_BELOW_MINIMUM" | "AMOUNT_ABOVE_MAXIMUM",
): RuleResult<never> {
  const { min, max, minBoundBy, maxBoundBy } = terms.limits;
  const isLow = code === "AMOUNT_BELOW_MINIMUM";
  return refused(
    code,
    isLow ? `The least is ${describeMoney(min)}.` : `The most is ${describeMoney(max)}.`,
    { min, max, boundBy: isLow ? minBoundBy : maxBoundBy },
  );
}
