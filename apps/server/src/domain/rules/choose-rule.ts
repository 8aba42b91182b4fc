import type { Currency } from "../catalogue/currency.ts";
import type { PaymentMethod } from "../catalogue/methods.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { PricingRule } from "../catalogue/pricing-rule.ts";
import { type Check, failing } from "./checks.ts";
import { rangeWords, type Trace } from "./trace.ts";

export interface PricedExchange {
  readonly operation: Operation;
  readonly spend: Currency;
  readonly receive: Currency;
  readonly paymentMethod: PaymentMethod;
}

/**
 * Returns the rule that prices the exchange: the first match of a merchant's rules in order of precedence
 * (`Catalogue.pricingRulesFor`). Returns undefined only when the catalogue has no general rule.
 */
export const chooseRule = (
  rules: readonly PricingRule[],
  exchange: PricedExchange,
  trace?: Trace,
): PricingRule | undefined =>
  rules.find((rule) => {
    const mismatch = failing(SELECTORS, rule, exchange);
    trace?.({
      rule: "pricing rule",
      subject: rule.reference,
      figures: `spread ${rule.spreadBasisPoints} and fee ${rule.feeBasisPoints} basis points, ${rangeWords(rule.limits)}${originWords(rule)}`,
      verdict: mismatch ? "skips" : "applies",
      why: mismatch?.fault ?? "",
    });
    return mismatch === undefined;
  });

/** Says which change made the rule so. A rule of the files needs no words. */
const originWords = ({ changeId }: PricingRule): string =>
  changeId === undefined ? "" : `, by price change ${changeId}`;

const SELECTORS: readonly Check<PricingRule, PricedExchange>[] = [
  {
    fault: "is for another operation",
    holds: ({ operation }, exchange) => operation === null || operation === exchange.operation,
  },
  {
    fault: "is for another payment method",
    holds: ({ paymentMethodReference: reference }, { paymentMethod }) =>
      reference === null || reference === paymentMethod.reference,
  },
  {
    fault: "is for another currency",
    holds: ({ currency }, { spend, receive }) =>
      currency === null || names(currency, receive) || names(currency, spend),
  },
];

const names = (text: string, currency: Currency): boolean =>
  text === currency.reference || text === currency.code.toLowerCase();
