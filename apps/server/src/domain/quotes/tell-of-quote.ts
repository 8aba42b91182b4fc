import { formatDecimal, money } from "@exchange/money";
import type { ExchangeControls } from "../payouts/controls.ts";
import { given } from "../rules/controls.ts";
import type { ExchangeSize, ExchangeWish, Terms } from "../rules/exchange.ts";
import { describeMoney } from "../rules/limits.ts";
import type { Look, Trace } from "../rules/look.ts";
import type { RuleRefusal, RuleResult } from "../rules/result.ts";
import type { Pricing } from "./price.ts";
import type { RatePair } from "./rates.ts";

/** What drawing up a quote tells those who ask why. It decides nothing. */

type Telling = NonNullable<Trace>;

const verdictOf = (refusal: RuleRefusal | undefined): Pick<Look, "verdict" | "why"> => ({
  verdict: refusal ? "refuses" : "passes",
  why: refusal?.message ?? "",
});

const refusalOf = <Value>(result: RuleResult<Value>): RuleRefusal | undefined =>
  result.ok ? undefined : result.refusal;

export function tellOfStops(
  trace: Telling,
  looked: {
    readonly terms: Terms;
    readonly wish: ExchangeWish;
    readonly refusal: RuleRefusal | undefined;
  },
): void {
  const { terms, wish, refusal } = looked;
  trace({
    rule: "stop",
    subject: `pair ${terms.spend.reference}-${terms.receive.reference}, merchant ${wish.merchantId}`,
    figures: "",
    ...verdictOf(refusal),
  });
}

export function tellOfPrices(
  trace: Telling,
  looked: {
    readonly terms: Terms;
    readonly source: string;
    readonly pair: RuleResult<RatePair>;
  },
): void {
  const { terms, source, pair } = looked;
  const figures = pair.ok
    ? `mid ${formatDecimal(pair.value.midRate)}, with ${terms.rule.spreadBasisPoints} basis points of spread ${formatDecimal(pair.value.rate)}`
    : "";
  trace({
    rule: "price",
    subject: `${terms.receive.code} for one ${terms.spend.code} (${source})`,
    figures,
    ...verdictOf(refusalOf(pair)),
  });
}

export function tellOfAmount(
  trace: Telling,
  looked: {
    readonly terms: Terms;
    readonly size: ExchangeSize;
    readonly priced: RuleResult<Pricing>;
  },
): void {
  const { terms, size, priced } = looked;
  const { min, max } = terms.limits;
  trace({
    rule: "amount",
    subject: `${size.side} ${formatDecimal(size.amount)} ${terms[size.side].code}`,
    figures: `${describeMoney(min)} to ${describeMoney(max)}`,
    ...verdictOf(refusalOf(priced)),
  });
}

export function tellOfLiquidity(
  trace: Telling,
  looked: {
    readonly controls: ExchangeControls;
    readonly pricing: Pricing;
    readonly refusal: RuleRefusal | undefined;
  },
): void {
  const { controls, pricing, refusal } = looked;
  const { asset } = pricing.receive;
  const left = controls.headroom.get(asset.id);
  const room = left === undefined ? "no limit" : `${describeMoney(money(asset, left))} left`;
  trace({
    rule: "liquidity",
    subject: asset.code,
    figures: `needs ${describeMoney(given(pricing))}, ${room}`,
    ...verdictOf(refusal),
  });
}
