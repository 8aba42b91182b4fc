import { methodsOf } from "../../domain/payouts/stop.ts";
import type { Quote } from "../../domain/quotes/quote.ts";
import { refusedByStop } from "../../domain/rules/controls.ts";
import type { ExchangePart, RuleRefusal } from "../../domain/rules/result.ts";
import type { Deps } from "../deps.ts";
import { Refusal, type RefusalDetail } from "../refusal.ts";

/** The members of a command that have the parts of an exchange. */
export type PartMembers = Readonly<Partial<Record<ExchangePart, string>>>;

/** The members of a quote's request. */
export const QUOTE_MEMBERS = {
  country: "countryCode",
  spend: "baseCurrencyId",
  receive: "targetCurrencyId",
  payment_method: "paymentMethodId",
  delivery_method: "deliveryMethodId",
  amount: "baseAmount",
} as const satisfies PartMembers;

/**
 * Converts a refusal of the rules into the refusal of a command. Its detail names the member, and the limits of an amount
 * that is outside of them.
 */
export function refusalOfRule(
  { code, message, part, limits }: RuleRefusal,
  members: PartMembers = {},
): Refusal {
  const field = part && members[part];
  if (!limits && field === undefined) return new Refusal(code, { message });
  const detail: RefusalDetail = {
    ...(field !== undefined && { field }),
    issue: message,
    ...(limits && {
      min: limits.min,
      max: limits.max,
      currencyCode: limits.min.asset.code,
      boundBy: limits.boundBy,
    }),
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
