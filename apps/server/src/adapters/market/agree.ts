import { compareDecimals, type Decimal } from "@exchange/money";
import { basisPointsApart } from "./exact.ts";

/** The bounds within which the prices of sources are used. */
export interface Rules {
  /** The fewest sources that must agree. */
  readonly quorum: number;
  /** A price older than this is stale. */
  readonly freshMs: number;
  /** An agreeing source is at most this far from the median. */
  readonly outlierBasisPoints: number;
  /** A source with a wider spread is left out. */
  readonly wideBasisPoints: number;
  /** A larger move is used only after it was seen three times in a row. */
  readonly jumpBasisPoints: number;
}

/** The best prices that one source shows for a currency, and the middle of them in dollars. */
export interface View {
  readonly source: string;
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly mid: Decimal;
  readonly atMs: number;
}

/** A source without a usable price. */
export interface MissingView {
  readonly source: string;
  readonly fault: string;
  /**
   * The source is sound, but its price cannot be converted into dollars. It counts as one that does not agree. If it
   * were left out, venues that falsify a stablecoin would exclude those priced in it, and become the majority.
   */
  readonly isUnconverted?: true;
}

/** The price on which sources agree. */
export interface Agreement {
  readonly price: Decimal;
  /** The oldest time among the agreeing sources. */
  readonly atMs: number;
  /** The newest time among them. */
  readonly newestMs: number;
  readonly sources: readonly string[];
  readonly apartBasisPoints: number;
}

/** The agreement or why there is none, and why each source was left out. */
export type Outcome = { readonly leftOut: ReadonlyMap<string, string> } & (
  | { readonly agreement: Agreement }
  | { readonly reason: string }
);

/** A price from further ahead of our clock than this is not used. */
const FUTURE_MS = 5_000;

/**
 * Returns the price on which the sources agree. Each source counts once. The agreeing sources are near the median of
 * the sound ones. They must reach the quorum and be more than half of the sound ones. Two sources against two show
 * only that some of them are wrong.
 */
export function agree(
  views: readonly (View | MissingView)[],
  nowMs: number,
  rules: Rules,
): Outcome {
  const leftOut = new Map<string, string>();
  const sound = views.filter((view): view is View => {
    const fault = "fault" in view ? view.fault : faultOf(view, nowMs, rules);
    if (fault !== undefined) leftOut.set(view.source, fault);
    return fault === undefined;
  });
  if (sound.length < rules.quorum) {
    return { leftOut, reason: `${sound.length} of ${views.length} sources are sound` };
  }
  const centre = lowerMedian(sound);
  const near = sound.filter((view) => {
    const apart = basisPointsApart(view.mid, centre);
    if (apart <= rules.outlierBasisPoints) return true;
    leftOut.set(view.source, `${apart} basis points from the median`);
    return false;
  });
  const counted = sound.length + views.filter((view) => "isUnconverted" in view).length;
  if (near.length < rules.quorum || near.length * 2 <= counted) {
    return { leftOut, reason: `sources disagree: ${near.length} of ${counted} agree` };
  }
  const price = lowerMedian(near);
  const agreement = {
    price,
    atMs: Math.min(...near.map(({ atMs }) => atMs)),
    newestMs: Math.max(...near.map(({ atMs }) => atMs)),
    sources: near.map(({ source }) => source),
    apartBasisPoints: Math.max(...near.map(({ mid }) => basisPointsApart(mid, price))),
  };
  return { leftOut, agreement };
}

/** Returns why a source's price is not used, whatever the other sources say. */
function faultOf(
  { bid, ask, mid, atMs }: View,
  nowMs: number,
  { freshMs, wideBasisPoints }: Rules,
): string | undefined {
  if (nowMs - atMs > freshMs) return `stale: ${nowMs - atMs} ms old`;
  if (atMs - nowMs > FUTURE_MS) return `${atMs - nowMs} ms in the future`;
  if (bid.units <= 0n || ask.units <= 0n || mid.units <= 0n) return "not above zero";
  if (compareDecimals(bid, ask) >= 0) return "crossed";
  const spread = basisPointsApart(ask, bid);
  return spread > wideBasisPoints ? `a spread of ${spread} basis points` : undefined;
}

function lowerMedian(views: readonly View[]): Decimal {
  const sorted = views.map(({ mid }) => mid).sort(compareDecimals);
  const middle = sorted[(sorted.length - 1) >> 1];
  if (middle === undefined) throw new RangeError("no views have no median");
  return middle;
}

/** The last agreed price, and a jump away from it that is not confirmed yet. */
export interface Memory {
  readonly price: Decimal;
  readonly jump?: { readonly price: Decimal; readonly newestMs: number; readonly looks: number };
}

const LOOKS = 3;

/**
 * Returns the memory after an agreement, and why its price may not be used yet. A jump is used after it was seen three
 * times in a row. Each time all of its prices must be newer than those of the time before.
 */
export function checkJump(
  memory: Memory | undefined,
  { price, atMs, newestMs }: Agreement,
  { jumpBasisPoints }: Rules,
): { readonly memory: Memory; readonly refusal?: string } {
  if (!memory) return { memory: { price } };
  const moved = basisPointsApart(price, memory.price);
  if (moved <= jumpBasisPoints) return { memory: { price } };
  const { jump } = memory;
  const isSame = jump !== undefined && basisPointsApart(price, jump.price) <= jumpBasisPoints;
  const isNewer = jump !== undefined && atMs > jump.newestMs;
  if (isSame && !isNewer) return { memory, refusal: jumpWords(moved, jump.looks) };
  const looks = isSame ? jump.looks + 1 : 1;
  if (looks >= LOOKS) return { memory: { price } };
  return {
    memory: { price: memory.price, jump: { price, newestMs, looks } },
    refusal: jumpWords(moved, looks),
  };
}

const jumpWords = (moved: number, looks: number): string =>
  `moved by ${moved} basis points at once, seen ${looks} of ${LOOKS} times`;
