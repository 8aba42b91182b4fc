import type { ChoosingEvent } from "./events.ts";
import { isSamePair, isWorse } from "./prices.ts";
import { type Choosing, type LiveQuote, NO_QUOTE } from "./state.ts";
import { needsQuote, screenAfter } from "./steps.ts";

type QuoteEvent = Extract<
  ChoosingEvent,
  { type: "quoteCleared" | "quoteAsked" | "quoteArrived" | "quoteFailed" | "priceAccepted" }
>;

/** The live quote. An answer counts only when no newer request was made. */
export function reduceQuote(stage: Choosing, event: QuoteEvent): Choosing {
  const { quote } = stage;
  switch (event.type) {
    case "quoteCleared":
      return { ...stage, advancing: false, quote: { ...NO_QUOTE, sequence: quote.sequence } };
    case "quoteAsked":
      return { ...stage, quote: { ...quote, sequence: event.sequence, status: "asking" } };
    case "quoteArrived":
      if (event.sequence !== quote.sequence) return stage;
      return arrive(stage, event);
    case "quoteFailed":
      if (event.sequence !== quote.sequence) return stage;
      return {
        ...stage,
        advancing: stage.advancing && !needsQuote(stage.screen),
        quote: { ...quote, status: "failed", fault: event.fault },
      };
    case "priceAccepted":
      return { ...stage, quote: { ...quote, worseThan: undefined } };
  }
}

function arrive(stage: Choosing, event: Extract<QuoteEvent, { type: "quoteArrived" }>): Choosing {
  const quote: LiveQuote = {
    sequence: event.sequence,
    status: "ready",
    quote: event.quote,
    goodUntil: event.goodUntil,
    fault: undefined,
    worseThan: worseThan(stage, event),
  };
  if (!stage.advancing || !needsQuote(stage.screen)) return { ...stage, quote };
  return { ...stage, quote, screen: screenAfter(stage), advancing: false };
}

/** On review a clearly worse price waits for the customer's word; elsewhere it is simply shown. */
function worseThan(
  stage: Choosing,
  event: Extract<QuoteEvent, { type: "quoteArrived" }>,
): LiveQuote["worseThan"] {
  const seen = stage.quote.worseThan ?? stage.quote.quote;
  if (stage.screen !== "review" || !seen || !isSamePair(seen, event.quote)) return undefined;
  return isWorse(event.quote, seen) ? seen : undefined;
}
