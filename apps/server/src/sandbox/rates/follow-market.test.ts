import { expect, test } from "vitest";
import type { PriceTable, RateSource } from "../../domain/ports/rate-source.ts";
import { found } from "../../testing/catalogue.ts";
import { followMarket } from "./follow-market.ts";
import { sandboxRates } from "./rate-source.ts";

const NOW = new Date("2026-11-22T08:00:00Z");
const THOUSAND = { units: 1_000n, scale: 0 };
const own = sandboxRates({ seed: "follow" });

/** A market that prices bitcoin alone, and shows no depth. */
const table: PriceTable = {
  at: NOW,
  price: (code) => (code === "BTC" ? { units: 70_000n, scale: 0 } : undefined),
  evidence: (code) =>
    code === "BTC"
      ? { at: NOW, sources: ["kraken", "bitstamp"], apartBasisPoints: 1, kind: "market" }
      : undefined,
  costBasisPoints: () => undefined,
};
const marketWith = (prices: PriceTable | undefined): RateSource => ({
  name: "market",
  prices: () => prices,
  health: () => [{ source: "kraken", state: "stale", why: "no answer yet" }],
  reason: (code) => (code === "BTC" ? undefined : "no configured source prices it"),
  stop: async () => {},
});

test("the market's price is used where there is one, and the sandbox's elsewhere", () => {
  const following = found(followMarket(own, marketWith(table)).prices(NOW));
  expect(following.price("BTC")).toEqual({ units: 70_000n, scale: 0 });
  expect(following.evidence("BTC")?.kind).toBe("market");
  expect(following.price("NGN")).toEqual(found(own.prices(NOW)).price("NGN"));
  expect(following.evidence("NGN")?.kind).toBe("sandbox");
});

test("nothing is refused for the market's depth", () => {
  const following = found(followMarket(own, marketWith(table)).prices(NOW));
  expect(following.costBasisPoints("BTC", "buy", THOUSAND)).toBe(0);
  expect(following.costBasisPoints("NOPE", "buy", THOUSAND)).toBeUndefined();
});

test("without the market the sandbox's table is used as it is", () => {
  const following = followMarket(own, marketWith(undefined));
  expect(following.prices(NOW)).toBe(own.prices(NOW));
  expect(following.name).toBe("sandbox");
});

test("one moment has one table", () => {
  const following = followMarket(own, marketWith(table));
  expect(following.prices(NOW)).toBe(following.prices(NOW));
});

test("the market's state and reasons are told apart from the sandbox's", () => {
  const following = followMarket(own, marketWith(table));
  expect(following.health().map(({ source }) => source)).toEqual(["sandbox", "kraken"]);
  expect(following.reason("BTC")).toBeUndefined();
  expect(following.reason("NGN")).toBe(
    "the sandbox's own price; the market: no configured source prices it",
  );
});
