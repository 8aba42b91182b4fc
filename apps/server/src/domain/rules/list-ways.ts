import { type Money } from "@exchange/money";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Country } from "../catalogue/country.ts";
import { OPERATION_SIDES, OPERATIONS, type Operation } from "../catalogue/operation.ts";
import { listCurrencies, listPaymentMethods } from "./availability.ts";
import type { ExchangeWish, Terms } from "./exchange.ts";
import type { Limits } from "./limits.ts";
import { granted, type RuleRefusal, type RuleResult, refused } from "./result.ts";
import { termsOfEach } from "./terms.ts";

/** An exchange of some amount, with the payment method left open or not. */
export type WaysQuestion = Omit<ExchangeWish, "size" | "paymentMethodId"> & {
  readonly paymentMethodId?: number | undefined;
};

/** The terms of every way to exchange that fits, at least one; or why there is none. */
export function listWays(
  catalogue: Catalogue,
  question: WaysQuestion,
): RuleResult<readonly Terms[]> {
  const { paymentMethodId } = question;
  if (paymentMethodId !== undefined)
    return termsOfEach(catalogue, { ...question, paymentMethodId });
  const ways: Terms[] = [];
  const refusals: RuleRefusal[] = [];
  for (const { id } of catalogue.paymentMethods) {
    const terms = termsOfEach(catalogue, { ...question, paymentMethodId: id });
    if (terms.ok) ways.push(...terms.value);
    else refusals.push(terms.refusal);
  }
  if (ways.length > 0) return granted(ways);
  // A method that does not fit says nothing of the others; any other reason is the question's own.
  const own = refusals.find(({ code }) => code !== "PAYMENT_METHOD_UNAVAILABLE");
  return own
    ? { ok: false, refusal: own }
    : refused("PAYMENT_METHOD_UNAVAILABLE", "No payment method fits this exchange.");
}

/** The outermost limits of several ways of one exchange. */
export function outermostLimits(ways: readonly Terms[]): Limits {
  const [first, ...others] = ways;
  if (!first) throw new Error("an exchange without a way has no limits");
  return others.reduce<Limits>((widest, { limits }) => {
    const isLower = isBelow(limits.min, widest.min);
    const isHigher = isBelow(widest.max, limits.max);
    return {
      min: isLower ? limits.min : widest.min,
      minBoundBy: isLower ? limits.minBoundBy : widest.minBoundBy,
      max: isHigher ? limits.max : widest.max,
      maxBoundBy: isHigher ? limits.maxBoundBy : widest.maxBoundBy,
    };
  }, first.limits);
}

const isBelow = (one: Money, other: Money): boolean => one.units < other.units;

export interface ServedCountry {
  readonly country: Country;
  /** At least one. */
  readonly operations: readonly Operation[];
}

/** The countries whose customers can do something, and what. */
export const listServedCountries = (catalogue: Catalogue): readonly ServedCountry[] =>
  catalogue.countries.flatMap((country) => {
    const operations = OPERATIONS.filter((operation) => isOfferedIn(catalogue, country, operation));
    return operations.length > 0 ? [{ country, operations }] : [];
  });

function isOfferedIn(catalogue: Catalogue, country: Country, operation: Operation): boolean {
  if (!country.enabled || listPaymentMethods(catalogue, { operation, country }).length === 0) {
    return false;
  }
  const listed = listCurrencies(catalogue, { operation, country });
  const { spend, receive } = OPERATION_SIDES[operation];
  return listed[spend].length > 0 && listed[receive].length > 0;
}
