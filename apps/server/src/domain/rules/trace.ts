import { formatDecimal } from "@exchange/money";
import type { LimitRange } from "../catalogue/currency.ts";

/** The rules that the engine evaluates, in this order. */
export type RuleName =
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
  | "network fee"
  | "amount"
  | "liquidity";

/** One evaluation of a rule, with its figures and its verdict on the question. */
export interface TraceLine {
  readonly rule: RuleName;
  /** The subject of the rule: a reference, a code or an amount. */
  readonly subject: string;
  readonly figures: string;
  /** `skips`: the rule does not match and does not refuse. */
  readonly verdict: "passes" | "refuses" | "skips" | "applies";
  /** The reason, where the verdict needs one. */
  readonly why: string;
}

/** Receives every evaluation of a rule. */
export type Trace = ((line: TraceLine) => void) | undefined;

/** Returns a range as words, such as "10 to 5000 EUR". */
export function rangeWords({ minEuro, maxEuro }: LimitRange): string {
  const [least, most] = [minEuro, maxEuro].map((bound) => bound && formatDecimal(bound));
  if (least && most) return `${least} to ${most} EUR`;
  if (least) return `at least ${least} EUR`;
  return most ? `at most ${most} EUR` : "no limits";
}

/** Returns the members of a small set, or the size of a large one. */
export function setWords(set: ReadonlySet<string> | null, everything: string): string {
  if (set === null) return everything;
  return set.size > SHOWN_MAX ? `${set.size} listed` : [...set].join(" ") || "none";
}

const SHOWN_MAX = 4;
