import {
  asObject,
  type Best,
  faultOfStatus,
  type Market,
  marketsIn,
  readBook,
  readNumber,
  type Venue,
  VenueFault,
} from "../market/venue.ts";

// README.md lists what this venue does differently.

const pairOf = ({ base, quote }: Market): string => (base + quote).toLowerCase();

/** Reads a time that is text in whole seconds or microseconds. */
function readTime(text: unknown, unitsPerMs: bigint | undefined): number {
  if (typeof text !== "string" || !/^\d{1,20}$/.test(text)) {
    throw new VenueFault("an answer without a time");
  }
  return unitsPerMs === undefined ? Number(text) * 1000 : Number(BigInt(text) / unitsPerMs);
}

export const bitstamp: Venue = {
  name: "bitstamp",
  url: "https://www.bitstamp.net",
  markets: marketsIn(
    "USD",
    "BTC ETH USDT USDC SOL XRP DOGE LTC BCH AVAX LINK UNI AAVE CRV COMP SHIB PEPE EUR GBP",
  ),
  // 10,000 in ten minutes.
  requestsPerSecond: 16,
  best: {
    // One answer lists every market of the venue.
    atOnce: 100,
    everyMs: 2_000,
    path: () => "/api/v2/ticker/",
    read: (body, markets) => {
      if (!Array.isArray(body)) throw new VenueFault("a list of tickers that is not a list");
      const rows = new Map(body.map((row: unknown) => [asObject(row)["pair"], asObject(row)]));
      return markets.flatMap((market): readonly Best[] => {
        const row = rows.get(`${market.base}/${market.quote}`);
        if (row === undefined) return [];
        const atMs = readTime(row["timestamp"], undefined);
        return [{ market, bid: readNumber(row["bid"]), ask: readNumber(row["ask"]), atMs }];
      });
    },
  },
  book: {
    everyMs: 1_000,
    path: (market) => `/api/v2/order_book/${pairOf(market)}/?group=1`,
    read: (body) => {
      const answer = asObject(body);
      return readBook(answer, readTime(answer["microtimestamp"], 1000n));
    },
  },
  faultOf: (status, body) => {
    if (typeof body === "object" && body !== null && !Array.isArray(body)) {
      const { status: word, code, reason } = body as Readonly<Record<string, unknown>>;
      if (word === "error" || code !== undefined) {
        const text = typeof reason === "string" ? reason : JSON.stringify(reason ?? code);
        const isOfPair = /pair|market/i.test(text) || status === 404;
        return (
          (isOfPair ? undefined : faultOfStatus(status)) ??
          new VenueFault(text.slice(0, 200), { scope: isOfPair ? "market" : "venue" })
        );
      }
    }
    if (status === 404) return new VenueFault("HTTP 404", { scope: "market" });
    return faultOfStatus(status);
  },
};
