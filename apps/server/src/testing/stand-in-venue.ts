import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

// A trading venue on this machine. It imports nothing of the adapters, so that it can contradict them.

export type VenueKind = "kraken" | "coinbase" | "bitstamp" | "binance";

/**
 * The behaviour of a stand-in. `mad` states a hundredfold price. `lies` states an old time with a wrong price, and
 * on a venue without a time only the price is wrong. `sleeps` never answers, `throttles` refuses.
 */
export type VenueMood = "sound" | "mad" | "lies" | "sleeps" | "throttles" | "cuts" | "html";

export interface StandInVenue {
  readonly url: string;
  mood: VenueMood;
  /** The number of requests so far. */
  readonly requests: () => number;
  close(): Promise<void>;
}

export interface StandInOptions {
  readonly kind: VenueKind;
  /** Returns the dollars for one unit now; undefined if the venue does not trade it. */
  readonly dollars: (code: string) => number | undefined;
  readonly now: () => number;
  /** The units on each of the two levels of a side. */
  readonly size?: number;
  /** A certificate of localhost. `prod` takes no venue over plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

const FACTORS: Partial<Record<VenueMood, number>> = { mad: 100, lies: 1.2 };
const OLD_MS = 600_000;

export async function startStandInVenue(options: StandInOptions): Promise<StandInVenue> {
  let requests = 0;
  const state: { mood: VenueMood } = { mood: "sound" };
  const { tls } = options;
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    requests += 1;
    answer(options, state.mood, { request, response });
  };
  const server = tls ? createTlsServer(tls, listen) : createServer(listen);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    get mood() {
      return state.mood;
    },
    set mood(mood) {
      state.mood = mood;
    },
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  options: StandInOptions,
  mood: VenueMood,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  if (mood === "sleeps") return;
  if (mood === "cuts") {
    response.writeHead(200, { "content-length": "5000" });
    response.write('{"bids":[["');
    response.destroy();
    return;
  }
  if (mood === "html") return send(200, "<html>Just a moment</html>");
  if (mood === "throttles") {
    if (options.kind === "kraken") return send(200, { error: ["EGeneral:Too many requests"] });
    response.setHeader("retry-after", "20");
    return send(429, { message: "slow down", code: -1003, msg: "Too much", status: "error" });
  }
  const url = new URL(request.url ?? "/", "http://venue.example");
  const { status, body } = SPEECH[options.kind](url, scene(options, mood));
  send(status, body);
}

/** The prices as a venue states them, in its mood. */
interface Scene {
  readonly atMs: number;
  book(base: string, quote: string): { readonly bids: Levels; readonly asks: Levels } | undefined;
}

type Levels = readonly (readonly [price: string, size: string])[];

function scene({ dollars, now, size = 50 }: StandInOptions, mood: VenueMood): Scene {
  const factor = FACTORS[mood] ?? 1;
  return {
    atMs: mood === "lies" ? now() - OLD_MS : now(),
    book: (base, quote) => {
      const [one, other] = [dollars(base), quote === "USD" ? 1 : dollars(quote)];
      if (one === undefined || other === undefined) return undefined;
      const mid = (one / other) * factor;
      const level = (share: number): readonly [string, string] => [
        (mid * share).toPrecision(10).replace(/e.*/, ""),
        size.toFixed(8),
      ];
      return {
        bids: [level(0.9999), level(0.999)],
        asks: [level(1.0001), level(1.001)],
      };
    },
  };
}

interface Spoken {
  readonly status: number;
  readonly body: unknown;
}

const KRAKEN_CODES: Readonly<Record<string, string>> = { XBT: "BTC", XDG: "DOGE" };
const KRAKEN_NAMES: Readonly<Record<string, string>> = {
  XBTUSD: "XXBTZUSD",
  ETHUSD: "XETHZUSD",
  USDTUSD: "USDTZUSD",
  EURUSD: "ZEURZUSD",
};
const splitPair = (pair: string): readonly [string, string] => {
  const quote = ["USDT", "USD", "EUR"].find((code) => pair.endsWith(code)) ?? "USD";
  const base = pair.slice(0, -quote.length);
  return [KRAKEN_CODES[base] ?? base, quote];
};

const SPEECH: Readonly<Record<VenueKind, (url: URL, scene: Scene) => Spoken>> = {
  kraken: ({ pathname, searchParams }, { book, atMs }) => {
    const result: Record<string, unknown> = {};
    for (const pair of (searchParams.get("pair") ?? "").split(",")) {
      const found = book(...splitPair(pair));
      if (!found) return { status: 200, body: { error: ["EQuery:Unknown asset pair"] } };
      const seconds = Math.floor(atMs / 1000);
      const [[bid], [ask]] = [found.bids[0] ?? ["0"], found.asks[0] ?? ["0"]];
      const levels = (side: Levels) => side.map(([price, size]) => [price, size, seconds]);
      result[KRAKEN_NAMES[pair] ?? pair] = pathname.endsWith("Ticker")
        ? { a: [ask, "1", "1.000"], b: [bid, "1", "1.000"] }
        : { asks: levels(found.asks), bids: levels(found.bids) };
    }
    return { status: 200, body: { error: [], result } };
  },
  coinbase: ({ pathname, searchParams }, { book, atMs }) => {
    const [base = "", quote = ""] = (pathname.split("/")[2] ?? "").split("-");
    const found = book(base, quote);
    if (!found) return { status: 404, body: { message: "NotFound" } };
    const count = searchParams.get("level") === "1" ? 1 : 50;
    const levels = (side: Levels) => side.slice(0, count).map(([price, size]) => [price, size, 3]);
    const [bids, asks, time] = [
      levels(found.bids),
      levels(found.asks),
      new Date(atMs).toISOString(),
    ];
    return { status: 200, body: { bids, asks, sequence: 1, auction_mode: false, time } };
  },
  bitstamp: ({ pathname }, { book, atMs }) => {
    const timestamp = String(Math.floor(atMs / 1000));
    if (pathname.startsWith("/api/v2/ticker/")) {
      const body = ["BTC", "ETH", "USDT", "EUR"].flatMap((base) => {
        const found = book(base, "USD");
        const pair = `${base}/USD`;
        return found ? [{ timestamp, pair, bid: found.bids[0]?.[0], ask: found.asks[0]?.[0] }] : [];
      });
      return { status: 200, body };
    }
    const found = book(...splitPair((pathname.split("/")[4] ?? "").toUpperCase()));
    const microtimestamp = `${Math.floor(atMs)}000`;
    if (found) return { status: 200, body: { timestamp, microtimestamp, ...found } };
    return { status: 200, body: { status: "error", reason: "Invalid currency pair", code: "1" } };
  },
  binance: ({ pathname, searchParams }, { book }) => {
    const unknown = { status: 400, body: { code: -1121, msg: "Invalid symbol." } };
    if (pathname.endsWith("/depth")) {
      const found = book(...splitPair(searchParams.get("symbol") ?? ""));
      return found ? { status: 200, body: { lastUpdateId: 1, ...found } } : unknown;
    }
    const symbols = JSON.parse(searchParams.get("symbols") ?? "[]") as readonly string[];
    const rows = symbols.map((symbol) => {
      const found = book(...splitPair(symbol));
      return found && { symbol, bidPrice: found.bids[0]?.[0], askPrice: found.asks[0]?.[0] };
    });
    return rows.includes(undefined) ? unknown : { status: 200, body: rows };
  },
};
