import { type Decimal, multiplyDecimals } from "@exchange/money";
import type { MissingView, View } from "./agree.ts";
import type { PricedBook } from "./depth.ts";
import { midpointOf, quotient } from "./exact.ts";
import type { PolledVenue } from "./poll-venue.ts";
import { type Market, marketName } from "./venue.ts";

/** The currency whose prices are wanted, and what is needed to state them in dollars. */
export interface PriceContext {
  readonly code: string;
  /** Returns the dollars for one unit of a currency whose price is agreed; undefined otherwise. */
  readonly dollarsOf: (code: string) => Decimal | undefined;
  readonly nowMs: number;
  readonly freshMs: number;
}

/** The currencies in which others are priced. Their own prices come first, each from those before it. */
export const ANCHORS: readonly string[] = ["USDT", "USDC", "EUR"];

/** Returns the currency that a market prices: its base, or its quote if the base is the dollar or an anchor. */
export function pricedCode({ base, quote }: Market): string {
  if (base === "USD") return quote;
  const [first, second] = [ANCHORS.indexOf(base), ANCHORS.indexOf(quote)];
  if (quote === "USD" || second < 0) return first >= 0 && quote !== "USD" ? quote : base;
  // Of two anchors the later one follows from the earlier one.
  return first >= 0 && first < second ? quote : base;
}

/** Returns the currencies that the venues price, in an order in which each follows from those before it. */
export function pricedCodes(venues: readonly PolledVenue[]): readonly string[] {
  const codes = new Set(venues.flatMap(({ markets }) => markets.map(pricedCode)));
  const anchors = ANCHORS.filter((code) => codes.has(code));
  return [...anchors, ...[...codes].filter((code) => !anchors.includes(code)).sort()];
}

/** One venue's price of a currency, with the order book behind it. */
export interface VenuePrice {
  readonly view: View | MissingView;
  readonly book: PricedBook | undefined;
}

/**
 * Returns one price of the currency for each venue that trades it, in dollars. A venue with several markets of the
 * currency counts once: the first market that has a price is used.
 */
export function venuePrices(
  venues: readonly PolledVenue[],
  context: PriceContext,
): readonly VenuePrice[] {
  const { code } = context;
  return venues.flatMap((venue) => {
    const markets = venue.markets.filter((market) => pricedCode(market) === code);
    const prices = markets.map((market) => venuePriceOf(venue, market, context));
    const price = prices.find(({ view }) => "mid" in view) ?? prices[0];
    return price === undefined ? [] : [price];
  });
}

function venuePriceOf(
  venue: PolledVenue,
  market: Market,
  { code, dollarsOf, nowMs, freshMs }: PriceContext,
): VenuePrice {
  const missing = (fault: string): VenuePrice & { readonly view: MissingView } => ({
    view: { source: venue.name, fault },
    book: undefined,
  });
  const fault = venue.fault(market);
  if (fault !== undefined) return missing(`${marketName(market)}: ${fault}`);
  const best = venue.best(market);
  if (!best) {
    const { why } = venue.health();
    return missing(why ?? `no answer for ${marketName(market)}`);
  }
  const isInverted = market.quote === code;
  const other = isInverted ? market.base : market.quote;
  const otherDollars = dollarsOf(other);
  const { bid, ask, atMs } = best;
  if (!otherDollars) {
    const { view } = missing(`${marketName(market)} needs a price of ${other}`);
    const isFresh = nowMs - atMs <= freshMs;
    return { view: isFresh ? { ...view, isUnconverted: true } : view, book: undefined };
  }
  const mid = midpointOf(bid, ask);
  if (mid.units <= 0n) return missing("not above zero");
  const dollars = isInverted ? quotient(otherDollars, mid) : multiplyDecimals(mid, otherDollars);
  const book = venue.book(market);
  const quoteDollars = isInverted ? dollars : otherDollars;
  return {
    view: { source: venue.name, bid, ask, mid: dollars, atMs },
    book: book && { book, quoteDollars, isInverted },
  };
}
