import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { compareDecimals, formatDecimal } from "@exchange/money";
import { afterAll, beforeAll, expect } from "vitest";
import type { PriceTable, RateSource } from "../domain/ports/rate-source.ts";
import { ratesOf } from "../domain/quotes/rates.ts";
import { followMarket } from "../sandbox/rates/follow-market.ts";
import { sandboxRates } from "../sandbox/rates/rate-source.ts";
import { found } from "../testing/catalogue.ts";
import { type Cases, NotHere, runConformance } from "../testing/conformance.ts";
import { type StandInVenue, startStandInVenue, type VenueKind } from "../testing/stand-in-venue.ts";
import { type HttpClient, makeHttpClient } from "./client.ts";
import { marketRates } from "./market/market-rates.ts";
import { configureMarket } from "./market/options.ts";
import { VENUES } from "./providers.ts";

// The port's promises, which every source of prices must hold.

const CODES = ["BTC", "ETH", "EUR", "USDT", "USD"];
const DOLLARS: Readonly<Record<string, number>> = { BTC: 96_000, ETH: 3_300, EUR: 1.16, USDT: 1 };
const KINDS: readonly VenueKind[] = ["kraken", "bitstamp"];

const standIns: StandInVenue[] = [];
let client: HttpClient;

const openMarket = (): RateSource => {
  const venues = KINDS.map((kind, index) => ({
    kind,
    url: found(standIns[index]).url,
    markets: ["BTC/USD", "ETH/USD", "EUR/USD", "USDT/USD"],
    bestMilliseconds: 50,
    bookMilliseconds: 50,
  }));
  const parts = { venues: VENUES, references: {} };
  const place = { environment: "dev", processes: 1 } as const;
  const options = configureMarket({ kind: "market", venues }, parts, place);
  return marketRates(options, { client, now: Date.now, warn: () => {} });
};

interface SourceWorld {
  readonly source: RateSource;
  /** Returns how often the venues were asked. Absent for a source that asks nobody. */
  readonly questions?: () => number;
}

const questions = (): number => standIns.reduce((sum, venue) => sum + venue.requests(), 0);

/** Every source. A new one adds its row. */
const SOURCES: Readonly<Record<string, () => SourceWorld>> = {
  sandbox: () => ({ source: sandboxRates({ seed: "conformance" }) }),
  market: () => ({ source: openMarket(), questions }),
  "sandbox that follows the market": () => ({
    source: followMarket(sandboxRates({ seed: "conformance" }), openMarket()),
    questions,
  }),
};

beforeAll(async () => {
  client = makeHttpClient({ reach: "loopback" });
  for (const kind of KINDS) {
    standIns.push(
      await startStandInVenue({ kind, dollars: (code) => DOLLARS[code], now: Date.now, size: 1e6 }),
    );
  }
});
afterAll(async () => {
  await client.close();
  await Promise.all(standIns.map((one) => one.close()));
});

async function tableOf(source: RateSource): Promise<PriceTable> {
  const one = { units: 1n, scale: 0 };
  await expect
    .poll(() => {
      const table = source.prices(new Date());
      return CODES.filter((code) => table?.costBasisPoints(code, "buy", one) === undefined);
    })
    .toEqual([]);
  return found(source.prices(new Date()));
}

const AMOUNTS = [1n, 999n, 5_000n, 20_000n, 100_000n].map((units) => ({ units, scale: 0 }));

