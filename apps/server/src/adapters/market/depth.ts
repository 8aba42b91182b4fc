import { compareDecimals, type Decimal, multiplyDecimals, rescale } from "@exchange/money";
import type { MarketSide } from "../../domain/ports/rate-source.ts";
import { basisPointsApart, midpointOf, quotient } from "./exact.ts";
import type { Book, Level } from "./venue.ts";

/** The amounts in dollars whose cost is computed in advance. A quote pays the cost of the next one. */
export const STEPS: readonly Decimal[] = [1_000n, 5_000n, 10_000n, 25_000n, 50_000n, 100_000n].map(
  (units) => ({ units, scale: 0 }),
);

/** The costs of both sides in basis points, one for each step; undefined beyond the depth. */
export type Ladder = Readonly<Record<MarketSide, readonly (number | undefined)[]>>;

/** A book, and the dollars for one unit of the currency in which it trades amounts. */
export interface PricedBook {
  readonly book: Book;
  /** The dollars for one unit of the market's quote. */
  readonly quoteDollars: Decimal;
  /** The currency is the market's quote, such as CAD in USD/CAD. Buying it sells the base. */
  readonly isInverted: boolean;
}

/**
 * Returns the average price of each amount of the base, or undefined where the levels hold less. The amounts
 * ascend, so that one walk over the levels answers all of them.
 */
function averagePrices(
  levels: readonly Level[],
  amounts: readonly Decimal[],
): readonly (Decimal | undefined)[] {
  // Integers of two common scales, because a walk over decimals would align them at every step.
  const scale = Math.max(...[...amounts, ...levels.map(({ size }) => size)].map((it) => it.scale));
  const priceScale = Math.max(...levels.map(({ price }) => price.scale));
  const wanted = amounts.map((amount) => rescale(amount, scale, "down").units);
  const averages: (Decimal | undefined)[] = [];
  let filled = 0n;
  let cost = 0n;
  for (const level of levels) {
    const size = rescale(level.size, scale, "down").units;
    const price = rescale(level.price, priceScale, "down").units;
    for (let next = wanted[averages.length]; next !== undefined; next = wanted[averages.length]) {
      if (next > filled + size) break;
      const whole = { units: cost + price * (next - filled), scale: scale + priceScale };
      averages.push(next > 0n ? quotient(whole, { units: next, scale }) : undefined);
    }
    if (averages.length === amounts.length) return averages;
    cost += price * size;
    filled += size;
  }
  return amounts.map((_amount, index) => averages[index]);
}

/** Returns the middle of a book's best prices. */
export function midOf({ bids, asks }: Book): Decimal | undefined {
  const [bid, ask] = [bids[0], asks[0]];
  return bid && ask && midpointOf(bid.price, ask.price);
}

/**
 * Returns for each amount of the base its price in basis points beyond the middle of the book, rounded up. Undefined
 * where the book shows less than the amount.
 */
export function impactsOf(
  book: Book,
  side: MarketSide,
  amounts: readonly Decimal[],
): readonly (number | undefined)[] {
  const mid = midOf(book);
  const averages = averagePrices(side === "buy" ? book.asks : book.bids, amounts);
  return averages.map((average) => average && mid && basisPointsApart(average, mid));
}

/** Returns the costs of all steps in one book. */
function costsIn({ book, quoteDollars, isInverted }: PricedBook): Ladder {
  const mid = midOf(book);
  if (!mid || mid.units <= 0n) return { buy: [], sell: [] };
  const baseDollars = multiplyDecimals(mid, quoteDollars);
  const amounts = STEPS.map((dollars) => quotient(dollars, baseDollars));
  const [buy, sell] = [impactsOf(book, "buy", amounts), impactsOf(book, "sell", amounts)];
  return isInverted ? { buy: sell, sell: buy } : { buy, sell };
}

/** The costs in the books that were read. A book never changes, and the dollar moves little in its lifetime. */
export type BookCosts = WeakMap<Book, Ladder>;

/**
 * Returns the worst cost among the books that hold each step. With fewer such books than the quorum the cost is
 * undefined, so that one venue cannot invent depth.
 */
export function ladderOf(
  books: readonly PricedBook[],
  { quorum, costBasisPointsMax }: { readonly quorum: number; readonly costBasisPointsMax: number },
  computed: BookCosts = new WeakMap(),
): Ladder {
  const ladders = books.map((priced) => {
    const ladder = computed.get(priced.book) ?? costsIn(priced);
    computed.set(priced.book, ladder);
    return ladder;
  });
  const worst = (side: MarketSide): readonly (number | undefined)[] =>
    STEPS.map((_step, index) => {
      const costs = ladders.flatMap((ladder) => ladder[side][index] ?? []);
      const cost = costs.length < quorum ? undefined : Math.max(...costs);
      return cost !== undefined && cost <= costBasisPointsMax ? cost : undefined;
    });
  return { buy: worst("buy"), sell: worst("sell") };
}

/** Returns the cost of the first step that is not less than the amount. */
export function costAt(ladder: Ladder, side: MarketSide, dollars: Decimal): number | undefined {
  const index = STEPS.findIndex((step) => compareDecimals(dollars, step) <= 0);
  return index < 0 ? undefined : ladder[side][index];
}
