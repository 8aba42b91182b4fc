import { readFileSync } from "node:fs";
import { formatDecimal } from "@exchange/money";
import fc from "fast-check";
import { expect } from "vitest";
import { found } from "../testing/catalogue.ts";
import { type Cases, NotHere, runConformance } from "../testing/conformance.ts";
import { agree, type View } from "./market/agree.ts";
import { midOf } from "./market/depth.ts";
import { midpointOf } from "./market/exact.ts";
import { readJson } from "./market/poll.ts";
import {
  type Best,
  type Book,
  type Market,
  marketName,
  type Venue,
  VenueFault,
} from "./market/venue.ts";
import { VENUES } from "./providers.ts";

// The fixtures are written by hand after each venue's documents. 2026-11-22T08:00:00Z is the time of all of them.
const NOW_MS = 1_795_334_400_000;
/** The price of a bitcoin in the fixtures, by the quote of the venue's own market. */
const BITCOIN: Readonly<Record<string, number>> = {
  USD: 96_000,
  USDT: 96_000,
  USDC: 96_000,
  EUR: 82_700,
};

function bitcoinOf({ name, markets }: Venue): Market {
  const market = markets.find(({ base, quote }) => base === "BTC" && quote in BITCOIN);
  if (market) return market;
  const quotes = Object.keys(BITCOIN).join(", ");
  throw new Error(`the markets of ${name} lack bitcoin. Add BTC in one of: ${quotes}.`);
}

/** Checks the best prices of bitcoin: the bid is below the ask, near the fixtures' price, and fresh. */
function expectBitcoin(venue: Venue, { bid, ask, atMs }: Omit<Best, "market">): void {
  const [low, high] = [Number(formatDecimal(bid)), Number(formatDecimal(ask))];
  expect(low, "the bid is below the ask").toBeLessThan(high);
  const { quote } = bitcoinOf(venue);
  const near = found(BITCOIN[quote]);
  const distance = Math.abs((low + high) / 2 - near);
  expect(distance, `the distance from ${near} ${quote}`).toBeLessThan(50);
  expect(NOW_MS - atMs, "the age in milliseconds").toBeGreaterThanOrEqual(0);
  expect(NOW_MS - atMs, "the age in milliseconds").toBeLessThan(15_000);
}

/** A row of `faults.json`: an answer to a request for a book, and the fault that `venue.ts` must make of it. */
interface FaultFixture {
  /** The fixture of an unknown market has a name that begins with "an unknown". */
  readonly name: string;
  /** 200 unless it is stated. */
  readonly status?: number;
  /** The JSON of the answer. */
  readonly body?: unknown;
  /** The answer, if it is not JSON. */
  readonly text?: string;
  readonly scope: VenueFault["scope"];
  /** Whether the fault says how long the venue must be left alone. */
  readonly rests?: boolean;
  /** The end of that rest, if the answer names it. */
  readonly until?: number;
  /** A part of the fault's message. */
  readonly says: string;
}

const read = (folder: string, file: string): string =>
  readFileSync(new URL(`${folder}/fixtures/${file}`, import.meta.url), "utf8");

const answerOf = (text: string, status = 200) => ({
  status,
  text,
  askedAtMs: NOW_MS,
  retryAfter: undefined,
  cachedForMs: 0,
});

const bodyOf = (venue: Venue, text: string, status = 200): unknown =>
  readJson(answerOf(text, status), venue.faultOf, NOW_MS);

const bookOf = (venue: Venue): Book =>
  venue.book.read(bodyOf(venue, read(venue.name, "book.json")), NOW_MS);

const faultsOf = (venue: Venue): readonly FaultFixture[] =>
  JSON.parse(read(venue.name, "faults.json")) as readonly FaultFixture[];

function faultIn(venue: Venue, { text, body, status }: FaultFixture): VenueFault {
  try {
    venue.book.read(bodyOf(venue, text ?? JSON.stringify(body), status), NOW_MS);
  } catch (error) {
    if (error instanceof VenueFault) return error;
    throw error;
  }
  throw new Error("the answer was accepted");
}

