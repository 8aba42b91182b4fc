import { methodsOf } from "../../domain/payouts/stop.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { refusedByStop } from "../../domain/rules/controls.ts";
import type { RuleRefusal } from "../../domain/rules/result.ts";
import type { Deps } from "../deps.ts";
import { Refusal, type RefusalDetail } from "../refusal.ts";

/** Converts a refusal of the rules into the refusal of a command. */
export function refusalOfRule({ code, message, limits }: RuleRefusal): Refusal {
  if (!limits) return new Refusal(code, { message });
  const detail: RefusalDetail = {
    issue: message,
    min: limits.min,
    max: limits.max,
    currencyCode: limits.min.asset.code,
    boundBy: limits.boundBy,
  };
  return new Refusal(code, { message, details: [detail] });
}

/** Refuses LIQUIDITY_UNAVAILABLE where a stop covers the exchange since the quote. */
export function requireOpen(
  deps: Pick<Deps, "catalogue" | "controls">,
  quote: Quote,
  merchantId: string,
): void {
  const catalogue = deps.catalogue();
  const exchange = {
    spend: catalogue.requireCurrency(quote.spend.asset.id),
    receive: catalogue.requireCurrency(quote.receive.asset.id),
    methods: methodsOf(catalogue, quote),
  };
  const refusal = refusedByStop(deps.controls(), exchange, merchantId);
  if (refusal) throw refusalOfRule(refusal);
}
