import fc from "fast-check";
import { expect, test } from "vitest";
import { type FeeSchedule, grossFor, splitGross } from "./fees.ts";

const FEES: FeeSchedule = {
  basisPoints: 100n,
  fixed: 35n,
  deliveryBasisPoints: 0n,
  deliveryFixed: 0n,
};

test("fee rounding: one percent of 283.61 is published as 2.84, and 280.42 is received", () => {
  expect(splitGross(28_361n, FEES)).toEqual({
    percentageFee: 284n,
    fixedFee: 35n,
    deliveryFee: 0n,
    receive: 28_042n,
  });
});

const SCHEDULES: fc.Arbitrary<FeeSchedule> = fc.record({
  basisPoints: fc.bigInt(0n, 2_000n),
  fixed: fc.bigInt(0n, 1_000n),
  deliveryBasisPoints: fc.bigInt(0n, 2_000n),
  deliveryFixed: fc.bigInt(0n, 1_000n),
});

test("fee rounding: each percentage is within half a step of the exact one, and the parts add up", () => {
  fc.assert(
    fc.property(SCHEDULES, fc.bigInt(1n, 10n ** 15n), (fees, gross) => {
      const { percentageFee, fixedFee, deliveryFee, receive } = splitGross(gross, fees);
      expect(percentageFee + fixedFee + deliveryFee + receive).toBe(gross);
      const twice = 2n * (percentageFee * 10_000n - gross * fees.basisPoints);
      expect(twice > -10_000n && twice <= 10_000n).toBe(true);
    }),
  );
});

test("fee rounding: the gross for an amount is the smallest that leaves it", () => {
  fc.assert(
    fc.property(SCHEDULES, fc.bigInt(1n, 10n ** 6n), (fees, receive) => {
      const gross = grossFor(receive, fees);
      expect(splitGross(gross, fees).receive).toBeGreaterThanOrEqual(receive);
      expect(splitGross(gross - 1n, fees).receive).toBeLessThan(receive);
    }),
  );
});
