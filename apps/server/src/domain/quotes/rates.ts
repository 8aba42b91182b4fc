import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  multiplyDecimals,
  powerOfTen,
  RATE_SIGNIFICANT_DIGITS_MAX,
  type Rate,
  ratio,
  toDecimal,
} from "@exchange/money";
import type { MarketSide, PriceTable } from "../ports/rate-source.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";
import type { ExchangeSize, Terms } from "../rules/terms.ts";
import type { Quote, QuoteEvidence, SideEvidence } from "./quote.ts";

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

/** The rates of an exchange of one size, with the origin of their prices. */
export interface EvidencedRates extends RatePair {
  readonly evidence: QuoteEvidence;
}

/**
 * Returns the rates for the terms from a table of prices. The customer pays the cost of the market's depth at
 * this size, beside the spread. Refuses LIQUIDITY_UNAVAILABLE without a price, and beyond that depth.
 */
export function ratesFor(
  table: PriceTable,
  { spend, receive, rule }: Terms,
  size: ExchangeSize,
): RuleResult<EvidencedRates> {
  const prices = { spend: table.price(spend.code), receive: table.price(receive.code) };
  if (!prices.spend) return noPrice(spend.code);
  if (!prices.receive) return noPrice(receive.code);
  const pair = { spend: prices.spend, receive: prices.receive };
  const dollars = multiplyDecimals(size.amount, pair[size.side]);
  const sold = sideOf(table, spend.code, { price: pair.spend, side: "sell", dollars });
  if (!sold) return tooMuch(spend.code);
  const bought = sideOf(table, receive.code, { price: pair.receive, side: "buy", dollars });
  if (!bought) return tooMuch(receive.code);
  const cost = sold.costBasisPoints + bought.costBasisPoints;
  return granted({
    ...ratesOf(pair, rule.spreadBasisPoints + cost),
    evidence: { spend: sold, receive: bought },
  });
}

/** One side of a quote's exchange on the market, with its value in dollars. */
interface MarketLeg {
  readonly price: Decimal;
  readonly side: MarketSide;
  readonly dollars: Decimal;
}

/** Returns the origin of one side's price; undefined if the market shows less than the amount. */
function sideOf(
  table: PriceTable,
  code: string,
  { price, side, dollars }: MarketLeg,
): SideEvidence | undefined {
  const evidence = table.evidence(code);
  const costBasisPoints = table.costBasisPoints(code, side, dollars);
  if (!evidence || costBasisPoints === undefined) return undefined;
  const at = evidence.at.toISOString();
  return { code, dollars: formatDecimal(price), ...evidence, at, costBasisPoints };
}

const noPrice = (code: string): RuleResult<never> =>
  refused("LIQUIDITY_UNAVAILABLE", `${code} has no price at the moment. Try again later.`);

const tooMuch = (code: string): RuleResult<never> =>
  refused(
    "LIQUIDITY_UNAVAILABLE",
    `The market does not offer so much ${code} at the moment. Choose a smaller amount, or try again later.`,
  );

/** The most that a promised amount is worth, in hundredths of its price, before a person looks at the order. */
const PLAUSIBLE: Decimal = { units: 125n, scale: 2 };

/**
 * Returns whether the amount received is worth at most the amount spent, with room for a market that moved. It reads
 * only the two amounts, because a forger of them could change every other field of the quote too. Undefined without
 * fresh prices.
 */
export function isPlausible(
  { spend, receive }: Pick<Quote, "spend" | "receive">,
  market: PriceTable | undefined,
): boolean | undefined {
  const [paid, promised] = [market?.price(spend.asset.code), market?.price(receive.asset.code)];
  if (!paid || !promised) return undefined;
  const most = multiplyDecimals(multiplyDecimals(toDecimal(spend), paid), PLAUSIBLE);
  return compareDecimals(multiplyDecimals(toDecimal(receive), promised), most) <= 0;
}

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
