import { readFileSync } from "node:fs";
import { type Decimal, divide, formatDecimal } from "@exchange/money";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VENUES } from "../providers.ts";
import {
  agree,
  checkJump,
  type Memory,
  type MissingView,
  type Outcome,
  type Rules,
  type View,
} from "./agree.ts";
import { midpointOf } from "./exact.ts";
import type { Venue } from "./venue.ts";

const NOW_MS = 1_795_334_400_000;
const RULES: Rules = {
  quorum: 2,
  freshMs: 15_000,
  outlierBasisPoints: 100,
  wideBasisPoints: 200,
  jumpBasisPoints: 500,
};

/** The view of a venue's own fixture. Binance's dollar is worth 1.0001 here. */
function viewOf(venue: Venue): View {
  const text = readFileSync(
    new URL(`../${venue.name}/fixtures/book.json`, import.meta.url),
    "utf8",
  );
  const { bids, asks, atMs } = venue.book.read(JSON.parse(text), NOW_MS);
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  if (!bid || !ask) throw new Error("an empty book");
  const view = { source: venue.name, bid, ask, mid: midpointOf(bid, ask), atMs };
  return venue.name === "binance" ? times(view, 10_001n, 10_000n) : view;
}

const { kraken, coinbase, bitstamp, binance } = VENUES;
/** Another registered venue changes none of the rows below. */
const FOUR: readonly View[] = [kraken, coinbase, bitstamp, binance].map(viewOf);

/** Returns a view whose prices are a share of its own. */
function times(view: View, numerator: bigint, denominator: bigint): View {
  const of = ({ units, scale }: Decimal): Decimal => ({
    units: divide(units * 10_000n * numerator, denominator, "half_up"),
    scale: scale + 4,
  });
  return { ...view, bid: of(view.bid), ask: of(view.ask), mid: of(view.mid) };
}

const change = (names: readonly string[], with_: (view: View) => View | MissingView) =>
  FOUR.map((view) => (names.includes(view.source) ? with_(view) : view));

const missing = ({ source }: View): MissingView => ({ source, fault: "asked too often" });
const crossed = (view: View): View => ({ ...view, bid: view.ask, ask: view.bid });

const inWords = (outcome: Outcome): string =>
  "agreement" in outcome
    ? `agreed by ${outcome.agreement.sources.join(" ")}, ${outcome.agreement.apartBasisPoints} bp apart`
    : `refused: ${outcome.reason}`;

const HUNDRED = 100n;
const ALL = "kraken coinbase bitstamp binance";

describe("four venues", () => {
  type LeftOut = Readonly<Record<string, string>>;
  const ROWS: [string, readonly (View | MissingView)[], string, LeftOut?, number?][] = [
    ["that are sound", FOUR, `agreed by ${ALL}, 1 bp apart`],
    [
      "of which one says a hundredfold",
      change(["kraken"], (view) => times(view, HUNDRED, 1n)),
      "agreed by coinbase bitstamp binance, 1 bp apart",
      { kraken: "basis points from the median" },
    ],
    [
      "that are two and two, a tenth apart",
      change(["kraken", "coinbase"], (view) => times(view, 9n, 10n)),
      "refused: sources disagree: 2 of 4 agree",
    ],
    [
      "that are three and one, a twentieth apart",
      change(["binance"], (view) => times(view, 95n, HUNDRED)),
      "agreed by kraken coinbase bitstamp, 1 bp apart",
      { binance: "basis points from the median" },
    ],
    ["20 s later", FOUR, "refused: 0 of 4 sources are sound", { kraken: "stale" }, 20_000],
    [
      "of which three fail",
      change(["kraken", "coinbase", "bitstamp"], missing),
      "refused: 1 of 4 sources are sound",
      { coinbase: "asked too often" },
    ],
    [
      "of which two fail",
      change(["kraken", "coinbase"], missing),
      "agreed by bitstamp binance, 1 bp apart",
    ],
    [
      "of which one book is crossed",
      change(["kraken"], crossed),
      "agreed by coinbase bitstamp binance, 1 bp apart",
      { kraken: "crossed" },
    ],
    [
      "of which one has a wide spread",
      change(["kraken"], (view) => ({ ...view, ask: times(view, 103n, HUNDRED).ask })),
      "agreed by coinbase bitstamp binance, 1 bp apart",
      { kraken: "a spread of" },
    ],
    [
      "of which one is 6 s ahead of us",
      change(["kraken"], (view) => ({ ...view, atMs: NOW_MS + 6_000 })),
      "agreed by coinbase bitstamp binance, 1 bp apart",
      { kraken: "in the future" },
    ],
    [
      "of which one says zero",
      change(["kraken"], (view) => ({ ...view, bid: { units: 0n, scale: 0 } })),
      "agreed by coinbase bitstamp binance, 1 bp apart",
      { kraken: "not above zero" },
    ],
    [
      "of which all say another price",
      FOUR.map((view, index) => times(view, HUNDRED + BigInt(index) * 10n, HUNDRED)),
      "refused: sources disagree: 1 of 4 agree",
    ],
  ];

  test.each(ROWS)("%s", (_what, views, words, leftOut = {}, laterMs = 0) => {
    const outcome = agree(views, NOW_MS + laterMs, RULES);
    expect(inWords(outcome)).toBe(words);
    for (const [source, why] of Object.entries(leftOut)) {
      expect(outcome.leftOut.get(source)).toContain(why);
    }
  });

  test("agree on the lower of the middle prices", () => {
    const outcome = agree(FOUR, NOW_MS, RULES);
    if (!("agreement" in outcome)) throw new Error(outcome.reason);
    expect(formatDecimal(outcome.agreement.price)).toBe("96008");
    expect(outcome.agreement.atMs).toBe(Math.min(...FOUR.map(({ atMs }) => atMs)));
  });
});

