import { compareDecimals, type Decimal, parseDecimal } from "@exchange/money";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { OPERATIONS } from "../catalogue/operation.ts";
import { BASIS_POINTS_MAX, fitsAmounts, type PricingRule } from "../catalogue/pricing-rule.ts";
import { FIXED_FEES_MULTIPLE } from "../rules/limits.ts";
import { type PriceChange, rulesAt, timesOfEffect } from "./price-change.ts";

/** A price rule as a person wrote it. */
export interface RuleDraft {
  readonly reference: string;
  readonly merchantId: string | null;
  readonly operation: string | null;
  readonly paymentMethod: string | null;
  readonly currency: string | null;
  readonly spreadBasisPoints: number;
  readonly feeBasisPoints: number;
  readonly fixedFeeEuro: string;
  readonly minEuro: string;
  readonly maxEuro: string;
  readonly enabled: boolean;
}

export interface RuleProblem {
  readonly field: string;
  readonly issue: string;
}

export type CheckedRule =
  | { readonly rule: PricingRule }
  | { readonly problems: readonly RuleProblem[] };

/** Checks a rule against the catalogue, and against the rules in force when it would take effect. */
export function checkRule(catalogue: Catalogue, draft: RuleDraft, at: Date): CheckedRule {
  const rule = ruleOf(draft);
  const problems = [
    ...problemsOfFigures(draft, rule),
    ...problemsOfLimits(catalogue, rule),
    ...problemsOfSelectors(catalogue, draft),
    ...contradictionsOf(catalogue, rule, at),
  ];
  return problems.length > 0 ? { problems } : { rule };
}

const AMOUNT = /^\d{1,12}(\.\d{1,18})?$/;
const amountOf = (text: string): Decimal | undefined =>
  AMOUNT.test(text) ? parseDecimal(text) : undefined;
const NOTHING: Decimal = { units: 0n, scale: 0 };

const ruleOf = (draft: RuleDraft): PricingRule => ({
  reference: draft.reference,
  merchantId: draft.merchantId,
  operation: OPERATIONS.find((name) => name === draft.operation) ?? null,
  paymentMethodReference: draft.paymentMethod,
  currency: draft.currency?.toLowerCase() ?? null,
  spreadBasisPoints: draft.spreadBasisPoints,
  feeBasisPoints: draft.feeBasisPoints,
  fixedFeeEuro: amountOf(draft.fixedFeeEuro) ?? NOTHING,
  limits: {
    minEuro: amountOf(draft.minEuro) ?? NOTHING,
    maxEuro: amountOf(draft.maxEuro) ?? NOTHING,
  },
  enabled: draft.enabled,
});

function problemsOfFigures(draft: RuleDraft, { reference }: PricingRule): RuleProblem[] {
  const problems: RuleProblem[] = [];
  if (!/^[a-z0-9-]{1,64}$/.test(reference)) {
    const issue = `"${reference}" is not a name of a rule. Use 1 to 64 lower-case letters, digits and hyphens.`;
    problems.push({ field: "reference", issue });
  }
  for (const [field, name] of BASIS_POINTS) {
    const value = draft[field];
    if (Number.isInteger(value) && value >= 0 && value <= BASIS_POINTS_MAX) continue;
    const issue = `The ${name} is ${value} basis points. Use a whole number from 0 to ${BASIS_POINTS_MAX}.`;
    problems.push({ field, issue });
  }
  for (const [field, name] of AMOUNTS) {
    if (amountOf(draft[field])) continue;
    const issue = `The ${name} is "${draft[field]}". Use an amount in euro of 0 or more, such as 0.30.`;
    problems.push({ field, issue });
  }
  return problems;
}

const BASIS_POINTS = [
  ["spreadBasisPoints", "spread"],
  ["feeBasisPoints", "fee"],
] as const;
const AMOUNTS = [
  ["fixedFeeEuro", "fixed fee"],
  ["minEuro", "minimum"],
  ["maxEuro", "maximum"],
] as const;

