import {
  type Call,
  type Lane,
  type PollContext,
  type Poller,
  readJson,
  startPoller,
} from "./poll.ts";
import { type Best, type Book, type Market, marketName, type Venue } from "./venue.ts";

/** A venue with the choices of the rails file. */
export interface ConfiguredVenue {
  readonly venue: Venue;
  readonly url: string;
  readonly markets: readonly Market[];
  /** The time between two requests for best prices, and between two for books. */
  readonly bestEveryMs: number;
  readonly bookEveryMs: number;
}

/** A venue that is asked in the background, and its newest answers. */
export interface PolledVenue extends Poller {
  readonly name: string;
  readonly markets: readonly Market[];
  best(market: Market): Best | undefined;
  /** A book may be older than a price: it shows the depth. */
  book(market: Market): Book | undefined;
  /** Returns why there is no answer for a market, if the venue said so. */
  fault(market: Market): string | undefined;
}

/** A market that the venue does not have is asked for again after this time. */
const MARKET_REST_MS = 600_000;
/** The largest age of a book. The venue with the longest round needs 112 seconds. */
export const BOOK_AGE_MS_MAX = 120_000;

export function pollVenue(configured: ConfiguredVenue, context: PollContext): PolledVenue {
  const { venue, url, markets } = configured;
  const { now } = context;
  const store: Store = { bests: new Map(), books: new Map(), rests: new Map() };
  const lanes = lanesOf(configured, store, now);
  return {
    ...startPoller({ name: venue.name, url }, lanes, context),
    name: venue.name,
    markets,
    best: (market) => store.bests.get(marketName(market)),
    book: (market) => {
      const book = store.books.get(marketName(market));
      return book && now() - book.atMs <= BOOK_AGE_MS_MAX ? book : undefined;
    },
    fault: (market) => {
      const rest = store.rests.get(marketName(market));
      return rest !== undefined && rest.untilMs > now() ? rest.why : undefined;
    },
  };
}

/** The newest answers by market, and the markets that are not asked for at the moment. */
interface Store {
  readonly bests: Map<string, Best>;
  readonly books: Map<string, Book>;
  readonly rests: Map<string, { readonly untilMs: number; readonly why: string }>;
}

/** One lane asks for best prices and one for books, so that a slow round of books does not delay prices. */
function lanesOf(configured: ConfiguredVenue, store: Store, now: () => number): readonly Lane[] {
  const { venue, markets, bestEveryMs, bookEveryMs } = configured;
  const open = (): readonly Market[] =>
    markets.filter((market) => (store.rests.get(marketName(market))?.untilMs ?? 0) <= now());
  const restOf = (market: Market) => (fault: Error) => {
    store.rests.set(marketName(market), { untilMs: now() + MARKET_REST_MS, why: fault.message });
  };
  // A missing market is asked for again after its book was read. Until then it would make the whole request fail.
  const listed = (): readonly Market[] =>
    markets.filter((market) => !store.rests.has(marketName(market)));
  const bestTurn = takeTurns(listed, venue.best.atOnce);
  const bookTurn = takeTurns(open, 1);
  const halves: (readonly Market[])[] = [];
  const nextBest = (): Call | undefined => {
    const markets = halves.shift() ?? bestTurn();
    const [market] = markets;
    if (market === undefined) return undefined;
    return {
      path: venue.best.path(markets),
      take: (answer) => {
        const body = readJson(answer, venue.faultOf, now());
        for (const best of venue.best.read(body, markets, answer.askedAtMs)) {
          keepNewest(store.bests, { ...best, atMs: best.atMs - answer.cachedForMs }, now());
        }
      },
      // One unknown market may make a request for many fail. Halving the list finds it.
      missed: (fault) => {
        const middle = markets.length >> 1;
        if (middle === 0) restOf(market)(fault);
        else halves.push(markets.slice(0, middle), markets.slice(middle));
      },
    };
  };
  const nextBook = (): Call | undefined => {
    const [market] = bookTurn();
    if (market === undefined) return undefined;
    return {
      path: venue.book.path(market),
      take: (answer) => {
        const body = readJson(answer, venue.faultOf, now());
        const book = venue.book.read(body, answer.askedAtMs);
        store.books.set(marketName(market), { ...book, atMs: book.atMs - answer.cachedForMs });
        store.rests.delete(marketName(market));
      },
      missed: restOf(market),
    };
  };
  return [
    { everyMs: bestEveryMs, next: nextBest },
    { everyMs: bookEveryMs, next: nextBook },
  ];
}

/**
 * Stores a price unless a newer one is stored, because an answer may arrive twice or late. A stored price from the
 * future is replaced, because the venue's clock was wrong.
 */
function keepNewest(bests: Map<string, Best>, best: Best, nowMs: number): void {
  const name = marketName(best.market);
  const stored = bests.get(name);
  if (stored && stored.atMs > best.atMs && stored.atMs <= nowMs) return;
  bests.set(name, best);
}

/** Returns the next markets of a list, in turns of `atOnce`. After the last market it begins again. */
function takeTurns(list: () => readonly Market[], atOnce: number): () => readonly Market[] {
  let position = 0;
  return () => {
    const markets = list();
    if (position >= markets.length) position = 0;
    const taken = markets.slice(position, position + atOnce);
    position += atOnce;
    return taken;
  };
}
