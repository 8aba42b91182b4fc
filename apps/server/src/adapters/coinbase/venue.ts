import {
  asObject,
  faultOfStatus,
  type Market,
  marketsIn,
  readBook,
  type Venue,
  VenueFault,
} from "../market/venue.ts";

// README.md lists what this venue does differently.

const productOf = ({ base, quote }: Market): string => `${base}-${quote}`;

function readProductBook(body: unknown) {
  const answer = asObject(body);
  // The book of an auction is an indication, not a price at which anybody trades.
  if (answer["auction_mode"] === true) {
    throw new VenueFault("an auction, which has no market price", { scope: "market" });
  }
  const time = answer["time"];
  const atMs = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(atMs)) throw new VenueFault("an order book without a time");
  return readBook(answer, atMs);
}

/** Coinbase Exchange. */
export const coinbase: Venue = {
  name: "coinbase",
  url: "https://api.exchange.coinbase.com",
  markets: marketsIn(
    "USD",
    "BTC ETH USDT SOL XRP DOGE LTC BCH AVAX POL DAI EURC PYUSD LINK UNI AAVE CRV LDO COMP SHIB PEPE ARB OP",
  ),
  requestsPerSecond: 10,
  best: {
    atOnce: 1,
    everyMs: 215,
    path: ([market]) => `/products/${market && productOf(market)}/book?level=1`,
    read: (body, [market]) => {
      const { bids, asks, atMs } = readProductBook(body);
      const [bid, ask] = [bids[0]?.price, asks[0]?.price];
      return market && bid && ask ? [{ market, bid, ask, atMs }] : [];
    },
  },
  book: {
    everyMs: 3_000,
    path: (market) => `/products/${productOf(market)}/book?level=2`,
    read: readProductBook,
  },
  faultOf: (status, body) => {
    const message = bodyMessage(body);
    // An unknown or delisted product is a 404 of that product alone.
    if (status === 404) return new VenueFault(message ?? "HTTP 404", { scope: "market" });
    const fault = faultOfStatus(status);
    if (fault) return fault;
    return message === undefined ? undefined : new VenueFault(message);
  },
};

function bodyMessage(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { message } = body as { readonly message?: unknown };
  return typeof message === "string" ? message : undefined;
}
