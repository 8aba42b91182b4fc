import type { Catalogue } from "../catalogue/catalogue.ts";
import { cheapest } from "./cheapest-delivery.ts";
import { findTerms } from "./find-terms.ts";
import { describeMoney } from "./limits.ts";
import { granted, type RuleResult, refused } from "./result.ts";
import type { ExchangeWish, Terms } from "./terms.ts";
import type { Trace } from "./trace.ts";

/** The catalogue, and the time whose pricing rules apply. */
export interface TermsCircumstances {
  readonly catalogue: Catalogue;
  readonly at: Date;
  readonly trace?: Trace;
}

/**
 * Returns the terms of the exchange with the cheapest delivery that fits, or the reason why it is not
 * offered.
 */
export function resolveTerms(
  { catalogue, at, trace }: TermsCircumstances,
  wish: ExchangeWish,
): RuleResult<Terms> {
  const candidates = findTerms({ catalogue, wish, at, trace });
  if (!candidates.ok) return candidates;
  const best = cheapest(candidates.value, wish.size);
  if (!best) return refused("DELIVERY_METHOD_UNAVAILABLE", "There is no way to deliver.");
  const { min, max } = best.limits;
  trace?.({
    rule: "choice",
    subject: best.deliveryMethod.reference,
    figures: `fee ${best.deliveryMethod.feeBasisPoints} basis points, ${describeMoney(min)} to ${describeMoney(max)}`,
    verdict: "applies",
    why: candidates.value.length > 1 ? `the cheapest of ${candidates.value.length} that fit` : "",
  });
  return granted(best);
}
