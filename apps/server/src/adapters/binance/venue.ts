import {
  asObject,
  type Best,
  faultOfStatus,
  type Market,
  marketsIn,
  readBook,
  readNumber,
  THROTTLED_MS,
  type Venue,
  VenueFault,
} from "../market/venue.ts";

// README.md lists what this venue does differently.

const symbolOf = ({ base, quote }: Market): string => base + quote;

/** The code of an unknown symbol. One of them refuses a request for many. */
const UNKNOWN_SYMBOL = -1121;
/** The code of too many requests. Its message states the end of a ban. */
const THROTTLED = -1003;

export const binance: Venue = {
  name: "binance",
  url: "https://api.binance.com",
  // Its dollar is USDT, which has a price of its own.
  markets: marketsIn(
    "USDT",
    "BTC ETH USDC SOL XRP BNB DOGE TRX LTC BCH AVAX POL WBTC LINK UNI AAVE CRV LDO COMP SHIB PEPE ARB OP EUR",
  ),
  // A weight of 6,000 a minute, and 5 for a book.
  requestsPerSecond: 20,
  best: {
    atOnce: 50,
    everyMs: 2_000,
    path: (markets) =>
      `/api/v3/ticker/bookTicker?symbols=${encodeURIComponent(JSON.stringify(markets.map(symbolOf)))}`,
    read: (body, markets, askedAtMs) => {
      if (!Array.isArray(body)) throw new VenueFault("a list of tickers that is not a list");
      const rows = new Map(body.map((row: unknown) => [asObject(row)["symbol"], asObject(row)]));
      return markets.flatMap((market): readonly Best[] => {
        const row = rows.get(symbolOf(market));
        if (row === undefined) return [];
        const [bid, ask] = [readNumber(row["bidPrice"]), readNumber(row["askPrice"])];
        return [{ market, bid, ask, atMs: askedAtMs }];
      });
    },
  },
  book: {
    everyMs: 1_000,
    path: (market) => `/api/v3/depth?symbol=${symbolOf(market)}&limit=100`,
    // The answer has no time of its own.
    read: (body, askedAtMs) => readBook(asObject(body), askedAtMs),
  },
  faultOf: (status, body) => {
    const { code, msg } = errorOf(body);
    if (code === UNKNOWN_SYMBOL) return new VenueFault(`${code} ${msg}`, { scope: "market" });
    if (code === THROTTLED) {
      const until = /banned until (\d{13})/.exec(msg)?.[1];
      return new VenueFault(`${code} ${msg}`, {
        restMs: THROTTLED_MS,
        restUntilMs: until === undefined ? undefined : Number(until),
      });
    }
    const fault = faultOfStatus(status);
    if (fault) return fault;
    return code === undefined ? undefined : new VenueFault(`${code} ${msg}`);
  },
};

function errorOf(body: unknown): { readonly code: number | undefined; readonly msg: string } {
  if (typeof body !== "object" || body === null) return { code: undefined, msg: "" };
  const { code, msg } = body as { readonly code?: unknown; readonly msg?: unknown };
  const text = typeof msg === "string" ? msg.slice(0, 200) : "";
  return { code: typeof code === "number" ? code : undefined, msg: text };
}