function problemsOfLimits(catalogue: Catalogue, rule: PricingRule): RuleProblem[] {
  const { minEuro, maxEuro } = rule.limits;
  const [least, most] = [minEuro ?? NOTHING, maxEuro ?? NOTHING];
  if (compareDecimals(least, most) > 0) {
    return [{ field: "minEuro", issue: "The minimum is above the maximum. Lower it." }];
  }
  const fixed = {
    units: FIXED_FEES_MULTIPLE * rule.fixedFeeEuro.units,
    scale: rule.fixedFeeEuro.scale,
  };
  if (compareDecimals(fixed, most) > 0) {
    const issue = `The minimum is at least ${FIXED_FEES_MULTIPLE} times the fixed fee, which is above the maximum. Lower the fee.`;
    return [{ field: "fixedFeeEuro", issue }];
  }
  const long = catalogue.currencies.find((currency) => !fitsAmounts(most, currency));
  if (!long) return [];
  const issue = `The maximum has too many digits of ${long.code}. Lower it.`;
  return [{ field: "maxEuro", issue }];
}

function problemsOfSelectors(catalogue: Catalogue, draft: RuleDraft): RuleProblem[] {
  const { operation, paymentMethod, currency } = draft;
  const problems: RuleProblem[] = [];
  if (operation !== null && !OPERATIONS.some((name) => name === operation)) {
    const issue = `"${operation}" is not an operation. Use one of: ${OPERATIONS.join(", ")}.`;
    problems.push({ field: "operation", issue });
  }
  if (paymentMethod !== null && !catalogue.paymentMethodByReference(paymentMethod)) {
    const issue = `There is no payment method "${paymentMethod}". Use a reference such as card.`;
    problems.push({ field: "paymentMethod", issue });
  }
  if (currency !== null && !catalogue.currencyByCodeOrReference(currency)) {
    const issue = `There is no currency "${currency}". Use a code or a reference such as usdc-base.`;
    problems.push({ field: "currency", issue });
  }
  return problems;
}

/**
 * Returns how a rule contradicts others at a time or later, with the changes that are approved. A rule keeps its
 * selectors, and no two enabled rules have the same ones.
 */
export function contradictionsOf(catalogue: Catalogue, rule: PricingRule, at: Date): RuleProblem[] {
  const later = timesOfEffect(catalogue.priceChanges).filter((time) => time > at);
  for (const time of [at, ...later.toReversed()]) {
    const issue = contradiction(rulesAt(catalogue, time), rule);
    if (issue !== undefined) return [{ field: "reference", issue }];
  }
  return [];
}

function contradiction(rules: readonly PricingRule[], rule: PricingRule): string | undefined {
  const earlier = rules.find(({ reference }) => reference === rule.reference);
  const selectors = selectorsOf(rule);
  if (earlier && selectorsOf(earlier) !== selectors) {
    return `${rule.reference} exists and matches other exchanges. Give the new rule another reference.`;
  }
  // The files may have two such rules, of which the first one applies. Each can be changed.
  if (earlier && (earlier.enabled || !rule.enabled)) return undefined;
  const isTwin = (one: PricingRule) => one !== earlier && one.enabled;
  const twin = rules.find((one) => isTwin(one) && selectorsOf(one) === selectors);
  return twin && `${twin.reference} already prices the same exchanges. Change that rule instead.`;
}

const selectorsOf = (rule: PricingRule): string =>
  JSON.stringify([rule.merchantId, rule.operation, rule.paymentMethodReference, rule.currency]);

/**
 * Returns the first time, from the effect of the last change on, at which no enabled rule without selectors is left.
 * Exchanges that no other rule matches would then have no price.
 */
export function timeWithoutGeneralRule(
  catalogue: Catalogue,
  { effectiveFrom }: Pick<PriceChange, "effectiveFrom">,
): Date | undefined {
  const later = timesOfEffect(catalogue.priceChanges).filter((time) => time > effectiveFrom);
  return [effectiveFrom, ...later.toReversed()].find(
    (time) => !rulesAt(catalogue, time).some((rule) => rule.enabled && isGeneral(rule)),
  );
}

const isGeneral = (rule: PricingRule): boolean =>
  [rule.merchantId, rule.operation, rule.paymentMethodReference, rule.currency].every(
    (selector) => selector === null,
  );