/** Returns the result, or undefined if the answer is a fault. Any other error fails the test. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof VenueFault) return undefined;
    throw error;
  }
}

/** Returns a JSON text in which one value is replaced, counted from the start. */
function changeLeaf([text, place, leaf]: [string, number, unknown]): string {
  let count = -1;
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
    count += 1;
    return count === place ? leaf : value;
  });
}

const isDecimalText = (value: unknown): boolean =>
  typeof value === "string" && /^\d+(\.\d+)?$/.test(value);

/** Returns a copy of a JSON text for each of its decimal texts, in which a number replaces it. */
function withNumbers(text: string): readonly string[] {
  const places: number[] = [];
  let count = -1;
  JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
    count += 1;
    if (isDecimalText(value)) places.push(count);
    return value;
  });
  return places.map((place) => changeLeaf([text, place, 96_000.5]));
}

/** Every case runs over every venue. A venue that cannot run one says why, and some venue must run it. */
const CASES: Cases<Venue> = {
  "reads a book of its own form, best level first": (venue) => {
    const book = bookOf(venue);
    expect(book.bids.length).toBeGreaterThan(1);
    const [bid, ask] = [found(book.bids[0]).price, found(book.asks[0]).price];
    expectBitcoin(venue, { bid, ask, atMs: book.atMs });
  },
  "reads the best prices of the markets that it was asked for, and no others": (venue) => {
    const markets = [bitcoinOf(venue), { base: "NOPE", quote: "USD" }];
    const body = bodyOf(venue, read(venue.name, "best.json"));
    const bests = venue.best.read(body, markets.slice(0, venue.best.atOnce), NOW_MS);
    expect(bests.map(({ market }) => marketName(market))).toEqual([marketName(bitcoinOf(venue))]);
    for (const best of bests) expectBitcoin(venue, best);
  },
  "reads no JSON number in the place of decimal text": (venue) => {
    const markets = [bitcoinOf(venue)];
    const reads: readonly [string, (body: unknown) => unknown][] = [
      ["book.json", (body) => venue.book.read(body, NOW_MS)],
      ["best.json", (body) => venue.best.read(body, markets, NOW_MS)],
    ];
    for (const [file, readBody] of reads) {
      const text = read(venue.name, file);
      const own = readBody(bodyOf(venue, text));
      const results = withNumbers(text).map((changed) =>
        attempt(() => readBody(bodyOf(venue, changed))),
      );
      // A value that is not read changes nothing. Of the values that are read, none may be accepted.
      for (const result of results) if (result !== undefined) expect(result, file).toEqual(own);
      expect(results, `${file} has prices as text`).toContain(undefined);
    }
  },
  "reads each of its errors, and says whether the venue or the market is at fault": (venue) => {
    const seen = faultsOf(venue).map((fixture) => {
      const { message, scope, restMs, restUntilMs } = faultIn(venue, fixture);
      expect([fixture.name, message]).toEqual([
        fixture.name,
        expect.stringContaining(fixture.says),
      ]);
      const rests = restMs !== undefined || restUntilMs !== undefined;
      return { name: fixture.name, scope, rests, until: restUntilMs };
    });
    expect(seen).toEqual(
      faultsOf(venue).map(({ name, scope, rests = false, until }) => ({
        name,
        scope,
        rests,
        until,
      })),
    );
  },
  "has a fixture of being throttled, of an unknown market, and of an answer it cannot read": (
    venue,
  ) => {
    const faults = faultsOf(venue);
    const throttled = faults.some(({ rests }) => rests);
    expect(throttled, 'faults.json has a row with "rests": true').toBe(true);
    const unread = faults.some(({ scope, rests }) => scope === "venue" && !rests);
    expect(unread, "faults.json has a row of the venue that does not rest").toBe(true);
  },
  "tells an unknown market from a fault of the venue": (venue) => {
    const unknown = faultsOf(venue).filter(({ name }) => name.startsWith("an unknown"));
    const rows = 'the rows of faults.json whose name begins with "an unknown": one, of the market';
    expect(
      unknown.map(({ scope }) => scope),
      rows,
    ).toEqual(["market"]);
  },
  "accepts a book of one level": (venue) => {
    const one = { ...bookOf(venue) };
    const book: Book = { ...one, bids: one.bids.slice(0, 1), asks: one.asks.slice(0, 1) };
    expect(midOf(book)).toBeDefined();
  },
  "refuses a body of another form": (venue) => {
    for (const text of ["", "null", "[]", "{}", "1", '"x"', '{"bids":{}}', '{"error":[]}']) {
      expect(() => venue.book.read(bodyOf(venue, text), NOW_MS)).toThrow(VenueFault);
    }
  },
  "reads any answer as a book in order, or as a fault": (venue) => {
    const texts = ["book.json", "best.json", "faults.json"].map((file) => read(venue.name, file));
    const leaf = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("NaN", "1e400", "0", "-0", "1,5", "∞", ""),
    );
    const changed = fc.tuple(fc.constantFrom(...texts), fc.nat({ max: 200 }), leaf);
    const answer = fc.oneof(fc.json(), changed.map(changeLeaf));
    fc.assert(
      fc.property(answer, fc.constantFrom(200, 400, 404, 429, 500), (text, status) => {
        const markets = [bitcoinOf(venue)];
        const book = attempt(() => venue.book.read(bodyOf(venue, text, status), NOW_MS));
        for (const { price, size } of [...(book?.bids ?? []), ...(book?.asks ?? [])]) {
          expect(price.units >= 0n && size.units > 0n).toBe(true);
        }
        const bests = attempt(() => venue.best.read(bodyOf(venue, text, status), markets, NOW_MS));
        expect((bests ?? []).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  },
  "states the venue's own time, which goes stale": (venue) => {
    const later = venue.book.read(bodyOf(venue, read(venue.name, "book.json")), NOW_MS + 60_000);
    const isOwnTime = later.atMs < NOW_MS;
    if (!isOwnTime) return new NotHere("the venue states no time of its own");
    const view = viewOf(venue, later);
    const { leftOut } = agree([view], NOW_MS + 60_000, RULES);
    expect(leftOut.get(venue.name)).toContain("stale");
    return undefined;
  },
  "has no price in a book that is crossed, stale or too wide": (venue) => {
    const book = bookOf(venue);
    const [bid, ask] = [book.bids[0], book.asks[0]];
    if (!bid || !ask) throw new Error("an empty book");
    const far = { ...ask, price: { units: 2n * ask.price.units, scale: ask.price.scale } };
    const bad = {
      crossed: { ...book, bids: [ask], asks: [bid] },
      spread: { ...book, asks: [far] },
      stale: { ...book, atMs: NOW_MS - RULES.freshMs - 1 },
      future: { ...book, atMs: NOW_MS + 5_001 },
    };
    for (const [why, changed] of Object.entries(bad)) {
      const { leftOut } = agree([viewOf(venue, changed)], NOW_MS, RULES);
      expect(leftOut.get(venue.name)).toContain(why);
    }
  },
  "names its markets in its own words": (venue) => {
    const paths = [venue.book.path(bitcoinOf(venue)), venue.best.path([bitcoinOf(venue)])];
    expect(paths, `the row of ${venue.name} in PATHS: its book, its best prices`).toEqual(
      PATHS[venue.name],
    );
  },
};

/** The requests for bitcoin. A new venue adds its row. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  kraken: ["/0/public/Depth?pair=XBTUSD&count=100", "/0/public/Ticker?pair=XBTUSD"],
  coinbase: ["/products/BTC-USD/book?level=2", "/products/BTC-USD/book?level=1"],
  bitstamp: ["/api/v2/order_book/btcusd/?group=1", "/api/v2/ticker/"],
  binance: [
    "/api/v3/depth?symbol=BTCUSDT&limit=100",
    "/api/v3/ticker/bookTicker?symbols=%5B%22BTCUSDT%22%5D",
  ],
};

const RULES = {
  quorum: 2,
  freshMs: 15_000,
  outlierBasisPoints: 100,
  wideBasisPoints: 200,
  jumpBasisPoints: 500,
};

function viewOf({ name }: Venue, book: Book): View {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  if (!bid || !ask) throw new Error("an empty book");
  const mid = midpointOf(bid.price, ask.price);
  return { source: name, bid: bid.price, ask: ask.price, mid, atMs: book.atMs };
}

const venues = Object.values(VENUES) as readonly Venue[];

runConformance(
  CASES,
  Object.fromEntries(venues.map((venue) => [venue.name, { open: () => venue }])),
);
