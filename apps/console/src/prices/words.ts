import type { PriceRule } from "@exchange/contract/admin";
import { say, sayPercent, sayWord } from "../say.ts";

/** Says which exchanges a rule prices. */
export const matchesOf = ({ merchantId, operation, paymentMethod, currency }: PriceRule): string =>
  [merchantId, operation && sayWord("operation", operation), paymentMethod, currency?.toUpperCase()]
    .filter(Boolean)
    .join(", ") || say("prices.everything");

/** The figures of a rule in the order of the form, each with its unit. */
export const FIGURES = [
  ["prices.spread", (rule: PriceRule) => sayPercent(rule.spreadBasisPoints)],
  ["prices.fee", (rule: PriceRule) => sayPercent(rule.feeBasisPoints)],
  ["prices.fixed_fee", (rule: PriceRule) => `${rule.fixedFeeEuro} EUR`],
  ["prices.min", (rule: PriceRule) => `${rule.minEuro} EUR`],
  ["prices.max", (rule: PriceRule) => `${rule.maxEuro} EUR`],
] as const;
