import type { DeliveryMethod, PaymentMethod } from "../catalogue/methods.ts";
import { rangeWords, setWords, type Trace, type TraceLine } from "./trace.ts";

/** One condition on an item of the catalogue, for one use of it. */
export interface Check<Thing, Use> {
  /** The fault when the condition does not hold. */
  readonly fault: string;
  readonly holds: (thing: Thing, use: Use) => boolean;
}

/** Returns the first check that does not hold; undefined when all hold. */
export function failing<Thing, Use>(
  checks: readonly Check<Thing, Use>[],
  thing: Thing,
  use: Use,
): Check<Thing, Use> | undefined {
  // A loop without a closure: listings run this for every currency and method.
  for (const check of checks) if (!check.holds(thing, use)) return check;
  return undefined;
}

/** Returns the operations, countries, currencies and limits of a method, in words. */
const methodFigures = (method: PaymentMethod | DeliveryMethod): string =>
  [
    [...method.operations].join(" ") || "no operation",
    `in ${setWords(method.countryCodes, "every country")}`,
    `for ${setWords(method.currencyCodes, "every currency")}`,
    rangeWords(method.limits),
  ].join(", ");

/** Traces the check of a method. */
export function traceMethod(
  trace: Trace,
  rule: "payment method" | "delivery method",
  check: {
    readonly method: PaymentMethod | DeliveryMethod;
    readonly fault: string | undefined;
    readonly otherwise: TraceLine["verdict"];
  },
): void {
  const { method, fault, otherwise } = check;
  trace?.({
    rule,
    subject: method.reference,
    figures: methodFigures(method),
    verdict: fault === undefined ? "passes" : otherwise,
    why: fault ?? "",
  });
}
