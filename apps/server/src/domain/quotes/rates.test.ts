import type { Decimal } from "@exchange/money";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ratesOf } from "./rates.ts";

const price: fc.Arbitrary<Decimal> = fc.record({
  units: fc.bigInt({ min: 1n, max: 10n ** 18n }),
  scale: fc.nat({ max: 12 }),
});
const spread = fc.integer({ min: 0, max: 2_000 });
const ten = (exponent: number): bigint => 10n ** BigInt(exponent);

/** Both sides of rate ≤ spend / receive × share, as whole numbers. */
const sides = (rate: Decimal, [spend, receive]: readonly [Decimal, Decimal], share: bigint) => ({
  published: rate.units * receive.units * ten(spend.scale) * 10_000n,
  exact: spend.units * ten(receive.scale) * share * ten(rate.scale),
});

test("no rate is better than the exact price gives, and the published one has the whole spread", () => {
  fc.assert(
    fc.property(price, price, spread, (spend, receive, basisPoints) => {
      const { rate, midRate } = ratesOf({ spend, receive }, basisPoints);
      const mid = sides(midRate, [spend, receive], 10_000n);
      expect(mid.published <= mid.exact).toBe(true);
      const own = sides(rate, [spend, receive], 10_000n - BigInt(basisPoints));
      expect(own.published <= own.exact).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});

test("from one coin to the other and back never gains, whatever the prices", () => {
  fc.assert(
    fc.property(price, price, spread, (a, b, basisPoints) => {
      const there = ratesOf({ spend: a, receive: b }, basisPoints).rate;
      const back = ratesOf({ spend: b, receive: a }, basisPoints).rate;
      expect(there.units * back.units <= ten(there.scale + back.scale)).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});
