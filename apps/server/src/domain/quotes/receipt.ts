import { divide, type Money, money, powerOfTen, type Rate } from "@exchange/money";
import { publishedStep } from "../rules/published-step.ts";
import type { Quote } from "./quote.ts";

/** The cost of a quote, in the currency that its customer thinks in. */
export interface QuoteReceipt {
  /** The worth of the amount received at the mid rate. */
  readonly value: Money;
  readonly exchangeFee: Money;
  readonly deliveryFee: Money;
  readonly spread: Money;
  readonly total: Money;
  /** The distance of the published rate from the mid rate, in basis points. */
  readonly spreadBasisPoints: bigint;
}

type PricedQuote = Pick<
  Quote,
  | "operation"
  | "spend"
  | "receive"
  | "rate"
  | "midRate"
  | "transactionFee"
  | "deliveryFee"
  | "spread"
>;

/**
 * Returns the receipt of a quote. The ledger books fees and spread in the currency received. The receipt of a sale is in
 * that currency, so its figures are the ledger's. Any other receipt is in the currency spent: the ledger's postings divide
 * the amount spent. Each cost is rounded once, to the nearest step. The value is the rest, so the parts add up to the
 * amount spent.
 */
export function quoteReceiptOf(quote: PricedQuote): QuoteReceipt {
  const { receive, transactionFee, deliveryFee, spread } = quote;
  const inCurrency = quote.operation === "sell" ? (amount: Money) => amount : shareOfSpend(quote);
  const costs = {
    exchangeFee: inCurrency(transactionFee),
    deliveryFee: inCurrency(deliveryFee),
    spread: inCurrency(spread),
  };
  const { asset } = costs.spread;
  const units = costs.exchangeFee.units + costs.deliveryFee.units + costs.spread.units;
  const value = quote.operation === "sell" ? receive : money(asset, quote.spend.units - units);
  return {
    ...costs,
    value,
    total: money(asset, units),
    spreadBasisPoints: spreadOf(quote),
  };
}

/** Converts an amount of the currency received at the mid rate, at which all the postings make the amount spent. */
function shareOfSpend(quote: PricedQuote): (amount: Money) => Money {
  const { spend, receive, transactionFee, deliveryFee, spread } = quote;
  const gross = receive.units + transactionFee.units + deliveryFee.units + spread.units;
  const step = publishedStep(spend.asset);
  return ({ units }) =>
    money(spend.asset, divide(spend.units * units, gross * step, "half_up") * step);
}

function spreadOf({ rate, midRate }: PricedQuote): bigint {
  const scale = Math.max(rate.scale, midRate.scale);
  const at = ({ units, scale: own }: Rate): bigint => units * powerOfTen(scale - own);
  return divide((at(midRate) - at(rate)) * 10_000n, at(midRate), "half_up");
}
