import type { Catalogue } from "../catalogue/catalogue.ts";
import type { ExchangeControls } from "../payouts/controls.ts";
import type { PriceTable, RateSource } from "../ports/rate-source.ts";
import { refusedByLiquidity, refusedByStop } from "../rules/controls.ts";
import type { ExchangeWish, Terms } from "../rules/exchange.ts";
import type { Trace } from "../rules/look.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import { resolveTerms } from "../rules/terms.ts";
import { type Pricing, priceExchange } from "./price.ts";
import type { Quote } from "./quote.ts";
import { type RatePair, ratesFor } from "./rates.ts";
import { tellOfAmount, tellOfLiquidity, tellOfPrices, tellOfStops } from "./tell-of-quote.ts";

/** What a quote takes from outside the rules: the prices, the time, a name, what is stopped. */
export interface QuoteCircumstances {
  readonly catalogue: Catalogue;
  readonly controls: ExchangeControls;
  readonly rates: RateSource;
  readonly now: Date;
  readonly quoteId: string;
  /** Told of everything that is looked at; absent, nothing is. */
  readonly trace?: Trace;
}

/** Quotes hold this long (completion, section 5). */
export const QUOTE_LIFETIME_SECONDS = 30;

/** A quote for what is asked, or why there is none. Pure: asks no database and no network. */
export function drawUpQuote(
  circumstances: QuoteCircumstances,
  wish: ExchangeWish,
): RuleResult<Quote> {
  const { catalogue, controls, rates, now, trace } = circumstances;
  const resolved = resolveTerms(catalogue, wish, trace);
  if (!resolved.ok) return resolved;
  const terms = resolved.value;
  const stopped = refusedByStop(controls, terms, wish.merchantId);
  if (trace) tellOfStops(trace, { terms, wish, refusal: stopped });
  if (stopped) return { ok: false, refusal: stopped };
  const pair = pricesFor(rates.prices(now), terms);
  if (trace) tellOfPrices(trace, { terms, source: rates.name, pair });
  if (!pair.ok) return pair;
  const priced = priceExchange(terms, wish.size, pair.value);
  if (trace) tellOfAmount(trace, { terms, size: wish.size, priced });
  if (!priced.ok) return priced;
  const short = refusedByLiquidity(controls, priced.value);
  if (trace) tellOfLiquidity(trace, { controls, pricing: priced.value, refusal: short });
  if (short) return { ok: false, refusal: short };
  return granted(quoteOf(circumstances, terms, priced.value));
}

function pricesFor(table: PriceTable | undefined, terms: Terms): RuleResult<RatePair> {
  if (table) return ratesFor(table, terms);
  return refused("LIQUIDITY_UNAVAILABLE", "There are no fresh prices right now.");
}

// Member by member: copying by spread takes several times as long, and every quote comes by here.
const quoteOf = (
  { quoteId, rates, now }: QuoteCircumstances,
  terms: Terms,
  pricing: Pricing,
): Quote => ({
  id: quoteId,
  operation: terms.operation,
  spend: pricing.spend,
  receive: pricing.receive,
  rate: pricing.rate,
  midRate: pricing.midRate,
  fees: pricing.fees,
  transactionFee: pricing.transactionFee,
  deliveryFee: pricing.deliveryFee,
  spread: pricing.spread,
  paymentMethodId: terms.paymentMethod.id,
  deliveryMethodId: terms.deliveryMethod.id,
  deliveryDays: terms.deliveryMethod.days,
  limits: { min: terms.limits.min, max: terms.limits.max },
  rateSource: rates.name,
  createdAt: now,
  expiresAt: new Date(now.getTime() + QUOTE_LIFETIME_SECONDS * 1000),
});
