import {
  asObject,
  type Best,
  faultOfStatus,
  type JsonObject,
  type Market,
  marketsIn,
  readBook,
  readNumber,
  THROTTLED_MS,
  type Venue,
  VenueFault,
} from "../market/venue.ts";

// README.md lists what this venue does differently.

const OWN_CODES: Readonly<Record<string, string>> = { BTC: "XBT", DOGE: "XDG" };
const own = (code: string): string => OWN_CODES[code] ?? code;
const pairOf = ({ base, quote }: Market): string => own(base) + own(quote);

const OLD_COINS = new Set(["XBT", "ETH", "LTC", "XRP"]);
const OLD_FIAT = new Set(["USD", "EUR", "GBP", "CAD", "JPY"]);
const oldName = (code: string): string => {
  if (OLD_COINS.has(code)) return `X${code}`;
  return OLD_FIAT.has(code) ? `Z${code}` : code;
};

/** Returns every name under which Kraken may answer for a market. */
function namesOf({ base, quote }: Market): readonly string[] {
  const [first, second] = [own(base), own(quote)];
  const old = oldName(first) + oldName(second);
  return [first + second, old, first + oldName(second), `${first}/${second}`, `${base}/${quote}`];
}

function resultOf(body: unknown): JsonObject {
  return asObject(asObject(body)["result"]);
}

export const kraken: Venue = {
  name: "kraken",
  url: "https://api.kraken.com",
  markets: [
    ...marketsIn(
      "USD",
      "BTC ETH USDT USDC SOL XRP DOGE TRX LTC BCH AVAX POL DAI EURC PYUSD LINK UNI AAVE CRV LDO COMP SHIB PEPE ARB OP EUR GBP AUD",
    ),
    { base: "USD", quote: "CAD" },
    { base: "USD", quote: "CHF" },
    { base: "USD", quote: "JPY" },
  ],
  requestsPerSecond: 1,
  best: {
    atOnce: 100,
    everyMs: 4_500,
    path: (markets) => `/0/public/Ticker?pair=${markets.map(pairOf).join(",")}`,
    read: (body, markets, askedAtMs) => {
      const result = resultOf(body);
      return markets.flatMap((market): readonly Best[] => {
        const row = namesOf(market)
          .map((name) => result[name])
          .find((found) => found !== undefined);
        if (row === undefined) return [];
        const { a, b } = asObject(row);
        const [ask, bid] = [a, b].map((side) => readNumber(Array.isArray(side) ? side[0] : side));
        return ask && bid ? [{ market, bid, ask, atMs: askedAtMs }] : [];
      });
    },
  },
  book: {
    everyMs: 3_600,
    path: (market) => `/0/public/Depth?pair=${pairOf(market)}&count=100`,
    // The times of the levels are whole seconds, and a quiet book is old and right.
    read: (body, askedAtMs) => {
      const rows = Object.values(resultOf(body));
      if (rows.length !== 1) throw new VenueFault(`${rows.length} markets where one was asked for`);
      return readBook(asObject(rows[0]), askedAtMs);
    },
  },
  faultOf: (status, body) => {
    const fault = faultOfStatus(status);
    if (fault) return fault;
    const { error } = asObject(body);
    if (!Array.isArray(error)) return new VenueFault("an answer without a list of errors");
    // Words with W are warnings; the answer beside them is good.
    const words = error.map(String).filter((word) => !word.startsWith("W"));
    const text = words.join(", ");
    if (words.length === 0) return undefined;
    if (/Too many requests|Rate limit|Throttled/i.test(text)) {
      return new VenueFault(text, { restMs: THROTTLED_MS });
    }
    return new VenueFault(text, { scope: text.startsWith("EQuery:") ? "market" : "venue" });
  },
};
