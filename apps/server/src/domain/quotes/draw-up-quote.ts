import type { Catalogue } from "../catalogue/catalogue.ts";
import type { ExchangeControls } from "../payouts/controls.ts";
import { methodsOf } from "../payouts/stop.ts";
import type { NetworkFees } from "../ports/network-fees.ts";
import type { PriceTable, RateSource } from "../ports/rate-source.ts";
import { refusedByLiquidity, refusedByStop } from "../rules/controls.ts";
import { resolveTerms } from "../rules/resolve-terms.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import type { ExchangeSize, ExchangeWish, Terms } from "../rules/terms.ts";
import type { Trace } from "../rules/trace.ts";
import { traceNetworkFee, withNetworkFee } from "./network-fee.ts";
import { coverFees, type Pricing, priceExchange } from "./price.ts";
import type { Quote } from "./quote.ts";
import { type EvidencedRates, ratesFor } from "./rates.ts";
import { traceAmount, traceLiquidity, tracePrices, traceStops } from "./trace-quote.ts";

/** The inputs of a quote beside the wish: catalogue, controls, prices, time and id. */
export interface QuoteCircumstances {
  readonly catalogue: Catalogue;
  readonly controls: ExchangeControls;
  readonly rates: Pick<RateSource, "name" | "prices">;
  readonly networkFees: NetworkFees;
  readonly now: Date;
  readonly quoteId: string;
  /** Receives every rule evaluation. */
  readonly trace?: Trace;
}

/** The lifetime of a quote (completion, section 5). */
const QUOTE_LIFETIME_SECONDS = 30;

/** Returns a quote for the wish, or the refusal. Pure: reads no database and no network. */
export function drawUpQuote(
  circumstances: QuoteCircumstances,
  wish: ExchangeWish,
): RuleResult<Quote> {
  const { catalogue, controls, rates, networkFees, now, trace } = circumstances;
  const resolved = resolveTerms({ catalogue, at: now, trace }, wish);
  if (!resolved.ok) return resolved;
  const { value: agreed } = resolved;
  const { spend, receive } = agreed;
  const [paymentMethodId, deliveryMethodId] = [agreed.paymentMethod.id, agreed.deliveryMethod.id];
  const methods = methodsOf(catalogue, { paymentMethodId, deliveryMethodId });
  const stopped = refusedByStop(controls, { spend, receive, methods }, wish.merchantId);
  if (trace) traceStops(trace, { terms: agreed, wish, refusal: stopped });
  if (stopped) return { ok: false, refusal: stopped };
  const pair = pricesFor(rates.prices(now), agreed, wish.size);
  if (trace) tracePrices(trace, { terms: agreed, source: rates.name, pair });
  if (!pair.ok) return pair;
  const delivered = withNetworkFee(agreed, networkFees, pair.value.table);
  if (trace) traceNetworkFee(trace, delivered);
  if (!delivered.ok) return delivered;
  const { networkFee } = delivered.value;
  const terms = coverFees(delivered.value.terms, pair.value.rate);
  const priced = priceExchange(terms, wish.size, pair.value);
  if (trace) traceAmount(trace, { terms, size: wish.size, priced });
  if (!priced.ok) return priced;
  const short = refusedByLiquidity(controls, priced.value);
  if (trace) traceLiquidity(trace, { controls, pricing: priced.value, refusal: short });
  if (short) return { ok: false, refusal: short };
  const { reference, changeId = null } = terms.rule;
  const rule = { reference, changeId };
  const evidence = { ...pair.value.evidence, ...(networkFee && { networkFee }), rule };
  const askedReceive = wish.size.side === "receive" ? wish.size.amount : null;
  return granted({ ...quoteOf(circumstances, terms, priced.value), askedReceive, evidence });
}

/** The rates of a quote, with the table that they come from. */
interface TabledRates extends EvidencedRates {
  readonly table: PriceTable;
}

function pricesFor(
  table: PriceTable | undefined,
  terms: Terms,
  size: ExchangeSize,
): RuleResult<TabledRates> {
  if (!table) {
    return refused(
      "LIQUIDITY_UNAVAILABLE",
      "There are no fresh prices at the moment. Try again later.",
    );
  }
  const rates = ratesFor(table, terms, size);
  return rates.ok ? granted({ ...rates.value, table }) : rates;
}

const quoteOf = (
  { quoteId, rates, now }: QuoteCircumstances,
  terms: Terms,
  pricing: Pricing,
): Omit<Quote, "askedReceive"> => ({
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
