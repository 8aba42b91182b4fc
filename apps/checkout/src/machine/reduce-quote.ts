import type { QuoteData } from "@exchange/contract";
import type { ChoosingEvent } from "./events.ts";
import { isBetter, isSamePair, isWorse } from "./prices.ts";
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
      return { ...stage, quote: { ...quote, worseThan: undefined, promised: undefined } };
  }
}

function arrive(stage: Choosing, event: Extract<QuoteEvent, { type: "quoteArrived" }>): Choosing {
  const quote: LiveQuote = {
    sequence: event.sequence,
    status: "ready",
    quote: event.quote,
    goodUntil: event.goodUntil,
    fault: undefined,
    ...compare(stage, event.quote),
  };
  if (!stage.advancing || !needsQuote(stage.screen)) return { ...stage, quote };
  return { ...stage, quote, screen: screenAfter(stage), advancing: false };
}

/** On review a clearly worse price waits for the customer's word; elsewhere it is simply shown. */
function compare(
  { screen, quote }: Choosing,
  newer: QuoteData,
): Pick<LiveQuote, "worseThan" | "promised"> {
  // Many small steps down are held against the same price.
  const seen = quote.promised ?? quote.worseThan ?? quote.quote;
  if (screen !== "review" || !seen || !isSamePair(seen, newer)) {
    return { worseThan: undefined, promised: undefined };
  }
  return {
    worseThan: isWorse(newer, seen) ? seen : undefined,
    promised: isBetter(newer, seen) ? newer : seen,
  };
}
