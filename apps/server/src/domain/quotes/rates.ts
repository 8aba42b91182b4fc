import {
  type Decimal,
  powerOfTen,
  RATE_SIGNIFICANT_DIGITS_MAX,
  type Rate,
  ratio,
} from "@exchange/money";
import type { PriceTable } from "../ports/rate-source.ts";
import type { Terms } from "../rules/exchange.ts";
import { granted, type RuleResult, refused } from "../rules/result.ts";

/** Target coins for one coin spent: the published rate, spread inside, and the one without it. */
export interface RatePair {
  readonly rate: Rate;
  readonly midRate: Rate;
}

/** Dollars for one coin of each side, at one moment. */
export interface PricePair {
  readonly spend: Decimal;
  readonly receive: Decimal;
}

/** The mid rate keeps more digits than the published one, so that the spread comes out exact. */
const MID_RATE_SIGNIFICANT_DIGITS = 24;
const WHOLE_BASIS_POINTS = 10_000n;

/** Both rates from exact prices, each rounded down, so that rates around a circle never gain. */
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

// A table's prices never change, so what was worked out from it is kept as long as the table.
const knownByTable = new WeakMap<PriceTable, Map<string, RatePair>>();

/** The rates for the terms by a table of prices. */
export function ratesFor(table: PriceTable, { spend, receive, rule }: Terms): RuleResult<RatePair> {
  const known = knownByTable.get(table) ?? new Map<string, RatePair>();
  if (known.size === 0) knownByTable.set(table, known);
  const key = `${spend.code} ${receive.code} ${rule.spreadBasisPoints}`;
  const kept = known.get(key);
  if (kept) return granted(kept);
  const prices = { spend: table.price(spend.code), receive: table.price(receive.code) };
  if (!prices.spend) return noPrice(spend.code);
  if (!prices.receive) return noPrice(receive.code);
  const pair = ratesOf({ spend: prices.spend, receive: prices.receive }, rule.spreadBasisPoints);
  known.set(key, pair);
  return granted(pair);
}

const noPrice = (code: string): RuleResult<never> =>
  refused("LIQUIDITY_UNAVAILABLE", `${code} has no price right now.`);
