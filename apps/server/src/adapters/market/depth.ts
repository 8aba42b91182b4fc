import { compareDecimals, type Decimal, multiplyDecimals } from "@exchange/money";
import type { MarketSide } from "../../domain/ports/rate-source.ts";
import { basisPointsApart, halfway, minus, plus, quotient } from "./exact.ts";
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

/** Returns the average price of so much of the base, or undefined if the levels hold less. */
function averagePrice(levels: readonly Level[], amount: Decimal): Decimal | undefined {
  let left = amount;
  let cost: Decimal = { units: 0n, scale: 0 };
  for (const { price, size } of levels) {
    const taken = compareDecimals(size, left) < 0 ? size : left;
    cost = plus(cost, multiplyDecimals(price, taken));
    left = minus(left, taken);
    if (left.units === 0n) return quotient(cost, amount);
  }
  return undefined;
}

/** Returns the middle of a book's best prices. */
export function midOf({ bids, asks }: Book): Decimal | undefined {
  const [bid, ask] = [bids[0], asks[0]];
  return bid && ask && halfway(bid.price, ask.price);
}

/**
 * Returns the basis points beyond the middle of the book that so much of its base costs, rounded up; undefined
 * if the book shows less.
 */
export function impactBasisPoints(
  book: Book,
  side: MarketSide,
  amount: Decimal,
): number | undefined {
  const mid = midOf(book);
  if (!mid || amount.units <= 0n) return undefined;
  const average = averagePrice(side === "buy" ? book.asks : book.bids, amount);
  return average && basisPointsApart(average, mid);
}

/** Returns the cost of an amount of dollars in one book. */
function costIn(
  { book, quoteDollars, isInverted }: PricedBook,
  side: MarketSide,
  dollars: Decimal,
): number | undefined {
  const mid = midOf(book);
  if (!mid || mid.units <= 0n) return undefined;
  const amount = quotient(dollars, multiplyDecimals(mid, quoteDollars));
  const opposite = side === "buy" ? "sell" : "buy";
  return impactBasisPoints(book, isInverted ? opposite : side, amount);
}

/**
 * Returns the worst cost among the books that hold each step. Fewer such books than the quorum leave the cost
 * undefined, so that one venue cannot invent depth.
 */
export function ladderOf(
  books: readonly PricedBook[],
  { quorum, costBasisPointsMax }: { readonly quorum: number; readonly costBasisPointsMax: number },
): Ladder {
  const costs = (side: MarketSide): readonly (number | undefined)[] =>
    STEPS.map((step) => {
      const found = books
        .map((book) => costIn(book, side, step))
        .filter((cost): cost is number => cost !== undefined);
      const worst = found.length < quorum ? undefined : Math.max(...found);
      return worst !== undefined && worst <= costBasisPointsMax ? worst : undefined;
    });
  return { buy: costs("buy"), sell: costs("sell") };
}

/** Returns the cost of the first step that is not less than the amount. */
export function costAt(ladder: Ladder, side: MarketSide, dollars: Decimal): number | undefined {
  const index = STEPS.findIndex((step) => compareDecimals(dollars, step) <= 0);
  return index < 0 ? undefined : ladder[side][index];
}
