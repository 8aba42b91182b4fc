import { setTimeout as sleep } from "node:timers/promises";
import { formatDecimal, multiplyDecimals } from "@exchange/money";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { RateSource } from "../../domain/ports/rate-source.ts";
import { found } from "../../testing/catalogue.ts";
import {
  type StandInVenue,
  startStandInVenue,
  type VenueKind,
  type VenueMood,
} from "../../testing/stand-in-venue.ts";
import { type HttpClient, makeHttpClient } from "../client.ts";
import { VENUES } from "../providers.ts";
import { marketRates } from "./market-rates.ts";
import { configureMarket } from "./options.ts";

// Time runs ten times as fast for the service and the venues, so that 15 seconds of freshness pass in 1.5.
const SPEED = 10;
const START_MS = Date.UTC(2026, 10, 18, 12);
/** The longest step of the fast time. While this process does not run, that time does not pass. */
const STEP_MS_MAX = 20;
let passedMs = 0;
let steppedAtMs = performance.now();
const stepping = setInterval(() => {
  const at = performance.now();
  passedMs += Math.min(at - steppedAtMs, STEP_MS_MAX) * SPEED;
  steppedAtMs = at;
}, 5).unref();
const now = (): number => START_MS + passedMs;

const KINDS = ["kraken", "coinbase", "bitstamp", "binance"] as const satisfies readonly VenueKind[];
/** The venues differ a little, as real ones do. */
const OFFSETS: Readonly<Record<VenueKind, number>> = {
  kraken: 1,
  coinbase: 1.0003,
  bitstamp: 0.9997,
  binance: 1.0001,
};
const FIXED: Readonly<Record<string, number>> = { USDT: 1.0002, EUR: 1.16, ETH: 3_300 };

/** A bitcoin wanders by 3 % in a minute of the fast time. */
const bitcoinAt = (timeMs: number): number => 96_000 * (1 + 0.03 * Math.sin(timeMs / 60_000));

const venues = new Map<VenueKind, StandInVenue>();
const warnings: string[] = [];
let client: HttpClient;
let rates: RateSource;

beforeAll(async () => {
  for (const kind of KINDS) {
    const dollars = (code: string): number | undefined => {
      if (code === "BTC") return bitcoinAt(now()) * OFFSETS[kind];
      return FIXED[code];
    };
    venues.set(kind, await startStandInVenue({ kind, dollars, now }));
  }
  client = makeHttpClient({ reach: "loopback", timeoutMs: 400, now });
  const quoteOf = (kind: VenueKind): string => (kind === "binance" ? "USDT" : "USD");
  const choices = {
    kind: "market" as const,
    venues: KINDS.map((kind) => ({
      kind,
      url: found(venues.get(kind)).url,
      markets: ["BTC", "ETH", "EUR", ...(kind === "binance" ? [] : ["USDT"]), "GONE"].map(
        (base) => `${base}/${quoteOf(kind)}`,
      ),
      bestMilliseconds: 50,
      bookMilliseconds: 50,
    })),
  };
  const parts = { venues: VENUES, references: {} };
  const options = configureMarket(choices, parts, { environment: "dev", processes: 1 });
  rates = marketRates(options, { client, now, warn: (line) => warnings.push(line) });
});

afterEach(() => {
  for (const venue of venues.values()) venue.mood = "sound";
});

afterAll(async () => {
  clearInterval(stepping);
  await rates.stop();
  await client.close();
  for (const venue of venues.values()) await venue.close();
});

const dollarsFor = (code: string): number | undefined => {
  const price = rates.prices(new Date(0))?.price(code);
  return price && Number(formatDecimal(price));
};

const healthOf = (kind: VenueKind) => found(rates.health().find(({ source }) => source === kind));

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isSo(); waitedMs += 20) {
    if (waitedMs > 40_000) throw new Error(`waited in vain until ${what}`);
    await sleep(20);
  }
}

/** Returns whether the price is one that the sound venues had while it could still be fresh. */
function isInBand(price: number): boolean {
  const [low, high] = [0.9995, 1.0005];
  for (let agoMs = 0; agoMs <= 20_000; agoMs += 250) {
    const bitcoin = bitcoinAt(now() - agoMs);
    if (price >= bitcoin * low && price <= bitcoin * high) return true;
  }
  return false;
}

/** Reads prices as quotes do, often, and returns how many reads had a price. */
async function readUnderLoad(forMs: number): Promise<{ priced: number; refused: number }> {
  const endMs = now() + forMs * SPEED;
  const count = { priced: 0, refused: 0 };
  while (now() < endMs) {
    const price = dollarsFor("BTC");
    if (price === undefined) count.refused += 1;
    else {
      count.priced += 1;
      if (!isInBand(price)) throw new Error(`${price} is outside of the sound venues' band`);
    }
    // Between two turns of the event loop every read has the same table.
    await sleep(2);
  }
  return count;
}

const behave = (mood: VenueMood, ...kinds: readonly VenueKind[]): void => {
  for (const kind of kinds) found(venues.get(kind)).mood = mood;
};

const allSound = async (): Promise<void> => {
  await until("every venue is sound", () =>
    KINDS.every((kind) => healthOf(kind).state === "sound"),
  );
  await until("all venues agree", () => evidence("BTC")?.sources.length === KINDS.length);
};
const evidence = (code: string) => rates.prices(new Date(0))?.evidence(code);

test("four venues agree, and Binance's dollars are converted at their own price", async () => {
  await until("there is a price", () => dollarsFor("BTC") !== undefined);
  await allSound();
  expect(await readUnderLoad(500)).toMatchObject({ refused: 0 });
  expect(dollarsFor("USDT")).toBeCloseTo(1.0002, 3);
  expect(dollarsFor("EUR")).toBeCloseTo(1.16, 3);
  expect(evidence("EUR")?.sources).toEqual([...KINDS]);
  expect(evidence("BTC")).toMatchObject({ kind: "market" });
  expect(found(evidence("BTC")).apartBasisPoints).toBeLessThan(30);
});

