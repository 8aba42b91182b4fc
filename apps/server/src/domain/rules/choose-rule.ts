import type { Currency } from "../catalogue/currency.ts";
import type { PaymentMethod } from "../catalogue/methods.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";

export interface PricedExchange {
  readonly operation: Operation;
  readonly spend: Currency;
  readonly receive: Currency;
  readonly paymentMethod: PaymentMethod;
}

/**
 * The rule that prices the exchange: the first that matches, when `rules` are a merchant's in order
 * of precedence (`Catalogue.pricingRulesFor`). Undefined only when the catalogue has no rule for all.
 */
export const chooseRule = (
  rules: readonly PricingRule[],
  exchange: PricedExchange,
): PricingRule | undefined => rules.find((rule) => matches(rule, exchange));

function matches(rule: PricingRule, exchange: PricedExchange): boolean {
  return (
    (rule.operation === null || rule.operation === exchange.operation) &&
    (rule.paymentMethodReference === null ||
      rule.paymentMethodReference === exchange.paymentMethod.reference) &&
    (rule.currency === null ||
      names(rule.currency, exchange.receive) ||
      names(rule.currency, exchange.spend))
  );
}

const names = (text: string, currency: Currency): boolean =>
  text === currency.reference || text === currency.code.toLowerCase();
