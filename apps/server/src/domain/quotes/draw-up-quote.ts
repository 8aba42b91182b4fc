import type { Catalogue } from "../catalogue/catalogue.ts";
import type { RateSource } from "../ports/rate-source.ts";
import type { ExchangeWish } from "../rules/exchange.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import { resolveTerms } from "../rules/terms.ts";
import { priceExchange } from "./price.ts";
import type { Quote } from "./quote.ts";

/** What a quote takes from outside the rules: the prices, the time, a name. */
export interface QuoteCircumstances {
  readonly catalogue: Catalogue;
  readonly rates: RateSource;
  readonly now: Date;
  readonly quoteId: string;
}

/** Quotes hold this long (completion, section 5). */
export const QUOTE_LIFETIME_SECONDS = 30;

/** A quote for what is asked, or why there is none. Pure: asks no database and no network. */
export function drawUpQuote(
  circumstances: QuoteCircumstances,
  wish: ExchangeWish,
): RuleResult<Quote> {
  const { catalogue, rates, now, quoteId } = circumstances;
  const resolved = resolveTerms(catalogue, wish);
  if (!resolved.ok) return resolved;
  const terms = resolved.value;
  const table = rates.prices(now);
  const spend = table?.price(terms.spend.code);
  const receive = table?.price(terms.receive.code);
  if (!spend || !receive) {
    const missing = spend ? terms.receive : terms.spend;
    return refused("LIQUIDITY_UNAVAILABLE", `${missing.code} has no price right now.`);
  }
  const priced = priceExchange(terms, wish.size, { spend, receive });
  if (!priced.ok) return priced;
  const { paymentMethod, deliveryMethod, limits } = terms;
  return granted({
    id: quoteId,
    operation: terms.operation,
    ...priced.value,
    paymentMethodId: paymentMethod.id,
    deliveryMethodId: deliveryMethod.id,
    deliveryDays: deliveryMethod.days,
    limits: { min: limits.min, max: limits.max },
    rateSource: rates.name,
    createdAt: now,
    expiresAt: new Date(now.getTime() + QUOTE_LIFETIME_SECONDS * 1000),
  });
}