test("a sound venue whose price cannot be converted agrees with nobody", () => {
  const unconverted = change(["binance"], ({ source }) => ({
    source,
    fault: "BTC/USDT needs a price of USDT",
    isUnconverted: true,
  }));
  const lies = unconverted.map((view) =>
    "mid" in view && view.source !== "bitstamp" ? times(view, HUNDRED, 1n) : view,
  );
  expect(inWords(agree(lies, NOW_MS, RULES))).toBe("refused: sources disagree: 2 of 4 agree");
});

test("two venues that are a twentieth apart are refused", () => {
  const [one, other] = FOUR as readonly [View, View];
  const outcome = agree([one, times(other, 105n, HUNDRED)], NOW_MS, RULES);
  expect(inWords(outcome)).toBe("refused: sources disagree: 1 of 2 agree");
});

test("while the sound sources outnumber the liars, no lie moves the price out of their band", () => {
  const mid = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const scene = fc
    .record({
      sound: fc.integer({ min: 2, max: 6 }),
      base: fc.bigInt({ min: 10n ** 6n, max: 10n ** 9n }),
    })
    .chain(({ sound, base }) =>
      fc.record({
        // Sound sources are at most 40 basis points apart.
        sound: fc
          .array(fc.bigInt({ min: 0n, max: 40n }), { minLength: sound, maxLength: sound })
          .map((apart) => apart.map((points) => base + (base * points) / 10_000n)),
        liars: fc.array(mid, { maxLength: sound - 1 }),
      }),
    );
  fc.assert(
    fc.property(scene, fc.infiniteStream(fc.nat()), ({ sound, liars }, order) => {
      const views = [...sound, ...liars].map((units, index) => viewAt(`venue ${index}`, units));
      const shuffled = views
        .map((view) => ({ view, key: order.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ view }) => view);
      const outcome = agree(shuffled, NOW_MS, RULES);
      if (!("agreement" in outcome)) throw new Error(outcome.reason);
      const { units } = outcome.agreement.price;
      expect(units >= sound.reduce((a, b) => (a < b ? a : b))).toBe(true);
      expect(units <= sound.reduce((a, b) => (a > b ? a : b))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

const viewAt = (source: string, units: bigint, atMs = NOW_MS): View => ({
  source,
  bid: { units: units * 10_000n, scale: 4 },
  ask: { units: units * 10_000n + 1n, scale: 4 },
  mid: { units, scale: 0 },
  atMs,
});

describe("a price that falls by a tenth at once", () => {
  const look = (memory: Memory | undefined, units: bigint, atMs: number) => {
    const outcome = agree(
      [viewAt("a", units, atMs), viewAt("b", units, atMs + 10)],
      atMs + 10,
      RULES,
    );
    if (!("agreement" in outcome)) throw new Error(outcome.reason);
    return checkJump(memory, outcome.agreement, RULES);
  };
  const start = look(undefined, 1_000_000n, NOW_MS).memory;

  test("is refused, refused, and used at the third look", () => {
    const first = look(start, 900_000n, NOW_MS + 1_000);
    const second = look(first.memory, 901_000n, NOW_MS + 2_000);
    const third = look(second.memory, 899_000n, NOW_MS + 3_000);
    expect([first.refusal, second.refusal]).toEqual([
      "moved by 1000 basis points at once, seen 1 of 3 times",
      "moved by 990 basis points at once, seen 2 of 3 times",
    ]);
    expect(third.refusal).toBeUndefined();
    expect(third.memory.price.units).toBe(899_000n);
  });

  test("is not believed sooner because the same answers are looked at again", () => {
    let memory = start;
    for (let looks = 0; looks < 10; looks += 1) {
      const seen = look(memory, 900_000n, NOW_MS + 1_000);
      expect(seen.refusal).toContain("seen 1 of 3 times");
      memory = seen.memory;
    }
  });

  test("begins again when the next look shows yet another price", () => {
    const first = look(start, 900_000n, NOW_MS + 1_000);
    const other = look(first.memory, 500_000n, NOW_MS + 2_000);
    expect(other.refusal).toContain("seen 1 of 3 times");
  });

  test("is forgotten when the price comes back", () => {
    const first = look(start, 900_000n, NOW_MS + 1_000);
    const back = look(first.memory, 1_001_000n, NOW_MS + 2_000);
    expect(back).toEqual({ memory: { price: { units: 1_001_000n, scale: 0 } } });
  });
});
