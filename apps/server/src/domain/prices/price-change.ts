import type { PricingRule } from "../catalogue/pricing-rule.ts";

/** A change of a price rule that people approved. Nothing uses it before its time. */
export interface PriceChange {
  readonly id: number;
  readonly reference: string;
  /** The rule from then on. Null returns the rule to the catalogue's files. */
  readonly rule: PricingRule | null;
  readonly effectiveFrom: Date;
}

/** The rules of the catalogue's files, and the approved changes of them. */
export interface PricedRules {
  readonly pricingRules: readonly PricingRule[];
  readonly priceChanges: readonly PriceChange[];
}

/**
 * Returns the rules in force at a time. The latest change of a rule replaces the rule of the files. Rules that
 * the files do not have come last, by their references.
 */
export function rulesAt(
  { pricingRules, priceChanges }: PricedRules,
  at: Date,
): readonly PricingRule[] {
  const latest = new Map<string, PriceChange>();
  for (const change of priceChanges.toSorted(byEffect)) {
    if (change.effectiveFrom <= at) latest.set(change.reference, change);
  }
  const references = new Set(pricingRules.map(({ reference }) => reference));
  const added = [...latest.values()]
    .filter(({ reference }) => !references.has(reference))
    .toSorted((one, other) => (one.reference < other.reference ? -1 : 1));
  return [
    ...pricingRules.map((rule) => latest.get(rule.reference)?.rule ?? rule),
    ...added.flatMap(({ rule }) => rule ?? []),
  ];
}

/** Of two changes of one time the later proposal is the later change. */
const byEffect = (one: PriceChange, other: PriceChange): number =>
  one.effectiveFrom.getTime() - other.effectiveFrom.getTime() || one.id - other.id;

/** Returns the times at which a change takes effect, the latest first. */
export const timesOfEffect = (changes: readonly PriceChange[]): readonly Date[] =>
  [...new Set(changes.map(({ effectiveFrom }) => effectiveFrom.getTime()))]
    .toSorted((one, other) => other - one)
    .map((ms) => new Date(ms));
