import { drawUpQuote } from "../../domain/quotes/draw-up-quote.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import type { RuleResult } from "../../domain/rules/result.ts";
import type { ExchangeWish } from "../../domain/rules/terms.ts";
import type { TraceLine } from "../../domain/rules/trace.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** Everything the rule engine looked at, in its order, and what came of it. */
export interface RuleExplanation {
  readonly looks: readonly TraceLine[];
  readonly verdict: RuleResult<Quote>;
}

export type ExplainDeps = Pick<Deps, "catalogue" | "directory" | "controls" | "rates" | "clock">;

/**
 * Why an exchange is refused, or priced as it is: the quote a merchant would get now, drawn up by the
 * same engine, which tells what it looks at. Nothing is stored. Refuses NOT_FOUND.
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
      // Without a source of rates there are no prices, as a quote would find.
      rates: deps.rates ?? { name: "none", prices: () => undefined },
      now: deps.clock.now(),
      quoteId: "",
      trace: (look) => looks.push(look),
    },
    wish,
  );
  return { looks, verdict };
}
