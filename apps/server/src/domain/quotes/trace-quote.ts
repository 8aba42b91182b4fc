import { formatDecimal, money } from "@exchange/money";
import type { ExchangeControls } from "../payouts/controls.ts";
import { given } from "../rules/controls.ts";
import { describeMoney } from "../rules/limits.ts";
import type { RuleRefusal, RuleResult } from "../rules/result.ts";
import type { ExchangeSize, ExchangeWish, Terms } from "../rules/terms.ts";
import type { Trace, TraceLine } from "../rules/trace.ts";
import type { Pricing } from "./price.ts";
import type { EvidencedRates } from "./rates.ts";

// Traces the steps of a quote for `exchange rules explain`. Nothing here decides.

type Tracer = NonNullable<Trace>;

const verdictOf = (refusal: RuleRefusal | undefined): Pick<TraceLine, "verdict" | "why"> => ({
  verdict: refusal ? "refuses" : "passes",
  why: refusal?.message ?? "",
});

const refusalOf = <Value>(result: RuleResult<Value>): RuleRefusal | undefined =>
  result.ok ? undefined : result.refusal;

export function traceStops(
  trace: Tracer,
  step: {
    readonly terms: Terms;
    readonly wish: ExchangeWish;
    readonly refusal: RuleRefusal | undefined;
  },
): void {
  const { terms, wish, refusal } = step;
  trace({
    rule: "stop",
    subject: `pair ${terms.spend.reference}-${terms.receive.reference}, merchant ${wish.merchantId}`,
    figures: "",
    ...verdictOf(refusal),
  });
}

export function tracePrices(
  trace: Tracer,
  step: {
    readonly terms: Terms;
    readonly source: string;
    readonly pair: RuleResult<EvidencedRates>;
  },
): void {
  const { terms, source, pair } = step;
  const figures = pair.ok ? ratesInWords(pair.value, terms.rule.spreadBasisPoints) : "";
  trace({
    rule: "price",
    subject: `${terms.receive.code} for one ${terms.spend.code} (${source})`,
    figures,
    ...verdictOf(refusalOf(pair)),
  });
}

function ratesInWords({ midRate, rate, evidence }: EvidencedRates, spread: number): string {
  const depth = evidence.spend.costBasisPoints + evidence.receive.costBasisPoints;
  const cost = depth === 0 ? "" : ` and ${depth} for the market's depth`;
  return `mid ${formatDecimal(midRate)}, with ${spread} basis points of spread${cost} ${formatDecimal(rate)}`;
}

export function traceAmount(
  trace: Tracer,
  step: {
    readonly terms: Terms;
    readonly size: ExchangeSize;
    readonly priced: RuleResult<Pricing>;
  },
): void {
  const { terms, size, priced } = step;
  const { min, max } = terms.limits;
  trace({
    rule: "amount",
    subject: `${size.side} ${formatDecimal(size.amount)} ${terms[size.side].code}`,
    figures: `${describeMoney(min)} to ${describeMoney(max)}`,
    ...verdictOf(refusalOf(priced)),
  });
}

export function traceLiquidity(
  trace: Tracer,
  step: {
    readonly controls: ExchangeControls;
    readonly pricing: Pricing;
    readonly refusal: RuleRefusal | undefined;
  },
): void {
  const { controls, pricing, refusal } = step;
  const { asset } = pricing.receive;
  const left = controls.headroom.get(asset.id);
  const stock = controls.stock.get(asset.id);
  const room = left === undefined ? "no limit" : `${describeMoney(money(asset, left))} left`;
  const inStock =
    stock === undefined ? "" : `, ${describeMoney(money(asset, stock))} in stock above the floor`;
  trace({
    rule: "liquidity",
    subject: asset.code,
    figures: `needs ${describeMoney(given(pricing))}, ${room}${inStock}`,
    ...verdictOf(refusal),
  });
}
