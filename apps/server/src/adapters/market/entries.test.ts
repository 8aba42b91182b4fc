import { readFileSync } from "node:fs";
import { type Decimal, formatDecimal, parseDecimal } from "@exchange/money";
import { describe, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { ecb } from "../ecb/reference.ts";
import {
  computeEntries,
  type Entry,
  type Memories,
  type Observed,
  type Policy,
} from "./entries.ts";
import type { PolledVenue } from "./poll-venue.ts";
import type { ReferenceTable } from "./reference.ts";
import { type Market, marketName, parseMarket } from "./venue.ts";

/** A Friday at noon, on the day of the rates. */
const FRIDAY_MS = Date.UTC(2026, 10, 20, 16);
const SATURDAY_MS = FRIDAY_MS + 86_400_000;

const RATES = ecb.read(readFileSync(new URL("../ecb/fixtures/daily.xml", import.meta.url), "utf8"));

const POLICY: Policy = {
  quorum: 2,
  freshMs: 15_000,
  outlierBasisPoints: 100,
  wideBasisPoints: 200,
  jumpBasisPoints: 500,
  costBasisPointsMax: 300,
  pegs: new Set(["AED", "XOF"]),
  pegMarkupBasisPoints: 40,
  referenceMarkupBasisPoints: 30,
  referenceGuardBasisPoints: 200,
};

/** A venue that states these mid prices, such as `{ "BTC/USD": "96000" }`, with a spread of 2 basis points. */
function venueOf(name: string, mids: Readonly<Record<string, string>>, atMs: number): PolledVenue {
  const markets = Object.keys(mids).map((text) => found(parseMarket(text)));
  const priceOf = (market: Market, tenThousandths: bigint): Decimal => {
    const { units, scale } = found(parseDecimal(found(mids[marketName(market)])));
    return { units: units * tenThousandths, scale: scale + 4 };
  };
  const level = (market: Market, tenThousandths: bigint) => [
    { price: priceOf(market, tenThousandths), size: { units: 10n ** 9n, scale: 0 } },
  ];
  return {
    name,
    markets,
    best: (market) => ({
      market,
      bid: priceOf(market, 9_999n),
      ask: priceOf(market, 10_001n),
      atMs,
    }),
    book: (market) => ({ bids: level(market, 9_999n), asks: level(market, 10_001n), atMs }),
    fault: () => undefined,
    health: () => ({ source: name, state: "sound", why: null }),
    stop: () => {},
  };
}

function entriesOf(
  mids: readonly Readonly<Record<string, string>>[],
  options: { nowMs?: number; policy?: Partial<Policy>; table?: ReferenceTable | undefined } = {},
): ReadonlyMap<string, Entry> {
  const { nowMs = FRIDAY_MS, policy } = options;
  const observed: Observed = {
    venues: mids.map((one, index) => venueOf(`venue${index + 1}`, one, nowMs)),
    reference: { name: "ecb", table: "table" in options ? options.table : RATES },
    nowMs,
  };
  const memories: Memories = { jumps: new Map(), costs: new WeakMap() };
  return computeEntries(observed, { ...POLICY, ...policy }, memories);
}

function inWords(entry: Entry | undefined): string {
  if (!entry) return "absent";
  if ("refusal" in entry) return `refused: ${entry.refusal}`;
  const cost = entry.cost("buy", { units: 1_000n, scale: 0 });
  const dollars = Number(formatDecimal(entry.price)).toPrecision(6);
  const { kind, sources } = entry.evidence;
  return `${dollars}, ${kind} of ${sources.join(" ") || "nobody"}, cost ${cost}`;
}

const USDT = { "USDT/USD": "1.0002" };
const EUR = { "EUR/USD": "1.1604" };

describe("crosses", () => {
  test.each<[string, readonly Readonly<Record<string, string>>[], string, string]>([
    [
      "a price in USDT at the price of USDT",
      [{ ...USDT, "BTC/USD": "96000" }, USDT, { "BTC/USDT": "95990" }],
      "BTC",
      "96000.0, market of venue1 venue3, cost 1",
    ],
    [
      "a price in euros at the price of the euro",
      [
        { ...EUR, "SOL/EUR": "130" },
        { ...EUR, "SOL/EUR": "130" },
      ],
      "SOL",
      "150.852, market of venue1 venue2, cost 1",
    ],
    [
      "a market that is quoted the other way round",
      [{ "USD/CAD": "1.4047" }, { "USD/CAD": "1.4049" }],
      "CAD",
      "0.711794, market of venue1 venue2, cost 1",
    ],
    [
      "no price in USDT without a price of USDT",
      [{ "BTC/USD": "96000" }, { "BTC/USDT": "95990" }],
      "BTC",
      "refused: 1 of 2 sources are sound; venue2: BTC/USDT needs a price of USDT",
    ],
    [
      "no price where a sound venue cannot be converted and the others are two",
      [
        { "BTC/USD": "9600000" },
        { "BTC/USD": "9600000" },
        { "BTC/USDT": "95990" },
        { "BTC/USDT": "95990" },
      ],
      "BTC",
      "refused: sources disagree: 2 of 4 agree; venue3: BTC/USDT needs a price of USDT; venue4: BTC/USDT needs a price of USDT",
    ],
    [
      "one price for each venue, whatever the number of its markets",
      [{ ...EUR, "BTC/USD": "96000", "BTC/EUR": "82700" }, EUR],
      "BTC",
      "refused: only venue1 trades it, and 2 venues are needed",
    ],
  ])("%s", (_what, mids, code, expected) => {
    expect(inWords(entriesOf(mids).get(code))).toBe(expected);
  });
});

describe("coins that promise a currency", () => {
  test.each([
    ["1.0004", "1.00040, market of venue1 venue2, cost 1"],
    ["0.992", "0.992000, market of venue1 venue2, cost 1"],
    ["0.93", "refused: off its peg by 700 basis points"],
  ])("at %s", (price, expected) => {
    const mids = { "USDC/USD": price };
    expect(inWords(entriesOf([mids, mids]).get("USDC"))).toBe(expected);
  });

  test("a coin of one euro is compared with the euro", () => {
    const mids = { ...EUR, "EURC/USD": "1.1600" };
    expect(inWords(entriesOf([mids, mids]).get("EURC"))).toMatch(/^1.16000, market/);
    const far = { ...EUR, "EURC/USD": "1.0100" };
    expect(inWords(entriesOf([far, far]).get("EURC"))).toContain("off its peg");
  });
});

describe("currencies", () => {
  test.each<[string, string, Parameters<typeof entriesOf>[1] & object]>([
    ["CZK", "0.0479306, reference of ecb, cost 30", {}],
    ["CZK", "0.0479306, reference of ecb, cost 80", { nowMs: SATURDAY_MS }],
    [
      "CZK",
      "refused: the reference rates are of 2026-11-20",
      { nowMs: SATURDAY_MS + 6 * 86_400_000 },
    ],
    ["AED", "0.272294, peg of nobody, cost 40", {}],
    ["AED", "0.272294, peg of nobody, cost 90", { nowMs: SATURDAY_MS }],
    ["XOF", "0.00176902, peg of venue1 venue2, cost 41", {}],
    ["SAR", "absent", {}],
    ["SAR", "0.266667, peg of nobody, cost 40", { policy: { pegs: new Set(["SAR"]) } }],
    ["EUR", "1.16040, market of venue1 venue2, cost 1", {}],
    ["EUR", "1.16040, market of venue1 venue2, cost 1", { table: undefined }],
    ["CZK", "absent", { table: undefined }],
    ["USD", "1.00000, unit of nobody, cost 0", {}],
  ])("%s: %s", (code, expected, options) => {
    expect(inWords(entriesOf([EUR, EUR], options).get(code))).toBe(expected);
  });

  test("a market that is 2 % from the reference rate is refused on a day of the euro", () => {
    const mids = { "EUR/USD": "1.19" };
    const words = inWords(entriesOf([mids, mids]).get("EUR"));
    expect(words).toBe("refused: 256 basis points from the reference rate of 2026-11-20");
    const weekend = entriesOf([mids, mids], { nowMs: SATURDAY_MS });
    expect(inWords(weekend.get("EUR"))).toMatch(/^1.19000, market/);
  });

  test("a currency of the market does not fall back to its reference rate", () => {
    const words = inWords(entriesOf([EUR, { "EUR/USD": "1.25" }]).get("EUR"));
    expect(words).toContain("refused: sources disagree");
  });
});
