import {
  AMOUNT_SIGNIFICANT_DIGITS_MAX,
  divide,
  type Money,
  money,
  normalize,
  powerOfTen,
  type Rate,
  rescale,
} from "@exchange/money";
import type { Currency } from "../catalogue/currency.ts";
import { type GrossSplit, grossFor, splitGross } from "../rules/fees.ts";
import { describeMoney, withLeast } from "../rules/limits.ts";
import { publishedStep } from "../rules/published-step.ts";
import { granted, type RuleRefusal, type RuleResult, refused } from "../rules/result.ts";
import type { ExchangeSize, Terms } from "../rules/terms.ts";
import type { Quote, QuoteFee } from "./quote.ts";
import type { RatePair } from "./rates.ts";

/** The priced part of a quote. */
export type Pricing = Pick<
  Quote,
  "spend" | "receive" | "rate" | "midRate" | "fees" | "transactionFee" | "deliveryFee" | "spread"
>;

/** Published amounts are below this number of steps. */
const STEPS_MAX = powerOfTen(AMOUNT_SIGNIFICANT_DIGITS_MAX);

/**
 * Prices an exchange exactly. Amounts are counted in steps: integers at the currency's published
 * scale. Gross = spend × published rate, floored once; fees are whole steps, each rounded to the
 * nearest; the customer receives the rest. So spend × rate, at the target's scale, is
 * always receive + transaction fee + delivery fee.
 */
export function priceExchange(
  terms: Terms,
  size: ExchangeSize,
  rates: RatePair,
): RuleResult<Pricing> {
  const { spend, receive: target } = terms;
  const steps = size.side === "spend" ? stepsOf(spend, size) : stepsOf(target, size);
  if (!steps.ok) return steps;
  const spendSteps =
    size.side === "spend" ? steps.value : fewestToSpend(steps.value, terms, rates.rate);
  const paid = money(spend, spendSteps * publishedStep(spend));
  const refusal = refusedByLimits(terms, paid);
  if (refusal) return { ok: false, refusal };
  const gross = grossSteps(spendSteps, terms, rates.rate);
  const split = splitGross(gross, terms.fees);
  if (split.receive <= 0n) {
    return refusedFor(coverFees(terms, rates.rate), "AMOUNT_BELOW_MINIMUM", paid);
  }
  if (gross >= STEPS_MAX) return refusedFor(terms, "AMOUNT_ABOVE_MAXIMUM", paid);
  const step = publishedStep(target);
  const inTarget = (count: bigint): Money => money(target, count * step);
  return granted({
    rate: rates.rate,
    midRate: rates.midRate,
    spend: paid,
    receive: inTarget(split.receive),
    fees: feesOf(split, inTarget),
    transactionFee: inTarget(split.percentageFee + split.fixedFee),
    deliveryFee: inTarget(split.deliveryFee),
    spread: inTarget(grossSteps(spendSteps, terms, rates.midRate) - gross),
  });
}

/** Returns the parts of the transaction fee that are not zero. */
function feesOf(split: GrossSplit, inTarget: (steps: bigint) => Money): QuoteFee[] {
  const fees: QuoteFee[] = [];
  if (split.percentageFee > 0n) {
    fees.push({ type: "percentage", amount: inTarget(split.percentageFee) });
  }
  if (split.fixedFee > 0n) fees.push({ type: "fixed", amount: inTarget(split.fixedFee) });
  return fees;
}

/**
 * Returns the fewest steps to spend that yield the amount wanted. If fewer than the minimum would do and the
 * minimum yields the same, it is the minimum.
 */
function fewestToSpend(wanted: bigint, terms: Terms, rate: Rate): bigint {
  const fewest = spendStepsFor(grossFor(wanted, terms.fees), terms, rate);
  const least = terms.limits.min.units / publishedStep(terms.spend);
  if (fewest >= least) return fewest;
  const { receive } = splitGross(grossSteps(least, terms, rate), terms.fees);
  return receive === wanted ? least : fewest;
}

/**
 * Raises the minimum to the fewest steps of which something is left after the fees at a rate. The limits of the catalogue
 * do not move with the market, so after a large move the fixed fees may exceed an amount inside them.
 */
export function coverFees(terms: Terms, rate: Rate): Terms {
  const least = spendStepsFor(grossFor(1n, terms.fees), terms, rate);
  return {
    ...terms,
    limits: withLeast(terms.limits, money(terms.spend, least * publishedStep(terms.spend))),
  };
}

type Pair = Pick<Terms, "spend" | "receive">;

/** Returns spend × rate in steps of the target, rounded down. */
const grossSteps = (spendSteps: bigint, { spend, receive }: Pair, rate: Rate): bigint =>
  (spendSteps * rate.units * powerOfTen(receive.publishedDecimals)) /
  powerOfTen(spend.publishedDecimals + rate.scale);

/** Returns the fewest steps to spend whose gross reaches `gross`: the inverse of `grossSteps`. */
const spendStepsFor = (gross: bigint, { spend, receive }: Pair, rate: Rate): bigint =>
  divide(
    gross * powerOfTen(spend.publishedDecimals + rate.scale),
    rate.units * powerOfTen(receive.publishedDecimals),
    "up",
  );

function stepsOf(currency: Currency, { amount }: ExchangeSize): RuleResult<bigint> {
  const exact = normalize(amount);
  if (exact.scale > currency.publishedDecimals) {
    return refused(
      "AMOUNT_PRECISION",
      `${currency.code} has at most ${currency.publishedDecimals} decimals.`,
      "amount",
    );
  }
  return granted(rescale(exact, currency.publishedDecimals, "down").units);
}

/** Returns why an amount to spend is outside of the limits; undefined inside them. */
export function refusedByLimits(terms: Terms, paid: Money): RuleRefusal | undefined {
  const { min, max } = terms.limits;
  if (paid.units < min.units) return limitRefusal(terms, "AMOUNT_BELOW_MINIMUM", paid);
  if (paid.units > max.units) return limitRefusal(terms, "AMOUNT_ABOVE_MAXIMUM", paid);
  return undefined;
}

const refusedFor = (terms: Terms, code: LimitCode, paid: Money): RuleResult<never> => ({
  ok: false,
  refusal: limitRefusal(terms, code, paid),
});

type LimitCode = "AMOUNT_BELOW_MINIMUM" | "AMOUNT_ABOVE_MAXIMUM";

function limitRefusal(terms: Terms, code: LimitCode, paid: Money): RuleRefusal {
  const { min, max, minBoundBy, maxBoundBy } = terms.limits;
  const isLow = code === "AMOUNT_BELOW_MINIMUM";
  return {
    code,
    message: isLow ? lowWords(terms.limits, paid) : `The maximum is ${describeMoney(max)}.`,
    part: "amount",
    limits: { min, max, boundBy: isLow ? minBoundBy : maxBoundBy },
  };
}

/** Fees may be the reason for the minimum, and at some prices no amount covers them. */
function lowWords({ min, max, minBoundBy }: Terms["limits"], paid: Money): string {
  const least = `The minimum is ${describeMoney(min)}`;
  if (minBoundBy !== "fees") return `${least}.`;
  const reason = `The fees are too high for ${describeMoney(paid)}.`;
  if (min.units <= max.units) return `${reason} ${least} at present prices.`;
  return `${reason} ${least} at present prices, above the maximum of ${describeMoney(max)}, so no amount is accepted. Choose another currency or method, or try again later.`;
}
