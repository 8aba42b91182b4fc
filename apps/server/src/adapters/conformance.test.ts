import { readFileSync } from "node:fs";
import { formatDecimal } from "@exchange/money";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agree, type View } from "./market/agree.ts";
import { midOf } from "./market/depth.ts";
import { halfway } from "./market/exact.ts";
import { readJson } from "./market/poll.ts";
import { type Book, type Market, marketName, type Venue, VenueFault } from "./market/venue.ts";
import { REFERENCES, VENUES } from "./providers.ts";

// The fixtures are written by hand after each venue's documents. 2026-11-22T08:00:00Z is the time of all of them.
const NOW_MS = 1_795_334_400_000;
const BTC: Readonly<Record<string, Market>> = { binance: { base: "BTC", quote: "USDT" } };
const bitcoinOf = ({ name }: Venue): Market => BTC[name] ?? { base: "BTC", quote: "USD" };

interface FaultFixture {
  readonly name: string;
  readonly status?: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly scope: VenueFault["scope"];
  readonly rests?: boolean;
  readonly until?: number;
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

/** Every case runs over every venue. A venue that cannot run one says why, and some venue must run it. */
const CASES: Readonly<Record<string, (venue: Venue) => void | "not of this venue">> = {
  "reads a book of its own form, best level first": (venue) => {
    const book = bookOf(venue);
    expect(book.bids.length).toBeGreaterThan(1);
    expect(NOW_MS - book.atMs).toBeGreaterThanOrEqual(0);
    expect(NOW_MS - book.atMs).toBeLessThan(15_000);
    const mid = midOf(book);
    expect(mid && Number(formatDecimal(mid))).toBeCloseTo(96_000, -2);
  },
  "reads the best prices of the markets that it was asked for, and no others": (venue) => {
    const asked = [bitcoinOf(venue), { base: "NOPE", quote: "USD" }];
    const body = bodyOf(venue, read(venue.name, "best.json"));
    const bests = venue.best.read(body, asked.slice(0, venue.best.atOnce), NOW_MS);
    expect(bests.map(({ market }) => marketName(market))).toEqual([marketName(bitcoinOf(venue))]);
    for (const { bid, ask } of bests) {
      expect(Number(formatDecimal(halfway(bid, ask)))).toBeCloseTo(96_000, -2);
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
    expect(faults.some(({ rests }) => rests)).toBe(true);
    expect(faults.some(({ scope, rests }) => scope === "venue" && !rests)).toBe(true);
  },
  "tells an unknown market from a fault of the venue": (venue) => {
    const unknown = faultsOf(venue).filter(({ name }) => name.startsWith("an unknown"));
    expect(unknown.map(({ scope }) => scope)).toEqual(["market"]);
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
        const asked = [bitcoinOf(venue)];
        const book = attempt(() => venue.book.read(bodyOf(venue, text, status), NOW_MS));
        for (const { price, size } of [...(book?.bids ?? []), ...(book?.asks ?? [])]) {
          expect(price.units >= 0n && size.units > 0n).toBe(true);
        }
        const bests = attempt(() => venue.best.read(bodyOf(venue, text, status), asked, NOW_MS));
        expect((bests ?? []).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  },
  "states the venue's own time, which goes stale": (venue) => {
    const later = venue.book.read(bodyOf(venue, read(venue.name, "book.json")), NOW_MS + 60_000);
    const isOwnTime = later.atMs < NOW_MS;
    if (!isOwnTime) return "not of this venue";
    const view = viewOf(venue, later);
    const { leftOut } = agree([view], NOW_MS + 60_000, RULES);
    expect(leftOut.get(venue.name)).toContain("stale");
    return undefined;
  },
  "names its markets in its own words": (venue) => {
    const paths = [venue.book.path(bitcoinOf(venue)), venue.best.path([bitcoinOf(venue)])];
    expect(paths).toEqual(PATHS[venue.name]);
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
  const mid = halfway(bid.price, ask.price);
  return { source: name, bid: bid.price, ask: ask.price, mid, atMs: book.atMs };
}

const ran = new Map<string, number>(Object.keys(CASES).map((name) => [name, 0]));
const venues = Object.values(VENUES) as readonly Venue[];

describe.each(venues.map((venue) => [venue.name, venue] as const))("%s", (_name, venue) => {
  test.each(Object.entries(CASES))("%s", (name, run) => {
    if (run(venue) === undefined) ran.set(name, (ran.get(name) ?? 0) + 1);
  });

  test("has the name of its row, and lists each market once", () => {
    expect(VENUES[venue.name as keyof typeof VENUES]).toBe(venue);
    const names = venue.markets.map(marketName);
    expect(new Set(names).size).toBe(names.length);
    expect(venue.url).toMatch(/^https:\/\//);
  });
});

describe.each(Object.values(REFERENCES).map((one) => [one.name, one] as const))(
  "%s",
  (name, source) => {
    const xml = read(name, "daily.xml");

    test("reads the rates of a day", () => {
      const { day, perEuro } = source.read(xml);
      expect(day).toBe("2026-11-20");
      expect(perEuro.size).toBe(30);
      expect(perEuro.get("USD")).toEqual({ units: 11_604n, scale: 4 });
    });

    test.each([
      ["without a day", xml.replace(/ time='[^']*'/, "")],
      ["cut short", xml.slice(0, 900)],
      ["with a rate that is no number", xml.replace("1.1604", "1,1604")],
      ["with a rate of zero", xml.replace("1.1604", "0.0000")],
      ["with two rates for a currency", xml.replace("'JPY'", "'USD'")],
      ["that is HTML", "<html>moved</html>"],
    ])("refuses a list %s", (_what, text) => {
      expect(() => source.read(text)).toThrow(VenueFault);
    });
  },
);

test("some venue runs every case", () => {
  const idle = [...ran].filter(([, times]) => times === 0).map(([name]) => name);
  expect(idle).toEqual([]);
});
