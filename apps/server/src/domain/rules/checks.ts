import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import { type Look, rangeWords, setWords, type Trace } from "./look.ts";

/** One condition on a thing of the catalogue, for one use of it. */
export interface Check<Thing, Use> {
  /** What is wrong when it does not hold. */
  readonly fault: string;
  readonly holds: (thing: Thing, use: Use) => boolean;
}

/** The first check that does not hold; undefined when all do. */
export function failing<Thing, Use>(
  checks: readonly Check<Thing, Use>[],
  thing: Thing,
  use: Use,
): Check<Thing, Use> | undefined {
  // A loop: listings ask this for every currency and method.
  for (const check of checks) if (!check.holds(thing, use)) return check;
  return undefined;
}

/** What a method is for, in words. */
const methodFigures = (method: PaymentMethod | DeliveryMethod): string =>
  [
    [...method.operations].join(" ") || "no operation",
    `in ${setWords(method.countryCodes, "every country")}`,
    `for ${setWords(method.currencyCodes, "every currency")}`,
    rangeWords(method.limits),
  ].join(", ");

/** Tells of a method that was looked at, and what was wrong with it. */
export function tellOfMethod(
  trace: Trace,
  rule: "payment method" | "delivery method",
  looked: {
    readonly method: PaymentMethod | DeliveryMethod;
    readonly fault: string | undefined;
    readonly otherwise: Look["verdict"];
  },
): void {
  const { method, fault, otherwise } = looked;
  trace?.({
    rule,
    subject: method.reference,
    figures: methodFigures(method),
    verdict: fault === undefined ? "passes" : otherwise,
    why: fault ?? "",
  });
}
