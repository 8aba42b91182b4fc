import { type Decimal, parseDecimal } from "@exchange/money";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { found } from "../../testing/catalogue.ts";
import { costAt, impactsOf, ladderOf, type PricedBook } from "./depth.ts";
import type { Book, Level } from "./venue.ts";

const of = (text: string): Decimal => found(parseDecimal(text));
const levels = (...pairs: readonly (readonly [string, string])[]): readonly Level[] =>
  pairs.map(([price, size]) => ({ price: of(price), size: of(size) }));

const BOOK: Book = {
  asks: levels(["96010.1", "0.5"], ["96020", "2"]),
  bids: levels(["96009.9", "0.8"], ["96000", "3"]),
  atMs: 0,
};

describe("in a book of 2.5 BTC", () => {
  test.each([
    ["0.1", 1],
    ["1", 1],
    ["2.5", 1],
    ["2.50000001", undefined],
    ["3", undefined],
    ["0", undefined],
  ])("buying %s costs %s basis points", (amount, cost) => {
    expect(impactsOf(BOOK, "buy", [of(amount)])[0]).toBe(cost);
  });

  test("the sides have their own depth", () => {
    expect(impactsOf(BOOK, "sell", [of("3.8"), of("3.9")])).toEqual([1, undefined]);
  });
});

const DOLLAR = of("1");
const priced = (book: Book, changes: Partial<PricedBook> = {}): PricedBook => ({
  book,
  quoteDollars: DOLLAR,
  isInverted: false,
  ...changes,
});
const RULES = { quorum: 2, costBasisPointsMax: 300 };
const deep: Book = { ...BOOK, asks: levels(["96010.1", "0.5"], ["96500", "20"]) };

test("the cost is the worst of the books that hold the amount", () => {
  const ladder = ladderOf([priced(deep), priced(deep), priced(BOOK)], RULES);
  expect(costAt(ladder, "buy", of("40000"))).toBe(3);
  expect(costAt(ladder, "buy", of("99999"))).toBe(27);
});

test("an amount between two steps has the cost of the larger one", () => {
  const ladder = ladderOf([priced(deep), priced(deep)], RULES);
  expect(costAt(ladder, "buy", of("50000.01"))).toBe(costAt(ladder, "buy", of("100000")));
});

test("more than the last step has no cost", () => {
  const ladder = ladderOf([priced(deep), priced(deep)], RULES);
  expect(costAt(ladder, "buy", of("100000"))).toBeDefined();
  expect(costAt(ladder, "buy", of("100000.01"))).toBeUndefined();
});

test("one venue cannot invent depth that no other shows", () => {
  const thin: Book = { ...BOOK, asks: levels(["96010.1", "0.01"]) };
  const ladder = ladderOf([priced(deep), priced(thin)], RULES);
  expect(costAt(ladder, "buy", of("1"))).toBeUndefined();
  expect(costAt(ladder, "sell", of("1"))).toBeDefined();
});

test("a cost above the bound is not counted", () => {
  const steep: Book = { ...BOOK, asks: levels(["96010.1", "0.001"], ["100000", "20"]) };
  const ladder = ladderOf([priced(steep), priced(steep)], RULES);
  expect(costAt(ladder, "buy", of("100"))).toBeUndefined();
});

test("buying the quote of a market sells its base", () => {
  const cad: Book = { bids: levels(["1.4", "2000"]), asks: levels(["1.41", "900000"]), atMs: 0 };
  // One Canadian dollar is worth about 0.71 of ours. The bids hold 2,000 US dollars.
  const inverted = priced(cad, { quoteDollars: of("0.7117"), isInverted: true });
  const ladder = ladderOf([inverted, inverted], RULES);
  expect(costAt(ladder, "buy", of("900"))).toBeDefined();
  expect(costAt(ladder, "buy", of("5000"))).toBeUndefined();
  expect(costAt(ladder, "sell", of("5000"))).toBeDefined();
});

test("the cost is that of buying unit by unit, and a larger amount is never cheaper", () => {
  const size = fc.integer({ min: 1, max: 50 });
  const side = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), size), {
    minLength: 1,
    maxLength: 8,
  });
  const amount = fc.integer({ min: 1, max: 100 });
  fc.assert(
    fc.property(side, amount, amount, (steps, a, b) => {
      const units: number[] = [];
      let price = 10_000;
      const asks = steps.map(([up, count]) => {
        price += up;
        units.push(...Array.from({ length: count }, () => price));
        return [String(price), String(count)] as const;
      });
      const book: Book = { asks: levels(...asks), bids: levels(["9999", "1"]), atMs: 0 };
      const mid = (9_999 + found(units[0])) / 2;
      const amounts = [Math.min(a, b), Math.max(a, b)];
      const costs = impactsOf(
        book,
        "buy",
        amounts.map((count) => of(String(count))),
      );
      const [less = Number.POSITIVE_INFINITY, more = Number.POSITIVE_INFINITY] = costs;
      expect(less).toBeLessThanOrEqual(more);
      for (const [index, count] of amounts.entries()) {
        const sum = units.slice(0, count).reduce((total, one) => total + one, 0);
        const exact = (sum / count / mid - 1) * 10_000;
        if (units.length < count) expect(costs[index]).toBeUndefined();
        else expect(Math.abs(found(costs[index]) - exact)).toBeLessThanOrEqual(1);
      }
    }),
  );
});