const CASES: Cases<SourceWorld> = {
  "every price is above zero and has an origin": async ({ source }) => {
    const table = await tableOf(source);
    for (const code of CODES) {
      expect(found(table.price(code)).units, code).toBeGreaterThan(0n);
      const { sources, kind, apartBasisPoints } = found(table.evidence(code));
      expect(sources.length, code).toBeGreaterThan(kind === "unit" ? -1 : 0);
      expect(Number.isSafeInteger(apartBasisPoints)).toBe(true);
    }
  },
  "an unknown code has no price, no origin and no cost": async ({ source }) => {
    const table = await tableOf(source);
    const one = { units: 1n, scale: 0 };
    expect([
      table.price("NOPE"),
      table.evidence("NOPE"),
      table.costBasisPoints("NOPE", "buy", one),
    ]).toEqual([undefined, undefined, undefined]);
    expect(table.price("__proto__")).toBeUndefined();
  },
  "a cost is a whole number that no larger amount lowers": async ({ source }) => {
    const table = await tableOf(source);
    for (const code of CODES) {
      for (const side of ["buy", "sell"] as const) {
        const costs = AMOUNTS.map((amount) => table.costBasisPoints(code, side, amount) ?? 1e9);
        expect(costs, code).toEqual(costs.toSorted((a, b) => a - b));
        expect(costs.every((cost) => Number.isSafeInteger(cost) && cost >= 0)).toBe(true);
      }
    }
  },
  "no circle of quotes gains": async ({ source }) => {
    const table = await tableOf(source);
    for (const a of CODES) {
      for (const b of CODES) {
        for (const c of CODES) {
          const [x, y, z] = [a, b, c].map((code) => found(table.price(code)));
          if (!x || !y || !z) throw new Error("a price is missing");
          const circle = [
            ratesOf({ spend: x, receive: y }, 0),
            ratesOf({ spend: y, receive: z }, 0),
            ratesOf({ spend: z, receive: x }, 0),
          ].reduce(
            (product, { rate }) => ({
              units: product.units * rate.units,
              scale: product.scale + rate.scale,
            }),
            { units: 1n, scale: 0 },
          );
          expect(compareDecimals(circle, { units: 1n, scale: 0 }), `${a} ${b} ${c}`).not.toBe(1);
        }
      }
    }
  },
  "it answers at once with a table that does not change": async ({ source }) => {
    const table = await tableOf(source);
    const before = CODES.map((code) => formatDecimal(found(table.price(code))));
    for (let second = 0; second < 100; second += 1) source.prices(new Date(second * 1000));
    expect(CODES.map((code) => formatDecimal(found(table.price(code))))).toEqual(before);
  },
  "every part of it has a state": async ({ source }) => {
    await tableOf(source);
    const health = source.health();
    expect(health.length).toBeGreaterThan(0);
    expect(health.every(({ state, why }) => (state === "sound") === (why === null))).toBe(true);
  },
  "a clock that goes back makes no price of the future, and none below zero": async ({
    source,
  }) => {
    const now = Date.now();
    await tableOf(source);
    for (const back of [0, 1, 1_000, 60_000, 86_400_000]) {
      const table = source.prices(new Date(now - back));
      for (const code of CODES) {
        expect(table?.price(code)?.units ?? 1n, code).toBeGreaterThan(0n);
        const at = table?.evidence(code)?.at.getTime() ?? 0;
        expect(at, code).toBeLessThanOrEqual(Date.now() + 5_000);
      }
    }
  },
  "a price that is there has an origin and a cost, and one that is not has neither": async ({
    source,
  }) => {
    const table = await tableOf(source);
    const one = { units: 1n, scale: 0 };
    for (const code of [...CODES, "JPY", "SOL", "NGN", "NOPE"]) {
      const isPriced = table.price(code) !== undefined;
      expect(table.evidence(code) !== undefined, code).toBe(isPriced);
      if (!isPriced) expect(table.costBasisPoints(code, "sell", one), code).toBeUndefined();
    }
  },
  // The last case: the source answers nothing new after it.
  "a source that was stopped asks nobody any more, and may be stopped again": async ({
    source,
    questions,
  }) => {
    await source.stop();
    await source.stop();
    if (!questions) return new NotHere("it asks nobody");
    // Requests that were on their way may still arrive.
    await sleep(300);
    for (let turns = 0; turns < 10; turns += 1) await turn();
    const before = questions();
    await sleep(300);
    expect(questions()).toBe(before);
    return undefined;
  },
};

runConformance(
  CASES,
  Object.fromEntries(
    Object.entries(SOURCES).map(([name, open]) => [
      name,
      { open, close: ({ source }: SourceWorld) => source.stop() },
    ]),
  ),
);
