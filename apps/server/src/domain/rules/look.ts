import { formatDecimal } from "@exchange/money";
import type { LimitRange } from "../catalogue/currency.ts";

/** What the engine looks at, in this order. */
export type LookedAt =
  | "country"
  | "currency"
  | "pair"
  | "payment method"
  | "pricing rule"
  | "delivery method"
  | "limit"
  | "choice"
  | "stop"
  | "price"
  | "amount"
  | "liquidity";

/** One thing the engine looked at, with its figures and what it meant for the question. */
export interface Look {
  readonly rule: LookedAt;
  /** Which one: a reference, a code, an amount. */
  readonly subject: string;
  readonly figures: string;
  /** `skips` is what does not match but does not refuse either. */
  readonly verdict: "passes" | "refuses" | "skips" | "applies";
  /** Why, where the verdict does not say all. */
  readonly why: string;
}

/** Told of each look as the engine takes it. Absent, the engine tells nobody and remembers more. */
export type Trace = ((look: Look) => void) | undefined;

/** "10 to 5000 EUR" */
export function rangeWords({ minEuro, maxEuro }: LimitRange): string {
  const [least, most] = [minEuro, maxEuro].map((bound) => bound && formatDecimal(bound));
  if (least && most) return `${least} to ${most} EUR`;
  if (least) return `at least ${least} EUR`;
  return most ? `at most ${most} EUR` : "no limits";
}

/** How many a set names, or the few of them. */
export function setWords(set: ReadonlySet<string> | null, everything: string): string {
  if (set === null) return everything;
  return set.size > SHOWN_MAX ? `${set.size} listed` : [...set].join(" ") || "none";
}

const SHOWN_MAX = 4;
