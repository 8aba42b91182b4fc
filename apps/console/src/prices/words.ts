import type { PriceRule } from "@exchange/contract/admin";
import { say, sayAmount, sayPercent, sayWord } from "../say.ts";

/** Says which exchanges a rule prices. */
export const matchesOf = ({ merchantId, operation, paymentMethod, currency }: PriceRule): string =>
  [merchantId, operation && sayWord("operation", operation), paymentMethod, currency?.toUpperCase()]
    .filter(Boolean)
    .join(", ") || say("prices.everything");

const inEuro = (amount: string): string => sayAmount({ amount, currency: "eur" });

/** The figures of a rule in the order of the form, each with its unit. */
export const FIGURES = [
  ["prices.spread", (rule: PriceRule) => sayPercent(rule.spreadBasisPoints)],
  ["prices.fee", (rule: PriceRule) => sayPercent(rule.feeBasisPoints)],
  ["prices.fixed_fee", (rule: PriceRule) => inEuro(rule.fixedFeeEuro)],
  ["prices.min", (rule: PriceRule) => inEuro(rule.minEuro)],
  ["prices.max", (rule: PriceRule) => inEuro(rule.maxEuro)],
] as const;
