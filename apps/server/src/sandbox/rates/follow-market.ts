import type { PriceTable, RateSource } from "../../domain/ports/rate-source.ts";

/**
 * The sandbox's prices, replaced by the market's where the market has one. Without a network, and for the
 * currencies that no venue agrees on, the made-up prices remain. Nothing is refused for the market's depth.
 */
export function followMarket(sandbox: RateSource, market: RateSource): RateSource {
  let latest: { readonly of: readonly unknown[]; readonly table: PriceTable } | undefined;
  return {
    name: "sandbox",
    prices: (now) => {
      const [own, live] = [sandbox.prices(now), market.prices(now)];
      if (!own || !live) return own;
      if (latest?.of[0] !== own || latest.of[1] !== live) {
        latest = { of: [own, live], table: merge(own, live) };
      }
      return latest.table;
    },
    health: () => [...sandbox.health(), ...market.health()],
    reason: (code) => {
      const why = market.reason(code);
      return why && `the sandbox's own price; the market: ${why}`;
    },
    stop: async () => {
      await Promise.all([sandbox.stop(), market.stop()]);
    },
  };
}

const merge = (own: PriceTable, live: PriceTable): PriceTable =>
  Object.freeze({
    at: own.at,
    price: (code) => live.price(code) ?? own.price(code),
    evidence: (code) => live.evidence(code) ?? own.evidence(code),
    costBasisPoints: (code, side, dollars) =>
      live.costBasisPoints(code, side, dollars) ?? own.costBasisPoints(code, side, dollars),
  } satisfies PriceTable);
