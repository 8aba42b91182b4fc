import { type Money } from "@exchange/money";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Country } from "../catalogue/country.ts";
import { OPERATIONS, type Operation } from "../catalogue/operation.ts";
import { listPaymentMethods, listSides } from "./availability.ts";
import { findTerms, type TermsSearch } from "./find-terms.ts";
import type { Limits } from "./limits.ts";
import { granted, type RuleRefusal, type RuleResult, refused } from "./result.ts";
import type { ExchangeWish, Terms } from "./terms.ts";

/** A question for the ways to exchange, with or without a payment method. */
export type WaysQuestion = Omit<ExchangeWish, "size" | "paymentMethodId"> & {
  readonly paymentMethodId?: number | undefined;
};

/** Returns the terms of every way that fits, at least one, or the reason why none does. */
export function listWays(
  { catalogue, at }: Pick<TermsSearch, "catalogue" | "at">,
  question: WaysQuestion,
): RuleResult<readonly Terms[]> {
  const { paymentMethodId } = question;
  if (paymentMethodId !== undefined)
    return findTerms({ catalogue, at, wish: { ...question, paymentMethodId } });
  const ways: Terms[] = [];
  const refusals: RuleRefusal[] = [];
  for (const { id } of catalogue.paymentMethods) {
    const terms = findTerms({ catalogue, at, wish: { ...question, paymentMethodId: id } });
    if (terms.ok) ways.push(...terms.value);
    else refusals.push(terms.refusal);
  }
  if (ways.length > 0) return granted(ways);
  // An unavailable method says nothing about the others. Any other reason refuses the question itself.
  const own = refusals.find(({ code }) => code !== "PAYMENT_METHOD_UNAVAILABLE");
  return own
    ? { ok: false, refusal: own }
    : refused("PAYMENT_METHOD_UNAVAILABLE", "No payment method fits this exchange.");
}

/** Returns the widest limits over several ways of one exchange. */
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

/** Returns the countries that are served, with their operations. */
export const listServedCountries = (catalogue: Catalogue): readonly ServedCountry[] =>
  catalogue.countries.flatMap((country) => {
    const operations = OPERATIONS.filter((operation) => isOfferedIn(catalogue, country, operation));
    return operations.length > 0 ? [{ country, operations }] : [];
  });

function isOfferedIn(catalogue: Catalogue, country: Country, operation: Operation): boolean {
  if (!country.enabled || listPaymentMethods(catalogue, { operation, country }).length === 0) {
    return false;
  }
  const { spend, receive } = listSides(catalogue, { operation, country });
  return spend.length > 0 && receive.length > 0;
}
