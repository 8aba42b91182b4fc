import type { Catalogue } from "../catalogue/catalogue.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { cheapest } from "./cheapest-delivery.ts";
import type { ExchangeWish, Terms } from "./exchange.ts";
import { findTerms } from "./find-terms.ts";
import { describeMoney } from "./limits.ts";
import type { Trace } from "./look.ts";
import { granted, type RuleResult, refused } from "./result.ts";

/**
 * The terms of the exchange, or why it is not offered. What does not depend on the amount is worked
 * out once for a snapshot of the catalogue and kept; with a trace it is worked out anew, and told.
 */
export function resolveTerms(
  catalogue: Catalogue,
  wish: ExchangeWish,
  trace?: Trace,
): RuleResult<Terms> {
  const candidates = trace ? findTerms({ catalogue, wish, trace }) : termsOfEach(catalogue, wish);
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

/** The terms with the delivery method named, or with each that fits; at least one. */
export function termsOfEach(
  catalogue: Catalogue,
  wish: Omit<ExchangeWish, "size">,
): RuleResult<readonly Terms[]> {
  const known = knownFor(catalogue.pricingRulesFor(wish.merchantId));
  const key = `${wish.operation} ${wish.spendCurrencyId} ${wish.receiveCurrencyId} ${wish.paymentMethodId} ${wish.deliveryMethodId ?? ""} ${wish.countryCode ?? ""}`;
  let candidates = known.get(key);
  if (!candidates) {
    candidates = findTerms({ catalogue, wish });
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, candidates);
  }
  return candidates;
}

/** Entries kept for each list of rules; more are forgotten together. */
const KNOWN_MAX = 20_000;
// A list of rules belongs to one snapshot and one merchant, or to all that have no rules of their own.
const knownByRules = new WeakMap<
  readonly PricingRule[],
  Map<string, RuleResult<readonly Terms[]>>
>();

function knownFor(rules: readonly PricingRule[]): Map<string, RuleResult<readonly Terms[]>> {
  const known = knownByRules.get(rules) ?? new Map<string, RuleResult<readonly Terms[]>>();
  if (known.size === 0) knownByRules.set(rules, known);
  return known;
}
