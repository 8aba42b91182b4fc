import { compareDecimals, type Decimal, parseDecimal } from "@exchange/money";

/** A market of a venue: one `base` is priced in `quote`. The codes are those of our catalogue. */
export interface Market {
  readonly base: string;
  readonly quote: string;
}

/** One level of an order book: a price, and how much of the base is offered at it. */
export interface Level {
  readonly price: Decimal;
  readonly size: Decimal;
}

/** An order book, the best level first. */
export interface Book {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** The venue's own time. Without one, the time when it was asked. */
  readonly atMs: number;
}

/** The best prices of one market. */
export interface Best {
  readonly market: Market;
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly atMs: number;
}

/**
 * A trading venue: the paths of its public requests and how its answers are read. Reading is pure. It throws a
 * `VenueFault` for anything that is not exactly as expected.
 */
export interface Venue {
  readonly name: string;
  /** The origin that is asked unless the rails file names another. */
  readonly url: string;
  /** The markets that are asked for unless the rails file names others. One for each currency. */
  readonly markets: readonly Market[];
  /** The documented limit of an address. Prices and books together take half of it at most. */
  readonly requestsPerSecond: number;
  /** The best prices, which must be fresh. */
  readonly best: {
    /** The number of markets that one request may name. */
    readonly atOnce: number;
    readonly everyMs: number;
    path(markets: readonly Market[]): string;
    /** Leaves out a market that the answer lacks. */
    read(body: unknown, markets: readonly Market[], askedAtMs: number): readonly Best[];
  };
  /** The whole book of one market, which shows the depth. One market is asked for at a time. */
  readonly book: {
    readonly everyMs: number;
    path(market: Market): string;
    read(body: unknown, askedAtMs: number): Book;
  };
  /** Returns the fault that an answer states; undefined if it states none. The body is undefined where it is not JSON. */
  faultOf(status: number, body: unknown): VenueFault | undefined;
}

/** An answer that cannot be used. */
export class VenueFault extends Error {
  /** A fault of one market does not count against the venue. */
  readonly scope: "venue" | "market";
  /** The time for which the venue must not be asked. */
  readonly restMs: number | undefined;
  /** The time until which the venue must not be asked. */
  readonly restUntilMs: number | undefined;

  constructor(
    message: string,
    options: {
      readonly scope?: "venue" | "market";
      readonly restMs?: number;
      readonly restUntilMs?: number | undefined;
    } = {},
  ) {
    super(message);
    this.scope = options.scope ?? "venue";
    this.restMs = options.restMs;
    this.restUntilMs = options.restUntilMs;
  }
}

/** The rest after a venue said that it is asked too often, unless it says how long. */
export const THROTTLED_MS = 30_000;
/** The rest after a refusal that a repeated request would get too, such as one by region. */
const REFUSED_MS = 600_000;

/** Returns the fault of an HTTP status that means the same at every venue. */
export function faultOfStatus(status: number): VenueFault | undefined {
  if (status === 429 || status === 418) {
    return new VenueFault(`asked too often (HTTP ${status})`, { restMs: THROTTLED_MS });
  }
  if (status === 451 || status === 403) {
    return new VenueFault(
      `HTTP ${status}: it does not serve this address or region; set its url to another host of the venue, or leave it out`,
      { restMs: REFUSED_MS },
    );
  }
  return status === 200 ? undefined : new VenueFault(`HTTP ${status}`);
}

export const marketName = ({ base, quote }: Market): string => `${base}/${quote}`;

/** Reads "BTC/USD"; undefined if the text is not a market. */
export function parseMarket(text: string): Market | undefined {
  const match = /^([A-Z0-9]{1,16})\/([A-Z0-9]{1,16})$/.exec(text);
  const [, base, quote] = match ?? [];
  return base === undefined || quote === undefined || base === quote ? undefined : { base, quote };
}

/** Returns the markets of these bases in one quote. */
export const marketsIn = (quote: string, bases: string): readonly Market[] =>
  bases.split(" ").map((base) => ({ base, quote }));

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new VenueFault("an answer that is not an object");
  }
  return value as JsonObject;
}

// Text only: a JSON number has already lost digits.
const NUMBER = /^\d{1,24}(\.\d{1,24})?([eE]-?\d{1,2})?$/;

/** Reads a number that the venue sends as text. */
export function readNumber(value: unknown): Decimal {
  const number = typeof value === "string" && NUMBER.test(value) ? parseDecimal(value) : undefined;
  if (!number) throw new VenueFault(`a price or size that is not decimal text: ${show(value)}`);
  return number;
}

const show = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 40);

/** The number of levels that are used of each side. */
const LEVELS_MAX = 200;

/** Reads `[[price, size, …], …]` of both sides. Levels without a size are left out. */
export function readBook(answer: JsonObject, atMs: number): Book {
  const bids = readLevels(answer["bids"], -1);
  const asks = readLevels(answer["asks"], 1);
  return { bids, asks, atMs };
}

function readLevels(side: unknown, direction: 1 | -1): readonly Level[] {
  if (!Array.isArray(side)) throw new VenueFault("an order book without both sides");
  const levels = side
    .slice(0, LEVELS_MAX)
    .map((level: unknown) => {
      if (!Array.isArray(level)) throw new VenueFault("an order book level that is not a list");
      return { price: readNumber(level[0]), size: readNumber(level[1]) };
    })
    .filter(({ size }) => size.units > 0n);
  if (levels.length === 0) throw new VenueFault("an empty order book", { scope: "market" });
  if (levels.some((level, index) => isBefore(level, levels[index - 1], direction))) {
    throw new VenueFault("order book levels that are out of order");
  }
  return levels;
}

function isBefore(level: Level, previous: Level | undefined, direction: 1 | -1): boolean {
  return previous !== undefined && compareDecimals(level.price, previous.price) === -direction;
}
