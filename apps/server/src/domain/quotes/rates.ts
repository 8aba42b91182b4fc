import {
  type Decimal,
  powerOfTen,
  RATE_SIGNIFICANT_DIGITS_MAX,
  type Rate,
  ratio,
} from "@exchange/money";
import type { PriceTable } from "../ports/rate-source.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import type { Terms } from "../rules/terms.ts";
import type { Quote } from "./quote.ts";

/** Target units for one unit spent: the published rate with its spread, and the mid rate without it. */
export interface RatePair {
  readonly rate: Rate;
  readonly midRate: Rate;
}

/** The dollar price of one unit of each side, at one moment. */
export interface PricePair {
  readonly spend: Decimal;
  readonly receive: Decimal;
}

/** The mid rate keeps more digits than the published one, so that the spread comes out exact. */
const MID_RATE_SIGNIFICANT_DIGITS = 24;
const WHOLE_BASIS_POINTS = 10_000n;

/** Returns both rates from exact prices, each rounded down, so that no circle of exchanges gains. */
export function ratesOf(prices: PricePair, spreadBasisPoints: number): RatePair {
  const numerator = prices.spend.units * powerOfTen(prices.receive.scale);
  const denominator = prices.receive.units * powerOfTen(prices.spend.scale);
  return {
    midRate: ratio(numerator, denominator, {
      digits: MID_RATE_SIGNIFICANT_DIGITS,
      rounding: "down",
    }),
    rate: ratio(
      numerator * (WHOLE_BASIS_POINTS - BigInt(spreadBasisPoints)),
      denominator * WHOLE_BASIS_POINTS,
      { digits: RATE_SIGNIFICANT_DIGITS_MAX, rounding: "down" },
    ),
  };
}

/** Returns the rates for the terms from a table of prices, or LIQUIDITY_UNAVAILABLE without a price. */
export function ratesFor(table: PriceTable, { spend, receive, rule }: Terms): RuleResult<RatePair> {
  const prices = { spend: table.price(spend.code), receive: table.price(receive.code) };
  if (!prices.spend) return noPrice(spend.code);
  if (!prices.receive) return noPrice(receive.code);
  const pair = { spend: prices.spend, receive: prices.receive };
  return granted(ratesOf(pair, rule.spreadBasisPoints));
}

const noPrice = (code: string): RuleResult<never> =>
  refused("LIQUIDITY_UNAVAILABLE", `${code} has no price at the moment. Try again later.`);

/**
 * Compares the price of a quote with the market. The price has moved when the market's mid rate fell
 * below the quoted one by more than `bandPercent` of the quote's spread. A rate that rose costs us
 * nothing, and the customer receives what they accepted. Unknown when the market has no fresh price.
 */
export function comparePrice(
  quote: Pick<Quote, "spend" | "receive" | "rate" | "midRate">,
  market: PriceTable | undefined,
  bandPercent: number,
): "within" | "moved" | "unknown" {
  const spend = market?.price(quote.spend.asset.code);
  const receive = market?.price(quote.receive.asset.code);
  if (!spend || !receive) return "unknown";
  const { midRate } = ratesOf({ spend, receive }, 0);
  const scale = Math.max(midRate.scale, quote.midRate.scale, quote.rate.scale);
  const at = (rate: Rate): bigint => rate.units * powerOfTen(scale - rate.scale);
  const spread = at(quote.midRate) - at(quote.rate);
  const lowest = at(quote.midRate) * 100n - spread * BigInt(bandPercent);
  return at(midRate) * 100n < lowest ? "moved" : "within";
}