test("a market that no venue has is named, and does not make its venues rest", async () => {
  await until(
    "the market is named",
    () => rates.reason("GONE")?.includes("kraken: GONE/USD") ?? false,
  );
  expect(rates.reason("GONE")).toContain("0 of 4 sources are sound");
  await allSound();
});

test("the depth of the market is a cost, and beyond it there is none", async () => {
  await allSound();
  await until("the books are read", () => {
    const cost = rates
      .prices(new Date(0))
      ?.costBasisPoints("BTC", "buy", { units: 1_000n, scale: 0 });
    return cost !== undefined;
  });
  const table = found(rates.prices(new Date(0)));
  expect(table.costBasisPoints("BTC", "buy", { units: 1_000n, scale: 0 })).toBeLessThanOrEqual(2);
  // Each side of a stand-in's book holds 100 ETH.
  expect(table.costBasisPoints("ETH", "sell", { units: 100_000n, scale: 0 })).toBeLessThanOrEqual(
    12,
  );
  expect(table.costBasisPoints("ETH", "sell", { units: 100_001n, scale: 0 })).toBeUndefined();
  expect(table.costBasisPoints("USDT", "buy", { units: 5_000n, scale: 0 })).toBeUndefined();
});

test.each<readonly [VenueMood, VenueKind]>([
  ["mad", "kraken"],
  ["mad", "binance"],
  ["lies", "coinbase"],
  ["lies", "bitstamp"],
  ["lies", "kraken"],
  ["html", "coinbase"],
  ["cuts", "bitstamp"],
])(
  "no price leaves the band while a venue %s: %s",
  async (mood, kind) => {
    await allSound();
    behave(mood, kind);
    const { refused } = await readUnderLoad(2_500);
    expect(refused).toBe(0);
    expect(evidence("BTC")?.sources).not.toContain(kind);
    behave("sound", kind);
    await allSound();
  },
  300_000,
);

test("a venue that sleeps goes stale, rests, and is believed again when it wakes", async () => {
  await allSound();
  behave("sleeps", "kraken");
  await readUnderLoad(2_000);
  await until("it rests", () => healthOf("kraken").state === "resting");
  expect(healthOf("kraken").why).toMatch(/no answer within .*; not asked before/);
  const requestsBefore = found(venues.get("kraken")).requests();
  await readUnderLoad(500);
  expect(found(venues.get("kraken")).requests() - requestsBefore).toBeLessThan(8);
  behave("sound", "kraken");
  await allSound();
  expect(warnings).toContainEqual(expect.stringContaining("the price source kraken rests"));
  expect(warnings).toContain("the price source kraken answers again");
}, 300_000);

test.each(["kraken", "binance"] as const)(
  "a venue that throttles is left alone: %s",
  async (kind) => {
    await allSound();
    behave("throttles", kind);
    await until("it rests", () => healthOf(kind).state === "resting");
    // Requests that were on their way arrive.
    await readUnderLoad(100);
    const requestsBefore = found(venues.get(kind)).requests();
    await readUnderLoad(800);
    expect(found(venues.get(kind)).requests()).toBe(requestsBefore);
    behave("sound", kind);
    await allSound();
  },
  300_000,
);

test("two mad venues against two sound ones leave no price, and no wrong one", async () => {
  await allSound();
  behave("mad", "kraken", "coinbase");
  await until("the price is refused", () => dollarsFor("BTC") === undefined);
  expect(rates.reason("BTC")).toContain("sources disagree: 2 of 4 agree");
  const { priced } = await readUnderLoad(1_500);
  expect(priced).toBe(0);
  expect(warnings).toContainEqual(expect.stringContaining("BTC has no price: sources disagree"));
  behave("sound", "kraken", "coinbase");
  await until("the price is back", () => dollarsFor("BTC") !== undefined);
  await allSound();
}, 300_000);

test("when every venue sleeps, prices end within their time of freshness, and return", async () => {
  await allSound();
  const before = rates.prices(new Date(0));
  behave("sleeps", ...KINDS);
  const asleepAtMs = now();
  await until("there are no prices", () => rates.prices(new Date(0)) === undefined);
  expect(now() - asleepAtMs).toBeLessThan(25_000);
  // A quote that already holds a table keeps its prices.
  expect(found(before).price("BTC")).toBeDefined();
  behave("sound", ...KINDS);
  await allSound();
  expect(await readUnderLoad(300)).toMatchObject({ refused: 0 });
}, 300_000);

test("a table is frozen: a later price is another table", async () => {
  await allSound();
  const table = found(rates.prices(new Date(0)));
  const price = formatDecimal(found(table.price("BTC")));
  await until("there is another table", () => rates.prices(new Date(0)) !== table);
  expect(formatDecimal(found(table.price("BTC")))).toBe(price);
  expect(multiplyDecimals(found(table.price("USD")), { units: 5n, scale: 0 }).units).toBe(5n);
});

test("a client that may reach only this machine reaches no other", async () => {
  const get = client.get("https://api.kraken.com/0/public/Time", new AbortController().signal);
  await expect(get).rejects.toThrow("tests reach no other");
});

test("an answer that is too large is refused", async () => {
  const small = makeHttpClient({ reach: "loopback", bytesMax: 20 });
  const url = `${found(venues.get("coinbase")).url}/products/BTC-USD/book?level=2`;
  await expect(small.get(url, new AbortController().signal)).rejects.toThrow("more than 20 bytes");
  await small.close();
});
