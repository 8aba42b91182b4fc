import fc from "fast-check";
import { expect, test } from "vitest";
import { adviceOf, floatOf, misplacedLimit, NO_TREASURY_LIMITS } from "./limits.ts";

const LIMITS = { floorUnits: 10n, lowUnits: 30n, targetUnits: 100n, ceilingUnits: 200n };
const at = (onHand: bigint, promised = 0n, outPerDay = 0n) => ({ onHand, promised, outPerDay });

test.each([
  [at(9n), "below_floor"],
  [at(10n), "low"],
  [at(29n), "low"],
  [at(30n), "enough"],
  [at(200n), "enough"],
  [at(201n), "above_ceiling"],
  [at(210n, 201n), "below_floor"],
  [at(210n, 10n), "enough"],
] as const)("a float of %o is %s", (position, float) => {
  expect(floatOf(position, LIMITS)).toBe(float);
});

test.each([
  [at(20n), { kind: "refill", units: 80n }],
  [at(120n, 100n), { kind: "refill", units: 80n }],
  [at(250n), { kind: "take_to_cold", units: 150n }],
  [at(250n, 40n), { kind: "take_to_cold", units: 110n }],
  [at(150n), { kind: "nothing" }],
  // It lasts for less than two days.
  [at(90n, 0n, 50n), { kind: "refill", units: 10n }],
] as const)("the advice for %o is %o", (position, advice) => {
  expect(adviceOf(position, LIMITS)).toEqual(advice);
});

test("without a target a week of outflow above the low limit is enough", () => {
  const limits = { ...NO_TREASURY_LIMITS, lowUnits: 30n };
  expect(adviceOf(at(20n, 0n, 10n), limits)).toEqual({ kind: "refill", units: 80n });
  expect(adviceOf(at(100n, 0n, 10n), limits)).toEqual({ kind: "nothing" });
  expect(adviceOf(at(100n, 0n, -10n), NO_TREASURY_LIMITS)).toEqual({ kind: "nothing" });
});

test("a limit below a lower one is misplaced", () => {
  expect(misplacedLimit(LIMITS)).toBeUndefined();
  expect(misplacedLimit({ ...LIMITS, lowUnits: 9n })).toBe("lowUnits");
  expect(misplacedLimit({ ...LIMITS, lowUnits: null, targetUnits: 9n })).toBe("targetUnits");
  expect(misplacedLimit({ ...LIMITS, ceilingUnits: 99n })).toBe("ceilingUnits");
  expect(misplacedLimit(NO_TREASURY_LIMITS)).toBeUndefined();
});

test("following the advice ends at the target, and never takes promised coins", () => {
  const units = fc.bigInt({ min: 0n, max: 1_000n });
  fc.assert(
    fc.property(units, units, fc.bigInt({ min: -50n, max: 50n }), (onHand, promised, outPerDay) => {
      const position = { onHand, promised, outPerDay };
      const advice = adviceOf(position, LIMITS);
      if (advice.kind === "nothing") return;
      expect(advice.units).toBeGreaterThan(0n);
      const moved = advice.kind === "refill" ? advice.units : -advice.units;
      expect(onHand - promised + moved).toBe(LIMITS.targetUnits);
      expect(onHand + moved).toBeGreaterThanOrEqual(promised);
    }),
  );
});
