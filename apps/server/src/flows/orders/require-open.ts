import type { Quote } from "../../domain/quotes/quote.ts";
import { refusedByStop } from "../../domain/rules/controls.ts";
import type { Deps } from "../deps.ts";
import { refusalOfRule } from "../quotes/rule-refusal.ts";

/** Refuses LIQUIDITY_UNAVAILABLE where the pair or the merchant was stopped after the quote. */
export function requireOpen(
  deps: Pick<Deps, "catalogue" | "controls">,
  quote: Quote,
  merchantId: string,
): void {
  const catalogue = deps.catalogue();
  const pair = {
    spend: catalogue.requireCurrency(quote.spend.asset.id),
    receive: catalogue.requireCurrency(quote.receive.asset.id),
  };
  const refusal = refusedByStop(deps.controls(), pair, merchantId);
  if (refusal) throw refusalOfRule(refusal);
}
