import { drawUpQuote } from "../../domain/quotes/draw-up-quote.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { RuleResult } from "../../domain/rules/result.ts";
import type { ExchangeWish } from "../../domain/rules/terms.ts";
import type { TraceLine } from "../../domain/rules/trace.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** Every condition that the rule engine checked, in order, and the result. */
export interface RuleExplanation {
  readonly looks: readonly TraceLine[];
  readonly verdict: RuleResult<Quote>;
}

export type ExplainDeps = Pick<
  Deps,
  "catalogue" | "directory" | "controls" | "rates" | "networkFees" | "clock"
>;

/**
 * Explains why an exchange is refused, or how it is priced: computes a merchant's current quote
 * with the same engine, which reports each condition. Nothing is stored. Refuses NOT_FOUND.
 */
export function explainRules(deps: ExplainDeps, wish: ExchangeWish): RuleExplanation {
  if (!deps.directory().merchant(wish.merchantId)) {
    throw new Refusal("NOT_FOUND", {
      message: `There is no merchant ${wish.merchantId}, or it is disabled.`,
    });
  }
  const looks: TraceLine[] = [];
  const verdict = drawUpQuote(
    {
      catalogue: deps.catalogue(),
      controls: deps.controls(),
      // Without a source of rates there are no prices, as for a quote.
      rates: deps.rates ?? { name: "none", prices: () => undefined },
      networkFees: deps.networkFees,
      now: deps.clock.now(),
      quoteId: "",
      trace: (look) => looks.push(look),
    },
    wish,
  );
  return { looks, verdict };
}
