import type { CheckoutSession, QuoteData } from "@exchange/contract";
import { compareDecimals, type Decimal, multiplyDecimals, powerOfTen } from "@exchange/money";
import { decimalOf } from "../amounts/format.ts";
import { typedAmount } from "./amount.ts";
import type { Effect, Step } from "./effects.ts";
import type { ArrivedQuote, QuoteEvent } from "./events.ts";
import { quoteRequestFor } from "./requests.ts";
import { type AmountSide, type Choosing, type LiveQuote, NO_QUOTE } from "./state.ts";
import { needsQuote } from "./steps.ts";

const TYPING_PAUSE_MS = 250;
const REFRESH_BEFORE_END_MS = 5_000;
const FRESH_FOR_REVIEW_MS = 8_000;
const RETRY_AFTER_MS = 5_000;

/** The live quote. An answer counts only if no newer request was made. */
export function reduceQuote(stage: Choosing, event: QuoteEvent): Step<Choosing> {
  const { quote } = stage;
  switch (event.type) {
    case "quoteArrived":
      return event.sequence === quote.sequence ? acceptQuote(stage, event) : [stage];
    case "quoteFailed": {
      if (event.sequence !== quote.sequence) return [stage];
      const failed: Choosing = {
        ...stage,
        continuePending: stage.continuePending && !needsQuote(stage.screen),
        quote: { ...quote, status: "failed", fault: event.fault },
      };
      if (!isTransient(failed)) return [failed];
      return [failed, { kind: "refreshQuoteIn", delayMs: RETRY_AFTER_MS }];
    }
    case "quoteRefreshDue":
    case "quoteRetryPressed":
      return refreshQuote(stage);
    case "priceAccepted":
      return [{ ...stage, quote: { ...quote, worseThan: undefined, promised: undefined } }];
  }
}

/** Requests a quote for changed choices, after a pause in typing. */
export const requestQuoteAfterPause = (stage: Choosing): Step<Choosing> =>
  requestQuote(stage, TYPING_PAUSE_MS);

/** Requests a quote for the present choices, unless that was the last request already. */
export function requestQuote(stage: Choosing, delayMs: number): Step<Choosing> {
  const { sequence } = stage.quote;
  const request = quoteRequestFor(stage);
  if (!request) {
    const cleared = { ...stage, continuePending: false, quote: { ...NO_QUOTE, sequence } };
    return [cleared, { kind: "cancelQuote" }];
  }
  if (JSON.stringify(request) === JSON.stringify(stage.quote.request)) return [stage];
  return send(stage, request, delayMs);
}

/** Requests the price together with the results of other methods. The present quote stays valid, so Continue need not wait. */
export function requestComparison(stage: Choosing): Step<Choosing> {
  const [asking, ...effects] = requestQuote(stage, 0);
  if (asking === stage) return [stage];
  const { status, quote } = stage.quote;
  // The alternatives of the screen before compare other methods.
  const { alternatives: _, ...price } = quote ?? {};
  const uncompared = asking.quote.quote && (price as QuoteData);
  return [{ ...asking, quote: { ...asking.quote, status, quote: uncompared } }, ...effects];
}

function refreshQuote(stage: Choosing): Step<Choosing> {
  const request = quoteRequestFor(stage);
  return request && stage.submission === "none" ? send(stage, request, 0) : [stage];
}

function send(
  stage: Choosing,
  request: NonNullable<LiveQuote["request"]>,
  delayMs: number,
): Step<Choosing> {
  const sequence = stage.quote.sequence + 1;
  const quote = { ...stage.quote, sequence, request, status: "loading" } as const;
  return [
    { ...stage, quote },
    { kind: "requestQuote", request, sequence, delayMs },
  ];
}

/** Makes up for refreshes that were skipped while the page was hidden or offline. */
export const catchUpQuote = (stage: Choosing): Step<Choosing> =>
  stage.quote.status === "failed" && isTransient(stage)
    ? refreshQuote(stage)
    : [stage, ...scheduleRefresh(stage, 0)];

/** The effect that refreshes a ready quote before it ends. */
export const scheduleRefresh = ({ quote }: Choosing, earlyMs: number): readonly Effect[] =>
  quote.status === "ready"
    ? [{ kind: "refreshQuoteAt", time: quote.validUntil - REFRESH_BEFORE_END_MS, earlyMs }]
    : [];

/** A review opens with a price that holds for a while. */
export const refreshForReview = (stage: Choosing): readonly Effect[] =>
  scheduleRefresh(stage, FRESH_FOR_REVIEW_MS - REFRESH_BEFORE_END_MS);

/** The line or the service failed, and not the request. */
export const isTransient = ({ quote }: Pick<Choosing, "quote">): boolean =>
  quote.fault?.kind === "unreachable" || quote.fault?.kind === "unavailable";

export function acceptQuote(stage: Choosing, { quote, validUntil }: ArrivedQuote): Step<Choosing> {
  const { sequence, request } = stage.quote;
  const compared = comparePrice(stage, quote);
  const live = { sequence, request, status: "ready", quote, validUntil, fault: undefined } as const;
  const accepted = { ...stage, quote: { ...live, ...compared } };
  return [accepted, ...scheduleRefresh(accepted, 0)];
}

/** On review the customer must accept a clearly worse price. Elsewhere it is only shown. */
function comparePrice(
  stage: Choosing,
  newer: QuoteData,
): Pick<LiveQuote, "worseThan" | "promised"> {
  const { screen, quote, world } = stage;
  // Many small steps down are compared with the same price.
  const seen = quote.promised ?? quote.worseThan ?? quote.quote;
  if (screen !== "review" || !seen || !isSamePair(seen, newer)) {
    return { worseThan: undefined, promised: undefined };
  }
  const isWorse = isShort(stage, newer) || paysLess(newer, seen, acceptedShare(world.session));
  return {
    worseThan: isWorse ? seen : undefined,
    promised: paysLess(seen, newer, ALL) ? newer : seen,
  };
}

/**
 * Whether a quote brings less than the amount to receive that the customer typed. The service keeps that amount in the
 * replacement of an expired price, and one of an earlier release kept the amount to pay.
 */
function isShort(stage: Choosing, { receive }: QuoteData): boolean {
  const typed = typedAmount(stage);
  if (stage.amount.side === "spend" || typeof typed === "string") return false;
  return compareDecimals(decimalOf(receive.amount), typed) < 0;
}

/** The amounts that differ between two quotes. */
export const changedSides = (one: QuoteData | undefined, other: QuoteData): AmountSide[] =>
  (["receive", "spend"] as const).filter((side) => one?.[side].amount !== other[side].amount);

/** If the result falls below this share of the promised one, the customer is asked. The operator sets it. */
function acceptedShare({ slippagePercent }: CheckoutSession): Decimal {
  const { units, scale } = decimalOf(slippagePercent);
  return { units: 100n * powerOfTen(scale) - units, scale: scale + 2 };
}

const ALL: Decimal = { units: 1n, scale: 0 };

/** Whether one quote pays out less than a share of what the other pays for the same amount. */
function paysLess(one: QuoteData, other: QuoteData, share: Decimal): boolean {
  // Cross-multiplied to avoid a division: receive/spend of the one against the other's.
  const left = multiplyDecimals(decimalOf(one.receive.amount), decimalOf(other.spend.amount));
  const right = multiplyDecimals(decimalOf(other.receive.amount), decimalOf(one.spend.amount));
  return compareDecimals(left, multiplyDecimals(right, share)) < 0;
}

/** Whether two quotes price the same exchange. Another method has another price. */
const isSamePair = (a: QuoteData, b: QuoteData): boolean =>
  a.paymentMethod.id === b.paymentMethod.id &&
  a.spend.currencyCode === b.spend.currencyCode &&
  a.receive.currencyReference === b.receive.currencyReference;
